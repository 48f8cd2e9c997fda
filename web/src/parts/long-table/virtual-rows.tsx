// The rows of a long table that are near the window. An empty row takes the place of the others above, between and below.
import { Table } from '@mantine/core'
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, Fragment, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Rows beyond the window, on each side: those that a key or a turn of the wheel shows next. */
const MARGIN = 15

interface Props<Row> {
  rows: readonly Row[]
  keyOf: (row: Row) => number | string
  rowHeight: number
  /** The number of columns. */
  columns: number
  /** The cells of a row. */
  children: (row: Row) => ReactNode
}

export function VirtualRows<Row>({ rows, keyOf, rowHeight, columns, children }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const top = useTop(body)
  const [focused, setFocused] = useState<number | null>(null)
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    getItemKey: (at) => keyAt(rows, at, keyOf),
    overscan: MARGIN,
    scrollMargin: top,
    rangeExtractor: (range) => withFocused(range, focused),
  })
  const items = virtualizer.getVirtualItems()
  return (
    <Table.Tbody
      ref={body}
      // The virtualiser corrects the place itself.
      style={{ overflowAnchor: 'none' }}
      onFocus={(event) => setFocused(indexOf(event))}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The row that takes the focus next stays in the page until it has it.
        if (!currentTarget.contains(relatedTarget)) setFocused(null)
      }}
    >
      {items.map(({ key, index, start }, at) => {
        const row = rows[index]
        return (
          <Fragment key={String(key)}>
            <Gap height={start - (items[at - 1]?.end ?? top)} columns={columns} />
            {row !== undefined && (
              <Table.Tr ref={virtualizer.measureElement} data-index={index} aria-rowindex={index + 2}>
                {children(row)}
              </Table.Tr>
            )}
          </Fragment>
        )
      })}
      <Gap height={top + virtualizer.getTotalSize() - (items.at(-1)?.end ?? top)} columns={columns} />
    </Table.Tbody>
  )
}

function keyAt<Row>(rows: readonly Row[], at: number, keyOf: Props<Row>['keyOf']): number | string {
  const row = rows[at]
  return row === undefined ? at : keyOf(row)
}

const Gap = ({ height, columns }: { height: number; columns: number }) =>
  height < 1 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
    <tr aria-hidden="true" className="row-gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )

/** The distance from the begin of the page, in pixels. It is measured at each drawing, because what is above can grow. */
function useTop(body: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (body.current === null) return
    const now = body.current.getBoundingClientRect().top + window.scrollY
    if (Math.abs(now - top) >= 1) setTop(now)
  })
  return top
}

const indexOf = ({ target }: FocusEvent): number | null => {
  const index = target.closest('tr')?.dataset.index
  return index === undefined ? null : Number(index)
}

/** The row with the focus stays, and its neighbours, so that the tabulator key finds what is next. */
function withFocused(range: Range, focused: number | null): number[] {
  const near = focused === null ? [] : [focused - 1, focused, focused + 1]
  const all = new Set([...defaultRangeExtractor(range), ...near.filter((it) => it >= 0 && it < range.count)])
  return [...all].sort((a, b) => a - b)
}
