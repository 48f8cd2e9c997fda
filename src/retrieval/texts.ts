// The texts of what was found: read when somebody looks at them, each once for a search.
import type { Chunk } from '../domain/chunk.ts'
import type { ChunkPlace, SightedChunk, SightedPlace } from '../search-index/search-index.ts'
import type { Language } from '../text/language.ts'

export interface TextsOf<Place extends ChunkPlace, Read extends Chunk> {
  /** Reads what is not known yet, in one question to the index. */
  read(places: readonly Place[]): Promise<void>
  /** Null where it was not read, or is not there any more. */
  at(place: ChunkPlace): Read | null
}

/** With where the words of the query stand. */
export type Texts = TextsOf<SightedPlace, SightedChunk>

/** `ask` answers in the order of the places. */
export function openTexts<Place extends ChunkPlace, Read extends Chunk>(
  ask: (places: readonly Place[]) => Promise<readonly (Read | null)[]>,
): TextsOf<Place, Read> {
  const known = new Map<string, Read | null>()
  const keyOf = ({ document_id, chunk_ind }: ChunkPlace) => `${chunk_ind} ${document_id}`
  return {
    async read(places) {
      const missing = new Map(places.map((it) => [keyOf(it), it]))
      for (const key of missing.keys()) if (known.has(key)) missing.delete(key)
      if (missing.size === 0) return
      const chunks = await ask([...missing.values()])
      for (const [at, key] of [...missing.keys()].entries()) known.set(key, chunks[at]!)
    },
    at: (place) => known.get(keyOf(place)) ?? null,
  }
}

export interface Placed {
  document_id: string
  language: Language
  passages: readonly number[]
}

/** Where the passages of a candidate stand, the one that tells most first. */
export const placesOf = ({ document_id, language, passages }: Placed): SightedPlace[] =>
  passages.map((chunk_ind) => ({ document_id, chunk_ind, language }))
