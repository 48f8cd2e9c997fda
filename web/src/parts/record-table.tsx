// A table of records: a column for each fact, and a last one with what can be done.
import { Badge, Button, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { textsOf } from '../text/texts.ts'
import { TableFrame } from './table-frame.tsx'
import { Time } from './text.tsx'

export interface Column<Row> {
  label: string
  cell: (row: Row) => ReactNode
  className?: string
}

interface RecordTableProps<Row> {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => number | string
  columns: readonly Column<Row>[]
  action?: (row: Row) => ReactNode
}

export const RecordTable = <Row,>({ label, rows, keyOf, columns, action }: RecordTableProps<Row>) => (
  <TableFrame label={label}>
    <Table verticalSpacing="sm" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          {columns.map((it) => (
            <Table.Th key={it.label} className={it.className === 'number' ? 'number' : undefined}>
              {it.label}
            </Table.Th>
          ))}
          {action !== undefined && (
            <Table.Th>
              <span className="sr-only">{textsOf('parts')('actions')}</span>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)}>
            {columns.map(({ label: name, cell, className }) => (
              <Table.Td key={name} className={className}>
                {cell(row)}
              </Table.Td>
            ))}
            {action !== undefined && <Table.Td className="number">{action(row)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

/** `longLabel` names the record too, for people who hear the button and not its row: "Delete key 7". */
export const EndButton = ({
  label,
  longLabel,
  isPending = false,
  onClick,
}: {
  label: string
  longLabel: string
  isPending?: boolean
  onClick: () => void
}) => (
  <Button
    variant="subtle"
    color="red"
    size="compact-sm"
    c="var(--mantine-color-error)"
    aria-label={longLabel}
    loading={isPending}
    onClick={onClick}
  >
    {label}
  </Button>
)

/** When a key or token expires, or that it has. */
export const Expiry = ({ at }: { at: string | null }) =>
  at !== null && Date.parse(at) <= Date.now() ? (
    <Badge color="red" variant="light" tt="none">
      {textsOf('parts')('expired')}
    </Badge>
  ) : (
    <Time at={at} />
  )
