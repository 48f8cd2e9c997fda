// Shows what a change of the configuration replaces, field by field.
import { RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { type Difference, labelOfField } from './config-values.ts'

interface Props {
  label: string
  beforeLabel: string
  afterLabel: string
  differences: readonly Difference[]
}

export function ConfigDifference({ label, beforeLabel, afterLabel, differences }: Props) {
  const t = textsOf('admin.connector.config')
  return (
    <RecordTable
      label={label}
      rows={differences}
      keyOf={(it) => it.name}
      columns={[
        { label: t('field'), cell: (it) => <bdi>{labelOfField(it.name)}</bdi> },
        {
          label: beforeLabel,
          className: 'long-text',
          cell: (it) => (it.before === '' ? <Nothing /> : <del dir="auto">{it.before}</del>),
        },
        {
          label: afterLabel,
          className: 'long-text',
          cell: (it) => (it.after === '' ? <Nothing /> : <ins dir="auto">{it.after}</ins>),
        },
      ]}
    />
  )
}

const Nothing = () => <span className="dimmed">{textsOf('admin.connector.config')('nothing')}</span>
