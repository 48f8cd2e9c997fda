// One score out of words and meaning: a sum of both, each as a share of what its list reaches.
import type { Candidate, Candidates, Range } from './candidates.ts'

/** Measured on six collections (docs/ranking.md): .3 to .5 hardly differ, by ranks (RRF) it is 2 to 5 points worse. */
export const MEANING_WEIGHT = 0.4

export const PARTS = ['words', 'meaning', 'proximity', 'recency', 'boost', 'pin'] as const
export type PartName = (typeof PARTS)[number]

/** What adds to a score. They sum to it. */
export interface Part {
  name: PartName
  value: number
  /** What it comes from, as a number: the share of the words, the similarity, the factor of a boost. */
  from: number | null
}

export interface Ranked extends Candidate {
  score: number
  parts: Part[]
}

/**
 * Best first; equals by id. A document without a vector is not known to mean anything else than it says: its words stand
 * in for its meaning, so that it does not lose to those that were embedded before it.
 */
export function fuse({ candidates, words, meaning }: Candidates, by: 'words' | 'both'): Ranked[] {
  const weight = by === 'both' ? MEANING_WEIGHT : 0
  const ranked = candidates.map((candidate) => {
    const said = candidate.words === null ? 0 : shareOf(candidate.words, words)
    const parts: Part[] = [{ name: 'words', value: (1 - weight) * said, from: candidate.words === null ? null : said }]
    if (by === 'both') {
      const meant = candidate.meaning === null ? said : shareOf(candidate.meaning, meaning)
      parts.push({ name: 'meaning', value: weight * meant, from: candidate.meaning })
    }
    return withParts(candidate, parts)
  })
  return ranked.sort(byScore)
}

/** Field by field, as it is made some hundred times for a search: to spread an object takes several times as long. */
export const withParts = (candidate: Candidate, parts: Part[]): Ranked => ({
  document_id: candidate.document_id,
  updated_at: candidate.updated_at,
  language: candidate.language,
  passages: candidate.passages,
  words: candidate.words,
  meaning: candidate.meaning,
  parts,
  score: parts.reduce((sum, it) => sum + it.value, 0),
})

export const byScore = (one: Ranked, other: Ranked): number =>
  other.score - one.score || (one.document_id < other.document_id ? -1 : 1)

/** From 0, the least of the list, to 1, the most. Where all are the same, all have the most. */
function shareOf(score: number, { least, most }: Range): number {
  if (score >= most) return 1
  return Math.max(0, (score - least) / (most - least))
}
