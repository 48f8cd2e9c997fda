// Newly indexed documents, which are embedded before older ones: of each the first chunk, then the others.
import type { IndexDocument, UnembeddedChunk } from '../../search-index/search-index.ts'
import { chunksWithHash } from '../../search-index/text-hash.ts'

/** Beyond this, the oldest are dropped; the scan for missing vectors finds them later. */
const MAX_CHUNKS = 2_000

export interface FreshDocument {
  seq: number
  document: IndexDocument
}

/** Chunks of a document that need a vector. */
export interface FreshChunks {
  document_id: string
  chunks: UnembeddedChunk[]
  /** With the first chunk: the version, and how many chunks of it need a vector. */
  begin: { seq: number; total: number } | null
}

export interface FreshQueue {
  /** A document replaces its earlier version. Returns the documents that were dropped after their first chunk. */
  add(documents: readonly FreshDocument[]): string[]
  hasAny(): boolean
  /** Takes the newest, with about `limit` chunks. The other chunks of a document come after all first ones. */
  take(limit: number): FreshChunks[]
}

interface Rest extends Pick<FreshChunks, 'document_id' | 'chunks'> {
  seq: number
}

export function createFreshQueue(): FreshQueue {
  let documents: FreshDocument[] = []
  let rests: Rest[] = []
  const takeRest = (limit: number): FreshChunks | undefined => {
    const rest = rests.pop()
    if (rest === undefined) return undefined
    const { document_id, chunks } = rest
    if (chunks.length > limit) rests.push({ ...rest, chunks: chunks.slice(limit) })
    return { document_id, chunks: chunks.slice(0, limit), begin: null }
  }
  const takeNewest = (limit: number): FreshChunks | undefined => {
    const newest = documents.pop()
    if (newest === undefined) return takeRest(limit)
    const { document_id } = newest.document
    const chunks = chunksWithHash(newest.document)
    const { seq } = newest
    const older = rests.findLastIndex((it) => it.seq <= seq)
    if (chunks.length > 1) rests.splice(older + 1, 0, { document_id, chunks: chunks.slice(1), seq })
    return { document_id, chunks: chunks.slice(0, 1), begin: { seq, total: chunks.length } }
  }
  return {
    add(added) {
      const replaced = new Set(added.map((it) => it.document.document_id))
      rests = rests.filter((it) => !replaced.has(it.document_id))
      documents = [...documents.filter((it) => !replaced.has(it.document.document_id)), ...added]
      const kept = keepNewest(rests, (it) => it.chunks.length, MAX_CHUNKS - countChunks(documents))
      const dropped = rests.slice(0, rests.length - kept.length)
      rests = kept
      documents = keepNewest(documents, chunkCount, MAX_CHUNKS)
      return dropped.map((it) => it.document_id)
    },
    hasAny: () => documents.length + rests.length > 0,
    take(limit) {
      const taken: FreshChunks[] = []
      for (let count = 0; count < limit; ) {
        const newest = takeNewest(limit - count)
        if (newest === undefined) break
        count += Math.max(1, newest.chunks.length)
        taken.push(newest)
      }
      return taken
    },
  }
}

const chunkCount = ({ document }: FreshDocument) => Math.max(1, document.chunks.length)

const countChunks = (documents: readonly FreshDocument[]) => documents.reduce((sum, it) => sum + chunkCount(it), 0)

/** The last items that have at most `limit` chunks together. */
function keepNewest<Item>(items: Item[], chunksOf: (item: Item) => number, limit: number): Item[] {
  let count = 0
  const oldest = items.findLastIndex((it) => {
    count += chunksOf(it)
    return count > limit
  })
  return oldest < 0 ? items : items.slice(oldest + 1)
}
