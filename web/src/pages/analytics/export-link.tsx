import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { csvAddress, type Period } from './report-query.ts'

interface Props {
  days: Period
  /** The list of the report. */
  list: string
  /** The title of the list. */
  title: string
}

export const ExportLink = ({ days, list, title }: Props) => (
  <CsvLink size="xs" href={csvAddress(days, list)} file={`search-${list}`} list={title} />
)
