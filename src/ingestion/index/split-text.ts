// Cuts a long text where a reader would pause. A table is cut between rows, and each further piece begins with its header.
import { findTables, type TextTable } from '../../text/tables/find-tables.ts'

/** Yields trimmed pieces with at most `limit` UTF-16 units. */
export function* splitText(text: string, limit: number): Generator<string> {
  const tables = text.length > limit ? createTablePlaces(findTables(text)) : NO_TABLES
  let start = 0
  while (start < text.length) {
    const { header, end } = nextPiece(text, { start, limit }, tables)
    const piece = text.slice(start, end).trim()
    if (piece !== '') yield header + piece
    start = end
  }
}

interface PieceStart {
  start: number
  limit: number
}

function nextPiece(text: string, { start, limit }: PieceStart, tables: TablePlaces): { header: string; end: number } {
  const place = tables.find(start)
  if (place === null || start <= place.table.start) return { header: '', end: endOfPiece(text, start, limit, tables) }
  const { table, row } = place
  const own = table.rows[row]
  if (own !== undefined && start > own.start) {
    // Nobody knows the columns of the rest of a row, so it stays without header, and the next row begins a piece.
    const rowEnd = table.rows[row + 1]?.start ?? table.end
    return { header: '', end: Math.min(rowEnd, endOfPiece(text, start, limit, NO_TABLES)) }
  }
  const header = `${table.header}\n`
  return { header, end: endOfPiece(text, start, limit - header.length, tables) }
}

function endOfPiece(text: string, start: number, limit: number, tables: TablePlaces): number {
  if (text.length - start <= limit) return text.length
  const from = start + Math.floor(limit / 2)
  const half = text.slice(from, start + limit)
  return findBreak(half, (end) => tables.mayCut(from + end)) + from || cutTable(text, start, limit, tables)
}

const BREAKS = [/\n\s*\n/g, /[.!?]["')\]]*\s|[。！？]|\n/g, /\s/g]

/** The end of the last good break; NaN if there is none. */
function findBreak(half: string, mayCut: (end: number) => boolean): number {
  for (const pause of BREAKS) {
    let found = 0
    for (const match of half.matchAll(pause)) {
      const end = match.index + match[0].length
      if (mayCut(end)) found = end
    }
    if (found > 0) return found
  }
  return Number.NaN
}

/** A long row leaves a shorter piece before it. A row that is longer than a piece is cut like text. */
function cutTable(text: string, start: number, limit: number, tables: TablePlaces): number {
  const place = tables.find(start + limit)
  const { table, row } = place ?? {}
  const before = row === undefined || row < 1 ? table?.start : table?.rows[row]?.start
  if (before !== undefined && before > start) return before
  if (table !== undefined) return endOfPiece(text, start, limit, NO_TABLES)
  const hard = start + limit
  return isHighSurrogate(text.charCodeAt(hard - 1)) ? hard - 1 : hard
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

interface TablePlaces {
  /** The table at an offset and its last row that begins there or before; -1 for the header. */
  find(offset: number): { table: TextTable; row: number } | null
  /** Not within a row, and not between the header and the first row. */
  mayCut(offset: number): boolean
}

const NO_TABLES: TablePlaces = { find: () => null, mayCut: () => true }

function createTablePlaces(tables: readonly TextTable[]): TablePlaces {
  if (tables.length === 0) return NO_TABLES
  const find: TablePlaces['find'] = (offset) => {
    const table = tables[lastStart(tables, offset)]
    return table === undefined || offset >= table.end ? null : { table, row: lastStart(table.rows, offset) }
  }
  return {
    find,
    mayCut(offset) {
      const place = find(offset)
      if (place === null || offset === place.table.start) return true
      return place.row > 0 && place.table.rows[place.row]?.start === offset
    },
  }
}

/** The place of the last one that begins at the offset or before; -1 if there is none. */
function lastStart(sorted: readonly { start: number }[], offset: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.start ?? Number.POSITIVE_INFINITY) <= offset) low = middle + 1
    else high = middle
  }
  return low - 1
}
