// Why does a document stand where it stands? In words for everyone, in numbers for who looks after the search.
import type { Part, PartName, Ranked } from './fuse.ts'

export interface Explanation {
  /** A sentence for each reason, the strongest first. */
  words: string[]
  /** What adds to the score, to the last digit. */
  parts: Part[]
}

export function explain({ parts, words, meaning }: Ranked, by: 'words' | 'both' | 'date'): Explanation {
  if (by === 'date') return { words: ['It meets the conditions. The newest stand first.'], parts: [] }
  if (parts.length === 0)
    return { words: ['It holds words of the query, behind those that hold them best.'], parts: [] }
  const told = parts
    .filter((it) => it.value !== 0)
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map((it) => SENTENCES[it.name](it))
  const notes = by === 'both' && meaning === null ? ['Its meaning is not known yet, so its words count for it.'] : []
  if (words === null) notes.push('It holds no word of the query.')
  return { words: [...told, ...notes], parts }
}

const SENTENCES: Record<PartName, (part: Part) => string> = {
  words: ({ from }) => `It holds words of the query${degree(from ?? 0)}.`,
  meaning: ({ from }) =>
    from === null ? 'Its words stand in for its meaning.' : `It means something ${likeness(from)}.`,
  proximity: () => 'Words of the query stand together in it.',
  recency: ({ value }) => (value < 0 ? 'It is old, which counts against it here.' : 'It is new.'),
  boost: ({ value }) => (value < 0 ? 'An administrator put it back.' : 'An administrator put it forward.'),
  pin: () => 'An administrator put it first for this query.',
}

const degree = (share: number): string =>
  share >= 0.999 ? ', more of them than any other' : share >= 0.5 ? ', many of them' : ''
const likeness = (similarity: number): string =>
  similarity >= 0.6 ? 'very like the query' : similarity >= 0.4 ? 'like the query' : 'near the query'
