import type { Chunk } from '../domain/chunk.ts'
import type { Hit } from './search-index.ts'

/** Stands for a chunk whose text was not asked for. */
export const unreadChunk = (chunk_ind: number): Chunk => ({ chunk_ind, content: '', link: null })

/** As an index does that reads no more: it tells which chunk it is, and no more of it. */
export const readUpTo = (hits: readonly Hit[], texts = hits.length): Hit[] =>
  hits.map((hit, at) => (at < texts ? hit : { ...hit, chunk: unreadChunk(hit.chunk.chunk_ind) }))
