// Selects the chunks to embed next: those of newly indexed documents first, then all others without a vector.
import type { SearchIndex, UnembeddedChunk } from '../../search-index/search-index.ts'
import type { EmbeddedVersion } from '../../store/documents/receipts.ts'
import type { FreshQueue } from './fresh-queue.ts'
import { PAGE_SIZE } from './vector-cache.ts'

/** About one model call, so that newer documents do not wait long. */
const FRESH_CHUNKS = 32

/** Chunks that are processed together. */
export interface EmbeddingPortion {
  chunks: UnembeddedChunk[]
  isFresh: boolean
}

export interface EmbeddingWork {
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
  freshQueue: FreshQueue
  /** The position of the index. */
  indexedSeq: () => number
  /** If false, only newly indexed documents are embedded. */
  includesOlder: () => boolean
}

/** The chunks of a document that still need vectors, and an upper bound of its version. */
interface DocumentTally {
  remaining: number
  seq: number
}

export function openEmbeddingWork({
  searchIndex,
  freshQueue,
  indexedSeq,
  includesOlder,
}: EmbeddingWorkDeps): EmbeddingWork {
  const tallies = new Map<string, DocumentTally>()
  /** Document ids by chunk hash. */
  const skipped = new Map<string, string>()
  const finished: EmbeddedVersion[] = []
  let after: string | undefined
  /** The last document of the previous page; the next page may continue it. */
  let openDocument: string | undefined

  const finish = (document_id: string): void => {
    const tally = tallies.get(document_id)
    if (tally === undefined || tally.remaining > 0 || document_id === openDocument) return
    tallies.delete(document_id)
    finished.push({ document_id, seq: tally.seq })
  }
  const nextPage = async (): Promise<UnembeddedChunk[]> => {
    const seq = indexedSeq()
    const { chunks, next } = await searchIndex.chunksWithoutVector({ limit: PAGE_SIZE, after })
    const wanted = chunks.filter((it) => !skipped.has(it.hash))
    for (const { document_id } of wanted) {
      const tally = tallies.get(document_id) ?? { remaining: 0, seq }
      tallies.set(document_id, { ...tally, remaining: tally.remaining + 1 })
    }
    const previousOpen = openDocument
    after = next ?? undefined
    openDocument = next === null ? undefined : chunks.at(-1)?.document_id
    if (previousOpen !== undefined) finish(previousOpen)
    return wanted
  }
  return {
    async next() {
      const fresh = freshQueue.take(FRESH_CHUNKS)
      for (const { document_id, seq, chunks } of fresh) {
        tallies.set(document_id, { remaining: chunks.length, seq })
        finish(document_id)
      }
      if (fresh.length > 0) return { chunks: fresh.flatMap((it) => it.chunks), isFresh: true }
      if (!includesOlder()) return undefined
      if (after === undefined && (await searchIndex.stats()).vectors_missing === 0) return undefined
      const chunks = await nextPage()
      return chunks.length === 0 && after === undefined ? undefined : { chunks, isFresh: false }
    },
    hasFresh: () => freshQueue.hasAny(),
    markDone(chunks) {
      for (const { document_id } of chunks) {
        const tally = tallies.get(document_id)
        if (tally === undefined) continue
        tally.remaining -= 1
        finish(document_id)
      }
      return finished.splice(0)
    },
    skip({ document_id, hash }) {
      skipped.set(hash, document_id)
      tallies.delete(document_id)
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
