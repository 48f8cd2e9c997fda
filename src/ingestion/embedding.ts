// How far are the vectors, which follow the text?
import type { SearchIndex } from '../search-index/search-index.ts'

export interface EmbeddingState {
  /** Null where the texts are found by their words only. */
  model: string | null
  /** Chunks that wait for their vector. */
  pending: number
  /** Chunks that take one. */
  total: number
  /** Why there is no model, or why it stands still; null when all is well. */
  reason: string | null
}

interface Needs {
  embedding: { vectors: { model: string } | undefined; reason: string | null }
  searchIndex: Pick<SearchIndex, 'stats'>
}

export async function embeddingState({ embedding, searchIndex }: Needs): Promise<EmbeddingState> {
  const { vectors, vectors_missing } = await searchIndex.stats()
  const { reason } = embedding
  return { model: embedding.vectors?.model ?? null, pending: vectors_missing, total: vectors + vectors_missing, reason }
}
