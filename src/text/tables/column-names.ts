// Decides whether a row names the columns of the rows below it. A wrong header is worse than none.

/** The longest header that is repeated, in UTF-16 units. */
export const MAX_HEADER = 500
export const MAX_COLUMNS = 100
const MAX_NAME = 80
/** The header is looked for in this many rows; titles may stand above it. */
const MAX_ROWS_ABOVE = 5
/** The rows that are compared with the header. */
const EXAMINED_ROWS = 50

/** `spreadsheet`: the first row mostly has names. `text`: only a column of another kind below it shows that it has. */
export type HeaderRule = 'spreadsheet' | 'text'

/** Returns the place of the header in `rows`; -1 if none of the first rows is one. */
export function findHeaderRow(rows: readonly (readonly string[])[], rule: HeaderRule): number {
  const width = Math.max(0, ...rows.slice(0, EXAMINED_ROWS).map((it) => it.length))
  for (const [at, cells] of rows.slice(0, MAX_ROWS_ABOVE).entries()) {
    // The row that has the width of the table is the header or the first row of the content.
    if (cells.length === width && width > 1) return isHeader(cells, rows, { at, rule }) ? at : -1
  }
  return -1
}

function isHeader(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { at, rule }: { at: number; rule: HeaderRule },
): boolean {
  const body = rows.slice(at + 1, at + 1 + EXAMINED_ROWS)
  if (body.length < MIN_ROWS[rule] || names.length < MIN_COLUMNS[rule] || !fitsAsHeader(names) || !areNames(names))
    return false
  const columns = names.map((name, column) => ({ name, cells: filledCells(body, column) }))
  if (columns.some(({ name, cells }) => name !== '' && cells.includes(name))) return false
  if (columns.some(({ name, cells }) => isYear(name) && cells.length > 0 && cells.every(isYear))) return false
  return rule === 'spreadsheet' || columns.some(({ name, cells }) => isOfOtherKind(name, cells))
}

const MIN_ROWS: Record<HeaderRule, number> = { spreadsheet: 1, text: 3 }
/** In a text, two columns are often names and their values, without a header: "Owner | Ann", "Age | 40". */
const MIN_COLUMNS: Record<HeaderRule, number> = { spreadsheet: 2, text: 3 }

/** Whether the names are few and short enough to be repeated. */
export const fitsAsHeader = (names: readonly string[]): boolean =>
  names.length > 1 &&
  names.length <= MAX_COLUMNS &&
  names.reduce((sum, it) => sum + it.length + 3, 1) <= MAX_HEADER &&
  names.filter((it) => it !== '').length > 1

/** Distinct, short, and words or years. Only the corner above names of rows may be empty. */
function areNames(names: readonly string[]): boolean {
  const distinct = new Set(names.map((it) => it.toLowerCase()))
  if (distinct.size < names.length || !names.some(isName)) return false
  return names.every((it, at) => (it === '' ? at === 0 : isName(it) || isYear(it)))
}

const isName = (text: string): boolean => text.length <= MAX_NAME && /\p{L}/u.test(text) && !isValue(text)

/** Rows of content have values; a row of names has none. */
export const hasValue = (cells: readonly string[]): boolean => cells.some(isValue)

const isYear = (text: string): boolean => /^(?:19|20)\d\d$/.test(text)

const filledCells = (rows: readonly (readonly string[])[], column: number): string[] =>
  rows.flatMap((it) => it[column] || [])

const MIN_SHARE = 0.8
const LONG_TEXT_WORDS = 5
const MAX_NAME_WORDS = 3

/** Values or sentences below a name. */
function isOfOtherKind(name: string, cells: readonly string[]): boolean {
  if (cells.length < 2) return false
  const most = cells.length * MIN_SHARE
  if (cells.filter(isValue).length >= most) return !isValue(name) || isYear(name)
  return wordCount(name) <= MAX_NAME_WORDS && cells.filter((it) => wordCount(it) >= LONG_TEXT_WORDS).length >= most
}

const wordCount = (text: string): number => text.split(' ').length

const MAX_UNIT = 4

/** A number, a date, an amount with its unit, or an answer such as "yes". */
function isValue(text: string): boolean {
  if (text.length > MAX_NAME) return false
  if (!/\d/.test(text)) return /^(?:true|false|yes|no|ja|nein|x|✓|✔)$/i.test(text)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return letters === 0 || (letters <= MAX_UNIT && (/^[\d\p{Sc}+(-]/u.test(text) || /^[A-Z]{3} \d/.test(text)))
}
