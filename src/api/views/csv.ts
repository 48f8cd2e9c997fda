// CSV rows (RFC 4180). Cells that a spreadsheet would evaluate as formulas are escaped.

/** https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/

export const csvRow = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join()}\r\n`

function csvCell(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
