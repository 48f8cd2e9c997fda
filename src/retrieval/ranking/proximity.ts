// Raises documents in which words of the query occur close together and in order.
import type { ScoreRange } from '../../search-index/search-index.ts'
import type { QueryWordsByLanguage } from '../../text/query-words.ts'
import { bestPassageRefOf, type MatchedChunkCache } from '../results/chunk-cache.ts'
import { compareByScore, type RankedDocument, withScoreParts } from './fuse.ts'

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
  semanticWeight: number
}

/** Re-sorts the top results with their proximity scores, which never lower a score. */
export function addProximity(
  ranked: readonly RankedDocument[],
  { queryWords, cache, lexicalRange, semanticWeight }: ProximityContext,
): RankedDocument[] {
  const best = ranked
    .slice(0, PROXIMITY_DEPTH)
    .map((document) => ({ document, terms: findTermPositions(document, cache, queryWords) }))
  const weightOf = inverseDocumentFrequencies(best.map((it) => it.terms))
  const unit = (1 - semanticWeight) / Math.max(lexicalRange.max - lexicalRange.min, Number.EPSILON)
  const rescored = best.map(({ document, terms }) => {
    const proximity = proximityScore(terms, weightOf)
    if (proximity === 0 || document.lexicalScore === null) return document
    return withScoreParts(document, [
      ...document.parts,
      { name: 'proximity', value: Math.min(1, PROXIMITY_WEIGHT * proximity * unit), from: null },
    ])
  })
  return [...rescored.sort(compareByScore), ...ranked.slice(PROXIMITY_DEPTH)]
}

interface TermPositions {
  word: string
  /** In text order, without duplicates. */
  positions: number[]
}

/** Returns the words in query order. */
function findTermPositions(
  found: RankedDocument,
  cache: ProximityContext['cache'],
  queryWords: QueryWordsByLanguage,
): TermPositions[] {
  const words = queryWords(found.language).slice(0, MAX_WORDS)
  const terms = words.map(({ word }): TermPositions => ({ word, positions: [] }))
  if (terms.length < 2) return terms
  for (const { word, position } of cache.get(bestPassageRefOf(found))?.matches ?? []) {
    const positions = terms[word]?.positions
    if (positions?.at(-1) !== position) positions?.push(position)
  }
  return terms
}

/** A word that occurs in nearly all of these texts adds little. */
function inverseDocumentFrequencies(all: readonly TermPositions[][]): (word: string) => number {
  const documentFrequencies = new Map<string, number>()
  for (const { word, positions } of all.flat()) {
    if (positions.length > 0) documentFrequencies.set(word, (documentFrequencies.get(word) ?? 0) + 1)
  }
  return (word) => {
    const count = documentFrequencies.get(word) ?? 0
    return Math.log(1 + (all.length - count + 0.5) / (count + 0.5))
  }
}

/** Adjacent words in query order add their full weight, nearby words half. */
function proximityScore(terms: readonly TermPositions[], weightOf: (word: string) => number): number {
  let sum = 0
  let before: TermPositions | undefined
  for (const term of terms) {
    if (before !== undefined) {
      const weight = weightOf(before.word) + weightOf(term.word)
      if (before.positions.some((it) => term.positions.includes(it + 1))) sum += weight
      if (before.positions.some((it) => term.positions.some((other) => isNear(it, other)))) sum += weight / 2
    }
    before = term
  }
  return sum
}

const isNear = (one: number, other: number): boolean => other !== one && Math.abs(other - one) <= NEAR_POSITIONS
