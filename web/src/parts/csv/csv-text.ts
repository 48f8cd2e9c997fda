// Records as CSV (RFC 4180), as the API writes them. Cells that a spreadsheet would evaluate as formulas are escaped.

type Value = string | number | boolean | null
/** Each name is the heading of a column. A list stands in one cell, separated by semicolons. */
export type CsvRecord = Readonly<Record<string, Value | readonly Value[]>>

/** https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/

/** The columns are those of the first record. */
export function csvText(records: readonly CsvRecord[]): string {
  const names = Object.keys(records[0] ?? {})
  const lines = [names, ...records.map((it) => names.map((name) => it[name] ?? null))]
  return lines.map((cells) => `${cells.map(csvCell).join()}\r\n`).join('')
}

function csvCell(cell: CsvRecord[string]): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = withoutFormula(typeof cell === 'object' ? cell.join(';') : String(cell))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
