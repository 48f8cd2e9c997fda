import { DifferenceTable } from '../../parts/difference-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { type Difference, labelOfField } from './config-values.ts'

interface Props {
  label: string
  beforeLabel: string
  afterLabel: string
  differences: readonly Difference[]
}

export function ConfigDifference({ differences, ...labels }: Props) {
  const rows = differences.map((it) => ({ ...it, label: <bdi>{labelOfField(it.name)}</bdi> }))
  return <DifferenceTable {...labels} fieldLabel={textsOf('admin.connector.config')('field')} rows={rows} />
}
