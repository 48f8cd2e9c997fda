// Words of the query that stand together, in their order, say more than the same words far apart.
import type { QueryWord } from '../text/query-terms.ts'
import type { Range } from './candidates.ts'
import { byScore, MEANING_WEIGHT, type Ranked, withParts } from './fuse.ts'
import type { WordsIn } from './query-words.ts'
import { placesOf, type Texts } from './texts.ts'

/** So many of the best are looked at; a hundred gained nothing more (docs/ranking.md). */
export const LOOKED_AT = 30
const WEIGHT = 0.15
const NEARBY = 8

/** A pasted page has its order by then. */
const MAX_WORDS = 32

export interface Looking {
  wordsIn: WordsIn
  /** In which those of the best were read. */
  texts: Pick<Texts, 'at'>
  words: Range
  by: 'words' | 'both'
}

/** The best again, each with what the neighbourhood of its words adds: it takes nothing from anyone. */
export function byProximity(ranked: readonly Ranked[], { wordsIn, texts, words, by }: Looking): Ranked[] {
  const best = ranked.slice(0, LOOKED_AT)
  const places = best.map((it) => placesIn(it, texts, wordsIn))
  const weights = weightsOf(places)
  const unit = (by === 'both' ? 1 - MEANING_WEIGHT : 1) / Math.max(words.most - words.least, Number.EPSILON)
  const again = best.map((it, at) => {
    const together = togetherIn(places[at]!, weights)
    if (together === 0 || it.words === null) return it
    return withParts(it, [...it.parts, { name: 'proximity', value: Math.min(1, WEIGHT * together * unit), from: null }])
  })
  return [...again.sort(byScore), ...ranked.slice(LOOKED_AT)]
}

interface Places {
  words: readonly QueryWord[]
  places: number[][]
}

/** In the order of the text, each place once. */
function placesIn(found: Ranked, texts: Looking['texts'], wordsIn: WordsIn): Places {
  const words = wordsIn(found.language).slice(0, MAX_WORDS)
  if (words.length < 2) return { words, places: [] }
  const places = words.map((): number[] => [])
  for (const { word, place } of texts.at(placesOf(found)[0]!)?.sightings ?? []) {
    if (places[word]?.at(-1) !== place) places[word]?.push(place)
  }
  return { words, places }
}

/** By how many of these texts hold a word: what nearly all hold says nothing by standing near. */
function weightsOf(all: readonly Places[]): Map<string, number> {
  const holders = new Map<string, number>()
  for (const { words, places } of all) {
    for (const [at, { word }] of words.entries()) {
      holders.set(word, (holders.get(word) ?? 0) + ((places[at]?.length ?? 0) > 0 ? 1 : 0))
    }
  }
  return new Map([...holders].map(([word, count]) => [word, Math.log(1 + (all.length - count + 0.5) / (count + 0.5))]))
}

/** Neighbours of the query that are neighbours in the text count whole, those that are nearby half. */
function togetherIn({ words, places }: Places, weights: ReadonlyMap<string, number>): number {
  let sum = 0
  for (let at = 0; at + 1 < places.length; at++) {
    const weight = weights.get(words[at]!.word)! + weights.get(words[at + 1]!.word)!
    const [first, second] = [places[at]!, places[at + 1]!]
    if (first.some((it) => second.includes(it + 1))) sum += weight
    if (first.some((it) => second.some((other) => other !== it && Math.abs(other - it) <= NEARBY))) sum += weight / 2
  }
  return sum
}
