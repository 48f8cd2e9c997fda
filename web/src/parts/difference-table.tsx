// Shows what a change replaces: each field with its value before and after.
import type { ReactNode } from 'react'
import { textsOf } from '../text/texts.ts'
import { RecordTable } from './record-table.tsx'

export interface DifferenceRow {
  name: string
  label: ReactNode
  /** Both in words; empty if there is no value. */
  before: string
  after: string
}

interface Props {
  label: string
  fieldLabel: string
  beforeLabel: string
  afterLabel: string
  rows: readonly DifferenceRow[]
}

export function DifferenceTable({ label, fieldLabel, beforeLabel, afterLabel, rows }: Props) {
  return (
    <RecordTable
      label={label}
      rows={rows}
      keyOf={(it) => it.name}
      columns={[
        { label: fieldLabel, cell: (it) => it.label },
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

const Nothing = () => <span className="dimmed">{textsOf('parts')('empty')}</span>
