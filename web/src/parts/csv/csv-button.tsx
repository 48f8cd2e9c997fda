// Buttons that save a list as CSV: as the API writes it, or as the page has read it.
import { Button, type ButtonProps } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import { saveFile } from '../save-file.ts'
import { type CsvRecord, csvText } from './csv-text.ts'

interface Props extends Pick<ButtonProps, 'size'> {
  /** The name of the file, without its ending. */
  file: string
  /** The title of the list, where a page has several. */
  list?: string
}

/** A file that the API writes. */
export const CsvLink = ({ href, file, list, ...rest }: Props & { href: string }) => (
  <Button {...rest} component="a" variant="default" href={href} download={`${file}.csv`} aria-label={longLabel(list)}>
    {textsOf('parts')('export_csv')}
  </Button>
)

/** A file of records that the page already has. They are computed when they are asked for. */
export const CsvButton = ({ file, list, records, ...rest }: Props & { records: () => readonly CsvRecord[] }) => (
  <Button
    {...rest}
    variant="default"
    aria-label={longLabel(list)}
    onClick={() => saveFile(`${file}.csv`, 'text/csv', csvText(records()))}
  >
    {textsOf('parts')('export_csv')}
  </Button>
)

const longLabel = (list: string | undefined): string | undefined =>
  list === undefined ? undefined : textsOf('parts')('export_csv_of', { list })
