// Combines the lexical and the semantic score of a candidate into a weighted sum of normalized scores.
import type { CandidateSet, RankingCandidate, ScoreRange } from './search-index.ts'

export interface WeighedScores {
  /** From 0 to 1. */
  lexical: number
  /** The two addends of the score. */
  words: number
  meaning: number
}

/**
 * If a document has no vector yet, its lexical score replaces the semantic score, so that it does not fall behind
 * documents that were embedded earlier.
 */
export function weighScores(
  { lexicalScore, semanticScore }: Pick<RankingCandidate, 'lexicalScore' | 'semanticScore'>,
  { lexicalRange, semanticRange }: Pick<CandidateSet, 'lexicalRange' | 'semanticRange'>,
  semanticWeight: number,
): WeighedScores {
  const lexical = lexicalScore === null ? 0 : normalizeScore(lexicalScore, lexicalRange)
  const semantic = semanticScore === null ? lexical : normalizeScore(semanticScore, semanticRange)
  return { lexical, words: (1 - semanticWeight) * lexical, meaning: semanticWeight * semantic }
}

/** Maps the lowest score of the list to 0 and the highest to 1. If all scores are equal, all become 1. */
function normalizeScore(score: number, { min, max }: ScoreRange): number {
  if (score >= max) return 1
  return Math.max(0, (score - min) / (max - min))
}
