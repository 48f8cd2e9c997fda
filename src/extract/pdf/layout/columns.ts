// Finds the columns of text of a page by the gutters between them. A wrong column is worse than none.
import type { PageLine } from './page-lines.ts'

export interface Column {
  left: number
  right: number
}

/** Real pages of text have more. */
const MIN_LINES = 6
/** The page is looked at in this many stripes. */
const STRIPES = 400
/** Wider parts of lines are no lines of a column. In widths of the text. */
const MAX_PART = 0.6
/** Lines that may cross a gutter, in shares of all: formulas and tables do. */
const MAX_CROSSING = 0.03
/** In points, and in shares of the width of the text. */
const MIN_GUTTER = 6
const MARGIN = 0.15
const MAX_COLUMNS = 3
/** Notes in the margin are narrower, in shares of the widest column. */
const MIN_WIDTH = 0.6

/** From left to right. Null if the page has one, or if it is not sure. */
export function findColumns(lines: readonly PageLine[]): Column[] | null {
  if (lines.length < MIN_LINES) return null
  let left = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  for (const line of lines) {
    left = Math.min(left, line.left)
    right = Math.max(right, line.right)
  }
  const width = right - left
  if (!(width > 0)) return null
  const gutters = findGutters(lines, { left, width })
  if (gutters.length === 0 || gutters.length >= MAX_COLUMNS) return null
  const columns = [...gutters, { left: right, right }].map((gutter, at) => ({
    left: gutters[at - 1]?.right ?? left,
    right: gutter.left,
  }))
  const widths = columns.map((it) => it.right - it.left)
  if (Math.min(...widths) < Math.max(...widths) * MIN_WIDTH) return null
  // Where the file has one line across the columns, they may be those of a table.
  const shared = lines.filter(({ parts }) => parts.length > 1).length
  const minFull = shared * 3 > lines.length ? MIN_FULL_OF_ROWS : MIN_FULL
  return columns.every((it) => isText(lines, it, minFull)) ? columns : null
}

function findGutters(lines: readonly PageLine[], { left, width }: { left: number; width: number }): Column[] {
  const stripe = width / STRIPES
  const changes = new Int32Array(STRIPES + 1)
  let count = 0
  for (const { parts } of lines)
    for (const part of parts) {
      if (part.right - part.left > width * MAX_PART) continue
      count++
      const first = Math.floor((part.left - left) / stripe)
      const last = Math.min(STRIPES - 1, Math.floor((part.right - left) / stripe))
      changes[first] = (changes[first] ?? 0) + 1
      changes[last + 1] = (changes[last + 1] ?? 0) - 1
    }
  const most = Math.floor(count * MAX_CROSSING)
  const gutters: Column[] = []
  let covering = 0
  let from = -1
  for (let at = 0; at <= STRIPES; at++) {
    covering += changes[at] ?? 0
    const isFree = covering <= most && at < STRIPES
    if (isFree && from === -1) from = at
    if (isFree || from === -1) continue
    const gutter = { left: left + from * stripe, right: left + at * stripe }
    if (gutter.right - gutter.left >= MIN_GUTTER && from > STRIPES * MARGIN && at < STRIPES * (1 - MARGIN))
      gutters.push(gutter)
    from = -1
  }
  return gutters
}

const MIN_COLUMN_LINES = 6
const MIN_FULL = 0.4
const MIN_FULL_OF_ROWS = 0.65
const FULL_WIDTH = 0.7
const FULL_CHARACTERS = 20
/** In points: parts begin and end within the column. */
const TOLERANCE = 2

/** Many lines fill the width with text. The cells of a table do not. */
function isText(lines: readonly PageLine[], { left, right }: Column, minFull: number): boolean {
  let count = 0
  let full = 0
  for (const { parts } of lines)
    for (const part of parts) {
      if (part.left < left - TOLERANCE || part.right > right + TOLERANCE) continue
      count++
      if (part.right - part.left >= (right - left) * FULL_WIDTH && part.text.length >= FULL_CHARACTERS) full++
    }
  return count >= MIN_COLUMN_LINES && full >= count * minFull
}
