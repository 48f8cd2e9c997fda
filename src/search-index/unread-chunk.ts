import type { Chunk } from '../domain/chunk.ts'
import type { Hit } from './search-index.ts'

/** Stands for a chunk whose text was not requested. */
export const unreadChunk = (chunk_ind: number): Chunk => ({ chunk_ind, content: '', link: null })

/** Removes the texts after the first `texts` hits; only `chunk_ind` remains. */
export const withTextsUpTo = (hits: readonly Hit[], texts = hits.length): Hit[] =>
  hits.map((hit, at) => (at < texts ? hit : { ...hit, chunk: unreadChunk(hit.chunk.chunk_ind) }))
