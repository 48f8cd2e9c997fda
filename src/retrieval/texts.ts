// The texts of what was found: read when somebody looks at them, each once for a search.
import type { Chunk } from '../domain/chunk.ts'
import type { ChunkPlace, SearchIndex } from '../search-index/search-index.ts'

export interface Texts {
  /** Reads what is not known yet, in one question to the index. */
  read(places: readonly ChunkPlace[]): Promise<void>
  /** Null where it was not read, or is not there any more. */
  at(place: ChunkPlace): Chunk | null
}

export function openTexts(searchIndex: Pick<SearchIndex, 'chunks'>): Texts {
  const known = new Map<string, Chunk | null>()
  const keyOf = ({ document_id, chunk_ind }: ChunkPlace) => `${chunk_ind} ${document_id}`
  return {
    async read(places) {
      const missing = [...new Map(places.map((it) => [keyOf(it), it])).entries()].filter(([key]) => !known.has(key))
      if (missing.length === 0) return
      const chunks = await searchIndex.chunks(
        missing.map(([, { document_id, chunk_ind }]) => ({ document_id, chunk_ind })),
      )
      for (const [at, [key]] of missing.entries()) known.set(key, chunks[at]!)
    },
    at: (place) => known.get(keyOf(place)) ?? null,
  }
}

/** Where the passages of a candidate stand, the one that tells most first. */
export const placesOf = ({
  document_id,
  passages,
}: {
  document_id: string
  passages: readonly number[]
}): ChunkPlace[] => passages.map((chunk_ind) => ({ document_id, chunk_ind }))
