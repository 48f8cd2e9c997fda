// Selects the chunks to embed next: those of newly indexed documents, then the first chunk of every other document, then
// the rest, the latest documents first.
import type { SearchIndex, UnembeddedChunk } from '../../search-index/search-index.ts'
import type { EmbeddedVersion } from '../../store/documents/receipts.ts'
import { createDocumentTallies } from './document-tallies.ts'
import { createFreshQueue, type FreshDocument } from './fresh-queue.ts'
import { createMissingChunks } from './missing-chunks.ts'
import { PAGE_SIZE } from './vector-cache.ts'

/** About one model call, so that newer documents do not wait long. */
const FRESH_CHUNKS = 32

/** Chunks that are processed together. */
export interface EmbeddingPortion {
  chunks: UnembeddedChunk[]
  isFresh: boolean
}

export interface EmbeddingWork {
  /** Embeds newly indexed documents before older ones. */
  add(documents: readonly FreshDocument[]): void
  /** The next chunks; undefined when nothing is left. */
  next(): Promise<EmbeddingPortion | undefined>
  /** Whether newly indexed documents are waiting. */
  hasFresh(): boolean
  /** Marks chunks as embedded. Returns the documents that are complete now. */
  markDone(chunks: readonly { document_id: string }[]): EmbeddedVersion[]
  /** Skips a chunk that the model rejects. Its document never counts as complete. */
  skip(chunk: UnembeddedChunk): void
  /** Whether every chunk has a vector, except for skipped ones. */
  isComplete(): Promise<boolean>
  /** Documents with skipped chunks; some may have been deleted since. */
  documentsWithSkippedChunks(): string[]
}

interface EmbeddingWorkDeps {
  searchIndex: Pick<SearchIndex, 'chunksWithoutVector' | 'stats'>
  /** The position of the index. */
  indexedSeq: () => number
  /** If false, only newly indexed documents are embedded. */
  includesOlder: () => boolean
}

export function openEmbeddingWork({ searchIndex, indexedSeq, includesOlder }: EmbeddingWorkDeps): EmbeddingWork {
  const freshQueue = createFreshQueue()
  const tallies = createDocumentTallies()
  /** Document ids by chunk hash. */
  const skipped = new Map<string, string>()
  const missingChunks = createMissingChunks({
    searchIndex,
    tallies,
    indexedSeq,
    isSkipped: (it) => skipped.has(it.hash),
  })
  return {
    add(documents) {
      for (const it of freshQueue.add(documents)) tallies.forget(it)
    },
    async next() {
      const fresh = freshQueue.take(FRESH_CHUNKS)
      for (const { document_id, begin } of fresh) {
        if (begin !== null) tallies.begin(document_id, { seq: begin.seq, remaining: begin.total })
      }
      if (fresh.length > 0) return { chunks: fresh.flatMap((it) => it.chunks), isFresh: true }
      const chunks = includesOlder() ? await missingChunks.next() : undefined
      return chunks && { chunks, isFresh: false }
    },
    hasFresh: freshQueue.hasAny,
    markDone(chunks) {
      tallies.markDone(chunks)
      return tallies.takeComplete()
    },
    skip({ document_id, hash }) {
      skipped.set(hash, document_id)
      tallies.forget(document_id)
    },
    async isComplete() {
      const { vectors_missing } = await searchIndex.stats()
      if (vectors_missing > skipped.size) return false
      let isComplete = true
      for (let page: string | undefined | null; isComplete && vectors_missing > 0 && page !== null; ) {
        const { chunks, next } = await searchIndex.chunksWithoutVector({ limit: PAGE_SIZE, after: page })
        isComplete = chunks.every((it) => skipped.has(it.hash))
        page = next
      }
      return isComplete
    },
    documentsWithSkippedChunks: () => [...new Set(skipped.values())],
  }
}
