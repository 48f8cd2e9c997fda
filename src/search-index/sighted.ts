// Where the words of a query stand in what was found: looked for where the texts are read, beside whoever asks.
import type { Chunk } from '../domain/chunk.ts'
import type { Language } from '../text/language.ts'
import { type Sighting, sighter } from '../text/positions.ts'
import { queryTermsIn } from '../text/query-terms.ts'
import type { SightedChunk, SightedPlace } from './search-index.ts'

/** `read` gives null for a chunk that is not there any more. */
export function sightedChunks(
  query: string,
  places: readonly SightedPlace[],
  read: (place: SightedPlace) => Chunk | null,
): (SightedChunk | null)[] {
  const lookers = new Map<Language, (text: string) => Sighting[]>()
  return places.map((place) => {
    const chunk = read(place)
    if (chunk === null) return null
    const { language } = place
    const look = lookers.get(language) ?? sighter(queryTermsIn(query, language), language)
    lookers.set(language, look)
    return { ...chunk, sightings: look(chunk.content) }
  })
}

/** Between threads: a thousand small objects take longer to copy than the words to find. */
export interface PackedSightings {
  chunks: (Chunk | null)[]
  /** Of each chunk. */
  counts: number[]
  /** Four of each. */
  numbers: Int32Array
}

const NUMBERS = 4

export function packSightings(found: readonly (SightedChunk | null)[]): PackedSightings {
  const counts = found.map((it) => it?.sightings.length ?? 0)
  const numbers = new Int32Array(NUMBERS * counts.reduce((sum, it) => sum + it, 0))
  let at = 0
  for (const { word, start, end, place } of found.flatMap((it) => it?.sightings ?? [])) {
    numbers[at++] = word
    numbers[at++] = start
    numbers[at++] = end
    numbers[at++] = place
  }
  const chunks = found.map((it) => it && { chunk_ind: it.chunk_ind, content: it.content, link: it.link })
  return { chunks, counts, numbers }
}

export function unpackSightings({ chunks, counts, numbers }: PackedSightings): (SightedChunk | null)[] {
  let at = 0
  return chunks.map((chunk, index) => {
    const sightings: Sighting[] = []
    for (let count = counts[index]!; count > 0; count--) {
      const [word, start, end, place] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!, numbers[at + 3]!]
      sightings.push({ word, start, end, place })
      at += NUMBERS
    }
    return chunk && { ...chunk, sightings }
  })
}
