// Shows a match in a table as the names of the columns and the rows that match.
import type { ChunkWithMatches } from '../../search-index/search-index.ts'
import { findTables, type TextTable } from '../../text/tables/find-tables.ts'
import { parseRowLine } from '../../text/tables/row-line.ts'
import type { TermMatch } from '../../text/term-matcher.ts'
import { createSnippet, type Snippet, wordsOfSnippet } from './snippet.ts'

/** Every row has as many cells as the header. */
export interface TableExcerpt {
  header: Snippet[]
  rows: Snippet[][]
}

export const MAX_EXCERPT_ROWS = 3
export const MAX_EXCERPT_COLUMNS = 8

type Passage = Pick<ChunkWithMatches, 'content' | 'matches'>

/** Null unless a row with its header has as many words of the query as the snippet. */
export function excerptTable(passage: Passage): TableExcerpt | null {
  const { content, matches } = passage
  if (matches.length === 0) return null
  const [best] = findTables(content)
    .flatMap((table) => matchTable(passage, table) ?? [])
    .sort((one, other) => other.words - one.words)
  return best === undefined || best.words < wordsOfSnippet(passage) ? null : selectColumns(best)
}

interface TableMatch extends TableExcerpt {
  /** The number of words of the query in the header and the best row. */
  words: number
}

function matchTable(passage: Passage, table: TextTable): TableMatch | null {
  const headerEnd = passage.content.indexOf('\n', table.start)
  const header = { start: table.start, end: headerEnd === -1 ? table.end : headerEnd }
  const named = wordsIn(passage.matches, header)
  const rows = table.rows
    .map((span) => ({ span, own: wordsIn(passage.matches, span) }))
    .filter(({ own }) => own.size > 0)
    .map(({ span, own }) => ({ cells: readCells(passage, span), words: own.union(named).size }))
    // A bar in a cell would move the cells after it.
    .filter(({ cells }) => cells.length > 1 && cells.length <= table.names.length)
  const words = Math.max(0, ...rows.map((it) => it.words))
  const best = rows.filter((it) => it.words === words)
  if (best.length === 0) return null
  return { words, header: readCells(passage, header), rows: best.slice(0, MAX_EXCERPT_ROWS).map((it) => it.cells) }
}

interface Span {
  start: number
  end: number
}

const wordsIn = (matches: readonly TermMatch[], { start, end }: Span): Set<number> =>
  new Set(matches.filter((it) => it.start >= start && it.end <= end).map((it) => it.word))

/** A long cell is cut around the first matches in it. */
function readCells({ content, matches }: Passage, { start, end }: Span): Snippet[] {
  let at = start
  return (parseRowLine(content.slice(start, end))?.cells ?? []).map((text) => {
    const from = content.indexOf(text, at)
    at = from + text.length
    const own = matches.filter((it) => it.start >= from && it.end <= at)
    return createSnippet({
      content: text,
      matches: own.map((it) => ({ ...it, start: it.start - from, end: it.end - from })),
    })
  })
}

const EMPTY: Snippet = { text: '', highlights: [] }

/** A table with more columns is wider than a result. */
const NARROW_COLUMNS = 4

/** A wide table has its first column first, which names the rows, then those with matches, then the others. */
function selectColumns({ header, rows }: TableMatch): TableExcerpt {
  const isMatched = (column: number) => [header, ...rows].some((it) => (it[column]?.highlights.length ?? 0) > 0)
  const columns = header.map((_, column) => column)
  const wanted = columns.length > NARROW_COLUMNS ? [0, ...columns.filter(isMatched), ...columns] : columns
  const shown = [...new Set(wanted)].slice(0, MAX_EXCERPT_COLUMNS)
  const select = (cells: readonly Snippet[]) => shown.map((column) => cells[column] ?? EMPTY)
  return { header: select(header), rows: rows.map(select) }
}
