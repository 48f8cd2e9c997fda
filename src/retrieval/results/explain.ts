// Explains the rank of a result: sentences for everyone, numbers for administrators.
import type { RankedDocument, ScorePart, ScorePartName } from '../ranking/fuse.ts'

export interface Explanation {
  /** One sentence per reason, the strongest first. */
  words: string[]
  /** The exact addends of the score. */
  parts: ScorePart[]
}

export function explainRank(
  { parts, lexicalScore, semanticScore }: RankedDocument,
  by: 'words' | 'both' | 'date',
): Explanation {
  if (by === 'date') return { words: ['It matches the query. Results are sorted by date.'], parts: [] }
  if (parts.length === 0)
    return { words: ['It contains words of the query, but ranks below the best keyword matches.'], parts: [] }
  const sentences = parts
    .filter((it) => it.value !== 0)
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .map((it) => SENTENCES[it.name](it))
  const notes =
    by === 'both' && semanticScore === null ? ['Ranked by keywords only: the semantic index is still being built.'] : []
  if (lexicalScore === null) notes.push('It contains none of the words of the query.')
  return { words: [...sentences, ...notes], parts }
}

const SENTENCES: Record<ScorePartName, (part: ScorePart) => string> = {
  words: ({ from }) => `It contains words of the query${shareSuffix(from ?? 0)}.`,
  meaning: ({ from }) =>
    from === null ? 'Its keyword score stands in for its semantic score.' : `Its meaning is ${similarityPhrase(from)}.`,
  proximity: () => 'Words of the query appear close together.',
  recency: ({ value }) => (value < 0 ? 'It is old, which lowers its rank.' : 'It is new.'),
  boost: ({ value }) => (value < 0 ? 'An administrator lowered its rank.' : 'An administrator raised its rank.'),
  pin: () => 'An administrator pinned it to this query.',
}

const shareSuffix = (share: number): string =>
  share >= 0.999 ? ', more of them than any other' : share >= 0.5 ? ', many of them' : ''
const similarityPhrase = (similarity: number): string =>
  similarity >= 0.6
    ? 'very close to the query'
    : similarity >= 0.4
      ? 'close to the query'
      : 'somewhat close to the query'
