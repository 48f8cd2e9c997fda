// Writes the lines of a page, and those that are rows as rows of their tables.
import type { SectionWriter } from '../section-writer.ts'
import { createTableWriter } from '../table-writer.ts'
import type { HtmlElement } from './html-tree.ts'
import { createRowColumns } from './row-columns.ts'

/** Begins a cell within a line. No text of a page has it. */
export const CELL_MARK = '\0'

export interface TableLines {
  /** Outside of the cells of another table. */
  beginTable(): void
  endTable(): void
  /** `isOpen`: the element `thead` begins. */
  markHeader(isOpen: boolean): void
  /** Returns the marks of the cell and of the columns before it that other cells take. */
  beginCell(cell: HtmlElement): string
  line(text: string): void
}

export function createTableLines(writer: SectionWriter): TableLines {
  const table = createTableWriter(writer, 'text')
  let columns = createRowColumns()
  let isInHeader = false
  let isNamed = true
  const endRow = () => {
    columns.endRow()
    isNamed = true
  }
  const endTable = () => {
    table.end()
    columns = createRowColumns()
    isInHeader = false
    isNamed = true
  }
  return {
    beginTable: endTable,
    endTable,
    markHeader(isOpen) {
      isInHeader = isOpen
    },
    beginCell(cell) {
      isNamed &&= cell.name === 'th'
      return CELL_MARK.repeat(columns.begin(cell) + 1)
    },
    line(text) {
      const [before = '', ...cells] = text.split(CELL_MARK)
      if (cells.length === 0) {
        if (text === '' || text === '-' || /^[| ]+$/.test(text)) return
        table.end()
        return writer.line(text)
      }
      // A name at the side of a row is no header, nor is a title above all columns.
      const isHeader = (isInHeader || isNamed) && cells.filter((it) => it.trim() !== '').length > 1
      table.row(before.trim() === '' ? cells : [before, ...cells], { isHeader })
      endRow()
    },
  }
}
