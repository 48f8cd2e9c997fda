// The columns of the cells of a table, some of which reach over several columns or rows.
import { attributeValue, type HtmlElement } from './html-tree.ts'

const MAX_SPAN = 60
const MAX_ROWS = 1_000
const MAX_COLUMNS = 300

export interface RowColumns {
  /** Returns how many columns before the cell are taken by other cells. */
  begin(cell: HtmlElement): number
  endRow(): void
}

export function createRowColumns(): RowColumns {
  /** For each column, how many further rows the cell above reaches over. */
  const below: number[] = []
  let column = 0
  let pending = 0
  const isTaken = () => (below[column] ?? 0) > 0
  const skip = () => {
    let skipped = 0
    for (; isTaken(); column++, skipped++) below[column] = (below[column] ?? 0) - 1
    return skipped
  }
  return {
    begin(cell) {
      const before = pending + skip()
      const columns = spanOf(cell, 'colspan', MAX_SPAN)
      const rows = spanOf(cell, 'rowspan', MAX_ROWS)
      for (let at = column; at < Math.min(column + columns, MAX_COLUMNS); at++) below[at] = rows - 1
      column += columns
      pending = columns - 1
      return before
    },
    endRow() {
      for (; column < below.length; column++) if (isTaken()) below[column] = (below[column] ?? 0) - 1
      column = 0
      pending = 0
    },
  }
}

function spanOf(cell: HtmlElement, name: 'colspan' | 'rowspan', max: number): number {
  const span = Math.floor(Number(attributeValue(cell, name)))
  return span >= 1 ? Math.min(span, max) : 1
}
