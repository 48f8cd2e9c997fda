// Raises documents in which words of the query occur close together and in order.
import type { QueryWord } from '../../text/query-terms.ts'
import type { QueryWordsByLanguage } from '../query/query-words.ts'
import { type MatchedChunkCache, passageRefsOf } from '../results/chunk-cache.ts'
import type { ScoreRange } from './candidates.ts'
import { compareByScore, type RankedDocument, SEMANTIC_WEIGHT, withScoreParts } from './fuse.ts'

/** The number of top results considered; 100 was not better (docs/ranking.md). */
export const PROXIMITY_DEPTH = 30
const PROXIMITY_WEIGHT = 0.15
const NEAR_POSITIONS = 8

/** Longer queries, such as a pasted page, do not need proximity. */
const MAX_WORDS = 32

export interface ProximityContext {
  queryWords: QueryWordsByLanguage
  /** The cache that holds the chunks of the top results. */
  cache: Pick<MatchedChunkCache, 'get'>
  lexicalRange: ScoreRange
  by: 'words' | 'both'
}

/** Re-sorts the top results with their proximity scores, which never lower a score. */
export function addProximity(
  ranked: readonly RankedDocument[],
  { queryWords, cache, lexicalRange, by }: ProximityContext,
): RankedDocument[] {
  const best = ranked.slice(0, PROXIMITY_DEPTH)
  const positions = best.map((it) => findTermPositions(it, cache, queryWords))
  const weights = inverseDocumentFrequencies(positions)
  const unit = (by === 'both' ? 1 - SEMANTIC_WEIGHT : 1) / Math.max(lexicalRange.max - lexicalRange.min, Number.EPSILON)
  const rescored = best.map((it, at) => {
    const proximity = proximityScore(positions[at]!, weights)
    if (proximity === 0 || it.lexicalScore === null) return it
    return withScoreParts(it, [
      ...it.parts,
      { name: 'proximity', value: Math.min(1, PROXIMITY_WEIGHT * proximity * unit), from: null },
    ])
  })
  return [...rescored.sort(compareByScore), ...ranked.slice(PROXIMITY_DEPTH)]
}

interface TermPositions {
  terms: readonly QueryWord[]
  positions: number[][]
}

/** Positions in text order, without duplicates. */
function findTermPositions(
  found: RankedDocument,
  cache: ProximityContext['cache'],
  queryWords: QueryWordsByLanguage,
): TermPositions {
  const terms = queryWords(found.language).slice(0, MAX_WORDS)
  if (terms.length < 2) return { terms, positions: [] }
  const positions = terms.map((): number[] => [])
  for (const { word, position } of cache.get(passageRefsOf(found)[0]!)?.matches ?? []) {
    if (positions[word]?.at(-1) !== position) positions[word]?.push(position)
  }
  return { terms, positions }
}

/** A word that occurs in nearly all of these texts adds little. */
function inverseDocumentFrequencies(all: readonly TermPositions[]): Map<string, number> {
  const documentFrequencies = new Map<string, number>()
  for (const { terms, positions } of all) {
    for (const [at, { word }] of terms.entries()) {
      documentFrequencies.set(word, (documentFrequencies.get(word) ?? 0) + ((positions[at]?.length ?? 0) > 0 ? 1 : 0))
    }
  }
  return new Map(
    [...documentFrequencies].map(([word, count]) => [word, Math.log(1 + (all.length - count + 0.5) / (count + 0.5))]),
  )
}

/** Adjacent words in query order add their full weight, nearby words half. */
function proximityScore({ terms, positions }: TermPositions, weights: ReadonlyMap<string, number>): number {
  let sum = 0
  for (let at = 0; at + 1 < positions.length; at++) {
    const weight = weights.get(terms[at]!.word)! + weights.get(terms[at + 1]!.word)!
    const [first, second] = [positions[at]!, positions[at + 1]!]
    if (first.some((it) => second.includes(it + 1))) sum += weight
    if (first.some((it) => second.some((other) => other !== it && Math.abs(other - it) <= NEAR_POSITIONS)))
      sum += weight / 2
  }
  return sum
}
