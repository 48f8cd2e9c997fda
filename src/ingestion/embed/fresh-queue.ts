// Newly indexed documents, which are embedded before older ones.
import type { IndexDocument, UnembeddedChunk } from '../../search-index/search-index.ts'
import { chunksWithHash } from '../../search-index/text-hash.ts'

/** Beyond this, the oldest are dropped; the scan for missing vectors finds them later. */
const MAX_CHUNKS = 2_000

export interface FreshDocument {
  seq: number
  document: IndexDocument
}

/** All chunks of a document that need a vector. */
export interface FreshChunks {
  document_id: string
  seq: number
  chunks: UnembeddedChunk[]
}

export interface FreshQueue {
  add(documents: readonly FreshDocument[]): void
  hasAny(): boolean
  /** Takes the newest documents until they have at least `limit` chunks. */
  take(limit: number): FreshChunks[]
}

export function createFreshQueue(): FreshQueue {
  let waiting: FreshDocument[] = []
  let count = 0
  return {
    add(documents) {
      for (const it of documents) {
        waiting.push(it)
        count += chunkCount(it)
      }
      let dropped = 0
      for (const it of waiting) {
        if (count <= MAX_CHUNKS) break
        count -= chunkCount(it)
        dropped++
      }
      if (dropped > 0) waiting = waiting.slice(dropped)
    },
    hasAny: () => waiting.length > 0,
    take(limit) {
      const taken: FreshChunks[] = []
      for (let chunks = 0; chunks < limit; ) {
        const newest = waiting.pop()
        if (newest === undefined) break
        const { seq, document } = newest
        count -= chunkCount(newest)
        chunks += chunkCount(newest)
        taken.push({ document_id: document.document_id, seq, chunks: chunksWithHash(document) })
      }
      return taken
    },
  }
}

const chunkCount = ({ document }: FreshDocument) => Math.max(1, document.chunks.length)
