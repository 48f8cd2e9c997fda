import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

export interface TableSizes {
  /** False in a dialog and in other parts of a page that scroll by themselves. */
  scrollsWithWindow: boolean
  /** The mean height of the rows that were measured, in pixels. */
  rowHeight: number
  /** The width of each column, in percent of the table. */
  widths: readonly number[]
}

/**
 * The sizes that a table has while it draws its first rows. They keep the columns where they are when other rows take
 * the place of the first ones. Null until they are measured: the table draws its first rows then.
 */
export function useTableSizes(columns: number, isNeeded: boolean) {
  const table = useRef<HTMLTableElement>(null)
  const [sizes, setSizes] = useState<TableSizes | null>(null)
  const known = sizes?.widths.length === columns ? sizes : null
  useLayoutEffect(() => {
    if (!isNeeded || known !== null || table.current === null) return
    setSizes(measure(table))
    // A table in a closed section has no size yet.
    const observer = new ResizeObserver(() => setSizes(measure(table)))
    observer.observe(table.current)
    return () => observer.disconnect()
  }, [isNeeded, known])
  return { table, sizes: isNeeded ? known : null }
}

function measure({ current: table }: RefObject<HTMLTableElement | null>): TableSizes | null {
  const body = table?.tBodies[0]
  const headings = [...(table?.tHead?.rows[0]?.cells ?? [])].map((it) => it.getBoundingClientRect().width)
  const total = headings.reduce((sum, it) => sum + it, 0)
  if (table == null || body === undefined || total === 0) return null
  return {
    scrollsWithWindow: !isInScroller(table),
    rowHeight: body.getBoundingClientRect().height / body.rows.length,
    widths: headings.map((it) => (100 * it) / total),
  }
}

/** Whether a part of the page with a height of its own holds the element. Parts that only scroll sideways have none. */
function isInScroller(element: HTMLElement): boolean {
  const parent = element.parentElement
  if (parent === null || parent === document.body) return false
  const { overflowY, maxHeight } = getComputedStyle(parent)
  return (overflowY !== 'visible' && maxHeight !== 'none') || isInScroller(parent)
}
