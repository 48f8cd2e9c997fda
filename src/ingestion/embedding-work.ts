// What is to be embedded next: the chunks of what came just now, then what the index says has none.
import type { SearchIndex, UnembeddedChunk } from '../search-index/search-index.ts'
import type { EmbeddedMark } from '../store/receipts.ts'
import type { FreshLane } from './fresh-chunks.ts'
import { PAGE } from './vector-cache.ts'

/** About as many as one call of the model takes, so that what comes next is fresh too. */
const FRESH = 32

/** Chunks to look at together. */
export interface Portion {
  chunks: UnembeddedChunk[]
  isFresh: boolean
}

export interface EmbeddingWork {
  /** Undefined when nothing is left. */
  next(): Promise<Portion | undefined>
  /** Whether something came just now that should not wait. */
  hasFresh(): boolean
  /** These chunks have their vectors now. Answers which documents have all of theirs by that. */
  done(chunks: readonly { document_id: string }[]): EmbeddedMark[]
  /** The model does not take this one: its document is not finished by the others. */
  skip(chunk: UnembeddedChunk): void
  /** Whether every chunk of the index has its vector, but for those that the model does not take. */
  isComplete(): Promise<boolean>
  /** The documents that wait in vain for a vector; of those that are gone some may be among them. */
  unfinished(): string[]
}

interface Needs {
  searchIndex: Pick<SearchIndex, 'chunksWithoutVector' | 'stats'>
  lane: FreshLane
  /** How far the index is. */
  indexedSeq: () => number
  /** Without: only what came just now. */
  isForAll: () => boolean
}

/** Chunks of a document that are still to come, and the version they are of at the newest. */
interface Tally {
  left: number
  seq: number
}

export function openEmbeddingWork({ searchIndex, lane, indexedSeq, isForAll }: Needs): EmbeddingWork {
  const tallies = new Map<string, Tally>()
  /** By hash: the document. */
  const skipped = new Map<string, string>()
  const finished: EmbeddedMark[] = []
  let after: string | undefined
  /** The document with which a page ended: the next one may begin with more of it. */
  let open: string | undefined

  const finish = (document_id: string): void => {
    const tally = tallies.get(document_id)
    if (tally === undefined || tally.left > 0 || document_id === open) return
    tallies.delete(document_id)
    finished.push({ document_id, seq: tally.seq })
  }
  const nextPage = async (): Promise<UnembeddedChunk[]> => {
    const seq = indexedSeq()
    const { chunks, next } = await searchIndex.chunksWithoutVector({ limit: PAGE, after })
    const wanted = chunks.filter((it) => !skipped.has(it.hash))
    for (const { document_id } of wanted) {
      const tally = tallies.get(document_id) ?? { left: 0, seq }
      tallies.set(document_id, { ...tally, left: tally.left + 1 })
    }
    const before = open
    after = next ?? undefined
    open = next === null ? undefined : chunks.at(-1)?.document_id
    if (before !== undefined) finish(before)
    return wanted
  }
  return {
    async next() {
      const fresh = lane.take(FRESH)
      for (const { document_id, seq, chunks } of fresh) {
        tallies.set(document_id, { left: chunks.length, seq })
        finish(document_id)
      }
      if (fresh.length > 0) return { chunks: fresh.flatMap((it) => it.chunks), isFresh: true }
      if (!isForAll()) return undefined
      if (after === undefined && (await searchIndex.stats()).vectors_missing === 0) return undefined
      const chunks = await nextPage()
      return chunks.length === 0 && after === undefined ? undefined : { chunks, isFresh: false }
    },
    hasFresh: () => lane.hasAny(),
    done(chunks) {
      for (const { document_id } of chunks) {
        const tally = tallies.get(document_id)
        if (tally === undefined) continue
        tally.left -= 1
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
        const { chunks, next } = await searchIndex.chunksWithoutVector({ limit: PAGE, after: page })
        isComplete = chunks.every((it) => skipped.has(it.hash))
        page = next
      }
      return isComplete
    },
    unfinished: () => [...new Set(skipped.values())],
  }
}
