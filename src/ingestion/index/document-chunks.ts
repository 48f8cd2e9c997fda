// The chunks of one stored document as the index gets them, each with the state of its vector.
import type { Chunk } from '../../domain/chunk.ts'
import { chunksWithHash } from '../../search-index/text-hash.ts'
import type { Queryable } from '../../store/database/database.ts'
import { findVectors } from '../../store/documents/chunk-vectors.ts'
import { findChange } from '../../store/documents/documents.ts'
import type { Embedding } from '../embed/embedding.ts'
import { toIndexDocument } from './index-document.ts'

/**
 * `not_needed`: the text has no letter and no digit, or an earlier chunk of the document has the same text. `off`: there
 * is no embedding model.
 */
export const VECTOR_STATES = ['stored', 'missing', 'not_needed', 'off'] as const

export interface DocumentChunk extends Chunk {
  vector: (typeof VECTOR_STATES)[number]
}

interface ChunkPage {
  offset: number
  limit: number
}

/** In their order; `total` counts all chunks of the document. */
export async function listDocumentChunks(
  { db, embedding }: { db: Queryable; embedding: Pick<Embedding, 'models'> },
  id: string,
  { offset, limit }: ChunkPage,
): Promise<{ chunks: DocumentChunk[]; total: number }> {
  const change = await findChange(db, id)
  if (change === undefined) return { chunks: [], total: 0 }
  const document = toIndexDocument(change)
  const page = document.chunks.slice(offset, offset + limit)
  const model = embedding.models().serving?.model ?? null
  if (model === null)
    return { chunks: page.map((it) => ({ ...it, vector: 'off' as const })), total: document.chunks.length }
  const hashes = new Map(chunksWithHash(document).map((it) => [it.chunk_ind, it.hash]))
  const stored = await findVectors(
    db,
    model,
    page.flatMap((it) => hashes.get(it.chunk_ind) ?? []),
  )
  const stateOf = ({ chunk_ind }: Chunk): DocumentChunk['vector'] => {
    const hash = hashes.get(chunk_ind)
    if (hash === undefined) return 'not_needed'
    return stored.has(hash) ? 'stored' : 'missing'
  }
  return { chunks: page.map((it) => ({ ...it, vector: stateOf(it) })), total: document.chunks.length }
}
