// Combines the lexical and the semantic score into a weighted sum of normalized scores.
import type { CandidateSet, RankingCandidate } from '../../search-index/search-index.ts'
import { type SemanticWeights, weighScores } from '../../search-index/weigh-scores.ts'

export const SCORE_PARTS = [
  'words',
  'meaning',
  'proximity',
  'title',
  'links',
  'kind',
  'chosen',
  'opened',
  'linked',
  'recency',
  'freshness',
  'boost',
  'pin',
] as const
export type ScorePartName = (typeof SCORE_PARTS)[number]

/** One addend of a score. */
export interface ScorePart {
  name: ScorePartName
  value: number
  /** The value before weighting: the normalized lexical score, the similarity or the boost factor. */
  from: number | null
}

export interface RankedDocument extends RankingCandidate {
  score: number
  parts: ScorePart[]
}

/** Sorts by descending score, then by id. A semantic weight of 0 ranks by words alone. */
export function fuse(found: CandidateSet, weights: SemanticWeights): RankedDocument[] {
  const ranked = found.candidates.map((candidate) => {
    const { lexical, words, meaning } = weighScores(candidate, found, weights)
    const parts: ScorePart[] = [{ name: 'words', value: words, from: candidate.lexicalScore === null ? null : lexical }]
    if (weights.semanticWeight > 0) parts.push({ name: 'meaning', value: meaning, from: candidate.semanticScore })
    return withScoreParts(candidate, parts)
  })
  return ranked.sort(compareByScore)
}

/** Copies fields one by one: this runs hundreds of times per search, and spreading is several times slower. */
export const withScoreParts = (candidate: RankingCandidate, parts: ScorePart[]): RankedDocument => ({
  document_id: candidate.document_id,
  updated_at: candidate.updated_at,
  language: candidate.language,
  passages: candidate.passages,
  lexicalScore: candidate.lexicalScore,
  semanticScore: candidate.semanticScore,
  parts,
  score: parts.reduce((sum, it) => sum + it.value, 0),
})

export const compareByScore = (one: RankedDocument, other: RankedDocument): number =>
  other.score - one.score || (one.document_id < other.document_id ? -1 : 1)
