// A table of records: a column for each fact, and a last one with what can be done.
import { Badge, Button, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { textsOf } from '../text/texts.ts'
import { useIsPrinting } from './long-table/use-is-printing.ts'
import { useTableSizes } from './long-table/use-table-sizes.ts'
import { VirtualRows } from './long-table/virtual-rows.tsx'
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

/** A longer table draws only the rows near the window. */
const DRAWN_AT_ONCE = 200
/** The rows of a longer table from which the sizes of the others are estimated. */
const MEASURED = 50

export function RecordTable<Row>({ label, rows, keyOf, columns, action: anyAction }: RecordTableProps<Row>) {
  const isPrinting = useIsPrinting()
  const isLong = rows.length > DRAWN_AT_ONCE
  // Thousands of buttons take seconds to draw, and paper has none.
  const action = isLong && isPrinting ? undefined : anyAction
  const count = columns.length + (action === undefined ? 0 : 1)
  const { table, sizes } = useTableSizes(count, isLong && !isPrinting)
  const isVirtual = sizes?.scrollsWithWindow === true
  const widthOf = (at: number) => (!isVirtual ? undefined : { width: `${sizes.widths[at]}%` })
  const cells = (row: Row) => (
    <>
      {columns.map(({ label: name, cell, className }) => (
        <Table.Td key={name} className={className}>
          {cell(row)}
        </Table.Td>
      ))}
      {action !== undefined && <Table.Td className="number">{action(row)}</Table.Td>}
    </>
  )
  return (
    <TableFrame label={label}>
      <Table
        ref={table}
        verticalSpacing="sm"
        horizontalSpacing="md"
        {...(isVirtual && { 'aria-rowcount': rows.length + 1 })}
      >
        <Table.Thead>
          <Table.Tr {...(isVirtual && { 'aria-rowindex': 1 })}>
            {columns.map((it, at) => (
              <Table.Th key={it.label} className={it.className === 'number' ? 'number' : undefined} style={widthOf(at)}>
                {it.label}
              </Table.Th>
            ))}
            {action !== undefined && (
              <Table.Th style={widthOf(columns.length)}>
                <span className="sr-only">{textsOf('parts')('actions')}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        {isVirtual ? (
          <VirtualRows rows={rows} keyOf={keyOf} rowHeight={sizes.rowHeight} columns={count}>
            {cells}
          </VirtualRows>
        ) : (
          <Table.Tbody>
            {(isLong && !isPrinting && sizes === null ? rows.slice(0, MEASURED) : rows).map((row) => (
              <Table.Tr key={keyOf(row)}>{cells(row)}</Table.Tr>
            ))}
          </Table.Tbody>
        )}
      </Table>
    </TableFrame>
  )
}

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
