import { Button } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import { csvAddress, type Period } from './report-query.ts'

interface Props {
  days: Period
  /** The list of the report. */
  list: string
  /** The title of the list. */
  title: string
}

export const ExportLink = ({ days, list, title }: Props) => (
  <Button
    component="a"
    size="xs"
    variant="default"
    href={csvAddress(days, list)}
    download={`search-${list}.csv`}
    aria-label={textsOf('admin.analytics')('export_of', { list: title })}
  >
    {textsOf('admin.analytics')('export')}
  </Button>
)
