// Reads the tables of OpenDocument files: rows of sheets, and tables of texts and slides.
import { rowLine } from '../../text/tables/row-line.ts'
import { chargeBudget, type ReaderContext } from '../reader.ts'
import type { SectionWriter } from '../section-writer.ts'
import { createTableWriter } from '../table-writer.ts'
import { type Attributes, attributeNamed } from '../xml/xml-parser.ts'

export interface OdfTables {
  /** False if the element is no part of a table. */
  open(name: string, attributes: Attributes): boolean
  close(name: string): void
  /** False if no cell is open. */
  addToCell(text: string): boolean
  isSpreadsheet(): boolean
}

export function createOdfTables({ budget }: Pick<ReaderContext, 'budget'>, writer: SectionWriter): OdfTables {
  const rows = createOpenRows()
  let table = createTableWriter(writer)
  let isSpreadsheet = false
  let isHeader = false

  const endRow = () => {
    const cells = rows.end()
    const text = rowLine(cells)
    if (rows.addToCell(`${text}; `)) return
    if (isSpreadsheet && text === '') table.gap()
    else table.row(cells, { isHeader })
  }
  return {
    open(name, attributes) {
      if (name === 'spreadsheet') isSpreadsheet = true
      else if (name === 'table-row') rows.begin()
      else if (name === 'table-header-rows') isHeader = true
      else if (name === 'table-cell' || name === 'covered-table-cell') {
        // A repeated cell counts once.
        chargeBudget(budget, 'cells')
        rows.beginCell(Number(attributeNamed(attributes, 'number-columns-repeated') ?? 1) || 1)
      } else if (name === 'table' && rows.isEmpty()) {
        table = createTableWriter(writer, isSpreadsheet ? 'spreadsheet' : 'text')
        isHeader = false
      } else return false
      return true
    },
    close(name) {
      if (name === 'table-row') endRow()
      else if (name === 'table-header-rows') isHeader = false
      else if (name === 'table' && rows.isEmpty()) table.end()
    },
    addToCell: rows.addToCell,
    isSpreadsheet: () => isSpreadsheet,
  }
}

/** Further columns of a repeated cell are left out. */
const MAX_REPEATED = 200

/** The open rows of tables, which may be nested: the row of an inner table is inside a cell of the outer one. */
function createOpenRows() {
  const rows: { text: string; columns: number }[][] = []
  return {
    isEmpty: () => rows.length === 0,
    begin: () => void rows.push([]),
    /** `columns`: how often the cell is repeated. */
    beginCell: (columns: number) => void rows.at(-1)?.push({ text: '', columns }),
    /** Returns whether a cell is open. */
    addToCell(text: string): boolean {
      const cell = rows.at(-1)?.at(-1)
      if (cell === undefined) return false
      cell.text += text
      return true
    },
    /** Returns the cells of the innermost row. */
    end: () => (rows.pop() ?? []).flatMap(columnsOf),
  }
}

/** The text of a repeated cell stands in its first column. */
function columnsOf({ text, columns }: { text: string; columns: number }): string[] {
  const repeated = Array.from({ length: columns > MAX_REPEATED ? 0 : columns - 1 }, () => '')
  if (text.trim() !== '') return [text, ...repeated]
  return columns > MAX_REPEATED ? [] : ['', ...repeated]
}
