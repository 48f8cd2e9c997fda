// The chunks of search results, each read once per search.
import type { Chunk } from '../../domain/chunk.ts'
import type { ChunkId, ChunkIdWithLanguage, ChunkWithMatches } from '../../search-index/search-index.ts'
import type { Language } from '../../text/language.ts'

export interface ChunkCache<Ref extends ChunkId, Cached extends Chunk> {
  /** Loads chunks that are not cached yet, in one request to the index. */
  load(refs: readonly Ref[]): Promise<void>
  /** Adds chunks that another request to the index returned. */
  add(found: readonly { id: Ref; chunk: Cached | null }[]): void
  /** Null if the chunk was not loaded or no longer exists. */
  get(ref: ChunkId): Cached | null
}

/** Chunks with the positions of matches. */
export type MatchedChunkCache = ChunkCache<ChunkIdWithLanguage, ChunkWithMatches>

/** `fetchChunks` returns the chunks in the order of their references. */
export function createChunkCache<Ref extends ChunkId, Cached extends Chunk>(
  fetchChunks: (refs: readonly Ref[]) => Promise<readonly (Cached | null)[]>,
): ChunkCache<Ref, Cached> {
  const known = new Map<string, Cached | null>()
  const keyOf = ({ document_id, chunk_ind }: ChunkId) => `${chunk_ind} ${document_id}`
  return {
    async load(places) {
      const missing = new Map(places.map((it) => [keyOf(it), it]))
      for (const key of missing.keys()) if (known.has(key)) missing.delete(key)
      if (missing.size === 0) return
      const chunks = await fetchChunks([...missing.values()])
      for (const [at, key] of [...missing.keys()].entries()) known.set(key, chunks[at] ?? null)
    },
    add(found) {
      for (const { id, chunk } of found) known.set(keyOf(id), chunk)
    },
    get: (ref) => known.get(keyOf(ref)) ?? null,
  }
}

export interface PassageHolder {
  document_id: string
  language: Language
  passages: readonly [number, ...number[]]
}

export const bestPassageRefOf = ({
  document_id,
  language,
  passages: [chunk_ind],
}: PassageHolder): ChunkIdWithLanguage => ({
  document_id,
  chunk_ind,
  language,
})

/** References to the passages of a document, the best first. */
export const passageRefsOf = ({ document_id, language, passages }: PassageHolder): ChunkIdWithLanguage[] =>
  passages.map((chunk_ind) => ({ document_id, chunk_ind, language }))
