// Word lookup in the plain index, by reading everything that the caller may read.
import { mayRead } from '../../domain/access.ts'
import type { TermsQuery } from '../../domain/search/query.ts'
import { eachWordForm } from '../../text/analyze.ts'
import { normalizeAndFold, normalizeWord } from '../../text/normalize.ts'
import type { TermSuggestion } from '../search-index.ts'
import type { AnalyzedDocument } from './analyzed-document.ts'
import { meetsFilters } from './filters.ts'

/** For each term that stands for a word, the count of each spelling. */
type Spellings = Map<string, Map<string, number>>

export function findPlainTerms(documents: Iterable<AnalyzedDocument>, query: TermsQuery): TermSuggestion[] {
  const readable = [...documents].filter(
    ({ document }) => mayRead(query.access, document.access) && meetsFilters(document, query.filters),
  )
  const editsOf =
    'prefix' in query
      ? prefixDistance(normalizeAndFold(query.prefix))
      : fuzzyDistance(normalizeAndFold(query.near), query.max_edits)
  const found: TermSuggestion[] = []
  for (const [term, spellings] of collectWords(readable)) {
    const edits = editsOf(term)
    if (edits === undefined) continue
    const holds = ({ passages }: AnalyzedDocument) =>
      passages.some((piece) => [...spellings.keys()].some((it) => piece.counts.has(it)))
    found.push({ term, spelling: mostFrequentSpelling(spellings), edits, documents: readable.filter(holds).length })
  }
  return found
    .sort((a, b) => a.edits - b.edits || b.documents - a.documents || (a.term < b.term ? -1 : 1))
    .slice(0, query.limit)
}

const prefixDistance = (prefix: string) => (word: string) => (word.startsWith(prefix) ? 0 : undefined)

const fuzzyDistance = (wanted: string, maxEdits: number) => (word: string) => {
  const edits = editDistance(wanted, word)
  return edits <= maxEdits ? edits : undefined
}

function collectWords(documents: readonly AnalyzedDocument[]): Map<string, Spellings> {
  const words = new Map<string, Spellings>()
  for (const { document, language, passages } of documents) {
    for (const text of [document.title, ...passages.map((it) => it.chunk.content)]) {
      eachWordForm(text, language, ({ word, terms }, written) => {
        const spelling = normalizeWord(written)
        for (const term of terms) {
          const byTerm: Spellings = words.get(word) ?? new Map()
          const counts = byTerm.get(term) ?? new Map<string, number>()
          words.set(word, byTerm.set(term, counts.set(spelling, (counts.get(spelling) ?? 0) + 1)))
        }
      })
    }
  }
  return words
}

function mostFrequentSpelling(spellings: Spellings): string {
  const all = [...spellings.values()].flatMap((it) => [...it].map(([spelling, count]) => ({ spelling, count })))
  const isBefore = (one: (typeof all)[number], other: (typeof all)[number]) =>
    one.count > other.count || (one.count === other.count && one.spelling < other.spelling)
  return all.reduce((best, it) => (isBefore(it, best) ? it : best)).spelling
}

/** Edit distance by optimal string alignment, as its definition says. */
function editDistance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]]
  const known = new Map<number, number>()
  /** The distance between the first `i` letters of one word and the first `j` of the other. */
  const distance = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const key = i * (b.length + 1) + j
    const found = known.get(key) ?? smallest(i, j)
    known.set(key, found)
    return found
  }
  const smallest = (i: number, j: number): number => {
    const cost = a[i - 1] === b[j - 1] ? 0 : 1
    const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    const exchanged = isExchange ? distance(i - 2, j - 2) + 1 : Infinity
    return Math.min(distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + cost, exchanged)
  }
  return distance(a.length, b.length)
}
