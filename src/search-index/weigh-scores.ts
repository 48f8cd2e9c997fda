// Combines the lexical and the semantic score of a candidate into a weighted sum of normalized scores.
import type { Language } from '../text/language.ts'
import type { CandidateQuery, CandidateSet, RankingCandidate, ScoreRange } from './search-index.ts'

export type SemanticWeights = Pick<CandidateQuery, 'semanticWeight' | 'foreign'>

/** Ranks by words alone. */
export const NO_MEANING: SemanticWeights = { semanticWeight: 0 }

/** How a document in this language is scored. */
export const scoringFor = ({ foreign, semanticWeight }: SemanticWeights, language: Language) =>
  foreign?.languages.includes(language) ? foreign : { semanticWeight, similarityOffset: 0 }

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
  { lexicalScore, semanticScore, language }: Pick<RankingCandidate, 'lexicalScore' | 'semanticScore' | 'language'>,
  { lexicalRange, semanticRange }: Pick<CandidateSet, 'lexicalRange' | 'semanticRange'>,
  weights: SemanticWeights,
): WeighedScores {
  const { semanticWeight, similarityOffset } = scoringFor(weights, language)
  const lexical = lexicalScore === null ? 0 : normalizeScore(lexicalScore, lexicalRange)
  const semantic = semanticScore === null ? lexical : normalizeScore(semanticScore, semanticRange, similarityOffset)
  return { lexical, words: (1 - semanticWeight) * lexical, meaning: semanticWeight * semantic }
}

/**
 * Maps the lowest score of the list to 0 and the highest to 1. If all scores are equal, all become 1. The offset is added
 * in the end, so it may lead beyond 1.
 */
function normalizeScore(score: number, { min, max }: ScoreRange, offset = 0): number {
  if (max <= min) return 1
  const share = score >= max ? 1 : (score - min) / (max - min)
  return Math.max(0, share + offset / (max - min))
}
