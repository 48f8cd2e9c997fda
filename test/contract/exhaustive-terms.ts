// The term lookup of the port, implemented without an index.
import { mayRead } from '../../src/domain/access.ts'
import type { TermsQuery } from '../../src/domain/search/query.ts'
import type { IndexDocument, TermSuggestion } from '../../src/search-index/search-index.ts'
import { eachWordForm } from '../../src/text/analyze.ts'
import { normalizeWord } from '../../src/text/normalize.ts'
import { languageOf, meets } from './exhaustive-index.ts'

interface Seen {
  id: string
  word: string
  term: string
  spelling: string
}

export function expectedTerms(documents: readonly IndexDocument[], query: TermsQuery): TermSuggestion[] {
  const seen = documents
    .filter((it) => mayRead(query.access, it.access) && meets(it, query.filters))
    .flatMap((document) => seenIn(document))
  const wanted = plain('prefix' in query ? query.prefix : query.near)
  const found = [...new Set(seen.map((it) => it.word))].flatMap((word) => {
    const edits = 'prefix' in query ? (word.startsWith(wanted) ? 0 : 9) : editsBetween([...wanted], [...word])
    if (edits > ('prefix' in query ? 0 : query.max_edits)) return []
    const own = seen.filter((it) => it.word === word)
    const terms = new Set(own.map((it) => it.term))
    const documents = new Set(seen.filter((it) => terms.has(it.term)).map((it) => it.id)).size
    return [{ term: word, spelling: commonest(own), edits, documents }]
  })
  found.sort((a, b) => a.edits - b.edits || b.documents - a.documents || (a.term < b.term ? -1 : 1))
  return found.slice(0, query.limit)
}

function seenIn(document: IndexDocument): Seen[] {
  const seen: Seen[] = []
  for (const text of [document.title, ...document.chunks.map((it) => it.content)]) {
    eachWordForm(text, languageOf(document), ({ word, terms }, written) => {
      const spelling = normalizeWord(written)
      for (const term of terms) seen.push({ id: document.document_id, word, term, spelling })
    })
  }
  return seen
}

/** Counts each term of a word separately. */
function commonest(seen: readonly Seen[]): string {
  const counts = new Map<string, { spelling: string; count: number }>()
  for (const { term, spelling } of seen) {
    const key = JSON.stringify([term, spelling])
    counts.set(key, { spelling, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.spelling < b.spelling ? -1 : 1))[0]!.spelling
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')

/**
 * Returns the number of letters inserted, deleted, replaced, or swapped with their neighbour. Stops counting at the
 * limit.
 */
function editsBetween(one: readonly string[], other: readonly string[], limit = 3): number {
  if (one.length === 0 || other.length === 0) return one.length + other.length
  if (one[0] === other[0]) return editsBetween(one.slice(1), other.slice(1), limit)
  if (limit === 0) return 1
  const rest = [
    editsBetween(one.slice(1), other.slice(1), limit - 1),
    editsBetween(one.slice(1), other, limit - 1),
    editsBetween(one, other.slice(1), limit - 1),
  ]
  const isExchange = one[0] === other[1] && one[1] === other[0]
  if (isExchange) rest.push(editsBetween(one.slice(2), other.slice(2), limit - 1))
  return 1 + Math.min(...rest)
}
