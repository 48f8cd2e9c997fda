// The words of the plain index, by reading everything that the asker may read.
import { mayRead } from '../domain/access.ts'
import type { TermsQuery } from '../domain/query.ts'
import { eachForm } from '../text/analyze.ts'
import { folded, normalized } from '../text/fold.ts'
import type { Entry } from './pieces.ts'
import { meets } from './plain-filters.ts'
import type { FoundTerm } from './search-index.ts'

/** For each term that stands for a word, how often it is spelled how. */
type Spellings = Map<string, Map<string, number>>

export function findTerms(entries: Iterable<Entry>, query: TermsQuery): FoundTerm[] {
  const readable = [...entries].filter(
    ({ document }) => mayRead(query.access, document.access) && meets(document, query.filters),
  )
  const editsOf = 'prefix' in query ? prefixed(folded(query.prefix)) : near(folded(query.near), query.max_edits)
  const found: FoundTerm[] = []
  for (const [term, spellings] of seenWords(readable)) {
    const edits = editsOf(term)
    if (edits === undefined) continue
    const holds = ({ pieces }: Entry) =>
      pieces.some((piece) => [...spellings.keys()].some((it) => piece.counts.has(it)))
    found.push({ term, spelling: commonest(spellings), edits, documents: readable.filter(holds).length })
  }
  return found
    .sort((a, b) => a.edits - b.edits || b.documents - a.documents || (a.term < b.term ? -1 : 1))
    .slice(0, query.limit)
}

const prefixed = (prefix: string) => (word: string) => (word.startsWith(prefix) ? 0 : undefined)

const near = (wanted: string, maxEdits: number) => (word: string) => {
  const edits = editsBetween(wanted, word)
  return edits <= maxEdits ? edits : undefined
}

function seenWords(entries: readonly Entry[]): Map<string, Spellings> {
  const words = new Map<string, Spellings>()
  for (const { document, language, pieces } of entries) {
    for (const text of [document.title, ...pieces.map((it) => it.chunk.content)]) {
      eachForm(text, language, ({ word, terms }, written) => {
        const spelling = normalized(written)
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

function commonest(spellings: Spellings): string {
  const all = [...spellings.values()].flatMap((it) => [...it])
  all.sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return all[0]![0]
}

/** Optimal string alignment, cell by cell. */
function editsBetween(one: string, other: string): number {
  const [a, b] = [[...one], [...other]]
  const d = [0, ...a].map((_, i) => [0, ...b].map((_, j) => (i === 0 ? j : i)))
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      d[i]![j] = Math.min(d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, d[i - 1]![j - 1]! + cost)
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isExchange) d[i]![j] = Math.min(d[i]![j]!, d[i - 2]![j - 2]! + 1)
    }
  }
  return d[a.length]![b.length]!
}
