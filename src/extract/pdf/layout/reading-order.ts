// Puts the lines of a page with columns in the order in which they are read. Other pages keep the order of the file.
import { type Column, findColumns } from './columns.ts'
import type { PageLine } from './page-lines.ts'

/** A line from the margin of a column to beyond its other margin belongs to all columns. In widths of the column. */
const MIN_SHARE = 0.1

export function inReadingOrder(lines: readonly PageLine[]): readonly PageLine[] {
  const placed = lines.filter((it) => !it.isTurned)
  const columns = findColumns(placed)
  if (columns === null) return lines
  const wide: PageLine[] = []
  const byColumn: PageLine[][] = columns.map(() => [])
  for (const line of placed) {
    const pieces = splitLine(line, columns)
    if (pieces === 'wide') wide.push(line)
    else for (const { column, piece } of pieces) byColumn[column]?.push(piece)
  }
  return [...inBands(wide, byColumn.map(inRuns)), ...lines.filter((it) => it.isTurned)]
}

function splitLine(line: PageLine, columns: readonly Column[]): 'wide' | { column: number; piece: PageLine }[] {
  const pieces: { column: number; piece: PageLine }[] = []
  for (const part of line.parts) {
    const column = columnOf(part, columns)
    if (column === -1) return 'wide'
    const last = pieces.at(-1)
    if (last?.column === column) last.piece = joined(last.piece, { ...line, ...part, parts: [part] })
    else pieces.push({ column, piece: line.parts.length === 1 ? line : { ...line, ...part, parts: [part] } })
  }
  // A row of a table has more cells than the page has columns.
  return pieces.length > 1 && line.parts.length > columns.length ? 'wide' : pieces
}

const joined = (first: PageLine, second: PageLine): PageLine => ({
  ...first,
  text: `${first.text} ${second.text}`,
  right: second.right,
  parts: [...first.parts, ...second.parts],
})

/** -1 if it belongs to several. */
function columnOf({ left, right }: { left: number; right: number }, columns: readonly Column[]): number {
  const shares = columns.map((it) => (Math.min(right, it.right) - Math.max(left, it.left)) / (it.right - it.left))
  const most = shares.indexOf(Math.max(...shares))
  return shares.some((it, at) => at !== most && it > MIN_SHARE) ? -1 : most
}

/** In sizes of the font. */
const MAX_RISE = 1.5

/** Lines that the file has in one go stay together: formulas and cells go up and down within them. */
function inRuns(lines: readonly PageLine[]): PageLine[] {
  const runs: PageLine[][] = []
  let lowest = Number.NEGATIVE_INFINITY
  for (const line of lines) {
    if (line.baseline > lowest + line.size * MAX_RISE) {
      runs.push([])
      lowest = line.baseline
    }
    runs.at(-1)?.push(line)
    lowest = Math.min(lowest, line.baseline)
  }
  return runs.toSorted((a, b) => topOf(b) - topOf(a)).flat()
}

const topOf = (run: readonly PageLine[]): number => run[0]?.baseline ?? 0

/** Columns are read down to the next wide line. */
function inBands(wide: readonly PageLine[], columns: readonly (readonly PageLine[])[]): PageLine[] {
  const separators = wide.toSorted((a, b) => b.baseline - a.baseline)
  const bands: PageLine[][][] = [...separators, null].map(() => columns.map(() => []))
  for (const [column, lines] of columns.entries())
    for (const line of lines) bands[countAbove(separators, line.baseline)]?.[column]?.push(line)
  return bands.flatMap((band, at) => [...band.flat(), ...separators.slice(at, at + 1)])
}

/** How many of the sorted lines are above the height. */
function countAbove(sorted: readonly PageLine[], height: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.baseline ?? Number.NEGATIVE_INFINITY) > height) low = middle + 1
    else high = middle
  }
  return low
}
