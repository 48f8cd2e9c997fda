// Finds the tables of a text whose columns have names. The time is linear in the length of the text.
import { findHeaderRow, fitsAsHeader } from './column-names.ts'
import { headerLine, parseRowLine, type RowLine } from './row-line.ts'

export interface TextTable {
  /** UTF-16 offsets from the header to the end of the last row. */
  start: number
  end: number
  names: readonly string[]
  /** The lines that name the columns at the begin of a further piece of the table. */
  header: string
  rows: readonly TableRow[]
}

/** UTF-16 offsets of its line; the end is exclusive and without the line feed. */
export interface TableRow {
  start: number
  end: number
}

type Line = RowLine & TableRow

/** In their order. */
export function findTables(text: string): TextTable[] {
  if (!text.includes('|')) return []
  const found: TextTable[] = []
  let run: Line[] = []
  for (let start = 0; start <= text.length; ) {
    const feed = text.indexOf('\n', start)
    const end = feed === -1 ? text.length : feed
    const row = parseRowLine(text.slice(start, end))
    if (row !== null) run.push({ ...row, start, end })
    else if (run.length > 0) {
      found.push(...tablesOfRun(run))
      run = []
    }
    start = end + 1
  }
  return [...found, ...tablesOfRun(run)]
}

/** A header that is marked begins a table. Rows above the first one may have a header that is not marked. */
function tablesOfRun(run: readonly Line[]): TextTable[] {
  const marks = run.flatMap((line, at) => (isMarkedHeader(line, run[at - 1] ?? null, run[at + 1] ?? null) ? [at] : []))
  const unmarked = run.slice(0, marks[0] ?? run.length)
  const tables = marks.map((from, nth) => {
    const [header, ...rows] = run.slice(from, marks[nth + 1])
    return toTable(
      header,
      rows.filter((it) => !it.isSeparator),
    )
  })
  return [inferTable(unmarked), ...tables].flatMap((it) => it ?? [])
}

/** A line of dashes follows, or only the header is between bars. `before`, `next`: null for a line that is no row. */
export function isMarkedHeader(line: RowLine, before: RowLine | null, next: RowLine | null): boolean {
  if (next === null || line.isSeparator || !fitsAsHeader(line.cells)) return false
  // The last row of a table with bars is no header of what follows.
  return next.isSeparator || (line.isBarred && !next.isBarred && before?.isBarred !== true)
}

/** Only if all rows have the same number of cells: otherwise empty ones may have been left out. */
function inferTable(run: readonly Line[]): TextTable | null {
  const at = findHeaderRow(
    run.map((it) => it.cells),
    'text',
  )
  const [header, ...rows] = at === -1 ? [] : run.slice(at)
  return rows.every((it) => it.cells.length === header?.cells.length) ? toTable(header, rows) : null
}

function toTable(header: Line | undefined, rows: readonly Line[]): TextTable | null {
  const [first, last] = [rows[0], rows.at(-1)]
  if (header === undefined || first === undefined || last === undefined) return null
  const names = header.cells
  const dashes = first.isBarred ? `\n|${' --- |'.repeat(names.length)}` : ''
  const spans = rows.map(({ start, end }) => ({ start, end }))
  return { start: header.start, end: last.end, names, header: headerLine(names) + dashes, rows: spans }
}
