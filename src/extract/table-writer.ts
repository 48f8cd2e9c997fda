// Writes the rows of a table as lines. The header is marked by bars, see `text/tables/row-line.ts`.
import { findHeaderRow, fitsAsHeader, type HeaderRule, hasValue } from '../text/tables/column-names.ts'
import { bodyLine, headerLine, rowLine } from '../text/tables/row-line.ts'
import type { SectionWriter } from './section-writer.ts'

export interface TableWriter {
  /** `isHeader`: the file says that the row names the columns. */
  row(cells: readonly string[], given?: { isHeader: boolean }): void
  /** Empty rows: the header holds below them only for rows of the same form. */
  gap(): void
  end(): void
}

interface PendingRow {
  cells: string[]
  isHeader: boolean
}

interface Header {
  line: string
  width: number
  /** Empty columns before it are left out. */
  firstColumn: number
}

/** The header is among this many rows. */
const EXAMINED_ROWS = 20

/** `firstRule`: how the first table is examined if the file does not say which row is the header; null: not at all. */
export function createTableWriter(
  writer: Pick<SectionWriter, 'line' | 'row'>,
  firstRule: HeaderRule | null = null,
): TableWriter {
  let rule = firstRule
  let pending: PendingRow[] = []
  let isBegun = false
  let isAfterGap = false
  let header: Header | null = null

  const begin = () => {
    const rows = pending
    pending = []
    isBegun = true
    const found = findHeader(rows, rule)
    header = toHeader(rows, found)
    const at = header === null ? -1 : found
    for (const { cells } of rows.slice(0, Math.max(at, 0))) writePlain(writer, cells)
    if (header !== null) writer.line(header.line)
    for (const { cells } of rows.slice(at + 1)) write(cells)
    // Further tables of a sheet have names less often than the first one.
    if (rule !== null && rows.some((it) => it.cells.length > 1)) rule = 'text'
  }
  const write = (cells: readonly string[]) => {
    if (header === null) writePlain(writer, cells)
    else writer.row(bodyLine(cells.slice(emptyStart(cells, header.firstColumn))), header.line)
  }
  const end = () => {
    if (pending.length > 0) begin()
    isBegun = isAfterGap = false
    header = null
  }
  return {
    row(given, { isHeader } = { isHeader: false }) {
      const cells = withoutEmptyEnd(given)
      if (cells.length === 0) return
      if (isAfterGap && !continues(cells, header)) {
        end()
        writer.line('')
      }
      isAfterGap = false
      if (isBegun) return write(cells)
      pending.push({ cells, isHeader })
      if (pending.length === EXAMINED_ROWS) begin()
    },
    gap() {
      if (pending.length > 0) begin()
      isAfterGap = isBegun
    },
    end,
  }
}

const continues = (cells: readonly string[], header: Header | null): boolean =>
  header !== null && cells.length > 1 && cells.length <= header.width && hasValue(cells)

function writePlain(writer: Pick<SectionWriter, 'line'>, cells: readonly string[]): void {
  const line = rowLine(cells)
  if (line !== '') writer.line(line)
}

const emptyStart = (cells: readonly string[], columns: number): number =>
  cells.slice(0, columns).every((it) => it === '') ? columns : 0

function withoutEmptyEnd(given: readonly string[]): string[] {
  const cells = given.map((it) => it.replace(/\s+/g, ' ').trim())
  while (cells.at(-1) === '') cells.pop()
  return cells
}

/** The place of the header: the last of the first rows that are marked, or a row that looks like one; -1 without any. */
function findHeader(rows: readonly PendingRow[], rule: HeaderRule | null): number {
  const first = rows.findIndex((it) => it.isHeader)
  if (first >= 0) {
    const marked = rows.slice(first).findIndex((it) => !it.isHeader)
    return marked === -1 ? -1 : first + marked - 1
  }
  const firstColumn = firstFilledColumn(rows)
  if (rule === null) return -1
  return findHeaderRow(
    rows.map(({ cells }) => cells.slice(firstColumn)),
    rule,
  )
}

function toHeader(rows: readonly PendingRow[], at: number): Header | null {
  const firstColumn = firstFilledColumn(rows)
  const cells = rows[at]?.cells ?? []
  const names = cells.slice(firstColumn)
  return fitsAsHeader(names) ? { line: headerLine(names), width: cells.length, firstColumn } : null
}

const firstFilledColumn = (rows: readonly PendingRow[]): number =>
  Math.min(...rows.map(({ cells }) => cells.findIndex((it) => it !== '')))
