// The chunks of documents that came just now: they are embedded before all that has waited for long.
import type { IndexDocument, UnembeddedChunk } from '../search-index/search-index.ts'
import { chunksWithHash } from '../search-index/text-hash.ts'

/** Older ones are let go beyond this: they are found among the rest. */
const MAX_CHUNKS = 2_000

export interface FreshDocument {
  seq: number
  document: IndexDocument
}

/** All of a document's chunks that take a vector. */
export interface FreshChunks {
  document_id: string
  seq: number
  chunks: UnembeddedChunk[]
}

export interface FreshLane {
  add(documents: readonly FreshDocument[]): void
  hasAny(): boolean
  /** The newest documents, until they have so many chunks; none when none waits. */
  take(most: number): FreshChunks[]
}

export function createFreshLane(): FreshLane {
  let waiting: FreshDocument[] = []
  let count = 0
  return {
    add(documents) {
      for (const it of documents) {
        waiting.push(it)
        count += sizeOf(it)
      }
      let dropped = 0
      while (count > MAX_CHUNKS && dropped < waiting.length) count -= sizeOf(waiting[dropped++]!)
      if (dropped > 0) waiting = waiting.slice(dropped)
    },
    hasAny: () => waiting.length > 0,
    take(most) {
      const taken: FreshChunks[] = []
      for (let chunks = 0; chunks < most; ) {
        const newest = waiting.pop()
        if (newest === undefined) break
        const { seq, document } = newest
        count -= sizeOf(newest)
        chunks += sizeOf(newest)
        taken.push({ document_id: document.document_id, seq, chunks: chunksWithHash(document) })
      }
      return taken
    },
  }
}

const sizeOf = ({ document }: FreshDocument) => Math.max(1, document.chunks.length)
