// Adds the neighbouring chunks to a passage, because a single chunk often lacks the context that a model needs.
import type { Chunk } from '../domain/chunk.ts'
import type { ChunkId, SearchIndex } from '../search-index/search-index.ts'
import { type ChunkCache, createChunkCache } from './results/chunk-cache.ts'

/** Consecutive chunks of one document. */
export interface ContextWindow {
  document_id: string
  chunks: readonly [Chunk, ...Chunk[]]
  /** The first of the anchors in this window. */
  anchor: ChunkId
}

interface ContextWindowDeps {
  searchIndex: Pick<SearchIndex, 'chunks'>
}

/**
 * Reads each anchor with `radius` chunks on both sides, in one request to the index. Windows that touch are merged
 * and keep the position of the first anchor. Chunks that no longer exist are left out. Does not check access: see
 * `createSearch`.
 */
export async function readContextWindows(
  { searchIndex }: ContextWindowDeps,
  anchors: readonly ChunkId[],
  radius: number,
): Promise<ContextWindow[]> {
  const cache = createChunkCache((all: readonly ChunkId[]) => searchIndex.chunks(all))
  await cache.load(anchors.flatMap((anchor) => chunksAround(anchor, radius)))
  const existing = anchors.filter((anchor) => cache.get(anchor) !== null)
  const byDocument = Map.groupBy(existing, (it) => it.document_id)
  const windows = [...byDocument].flatMap(([document_id, own]) => {
    const wanted = own.flatMap((anchor) => chunksAround(anchor, radius)).map((it) => it.chunk_ind)
    return consecutiveRuns(cache, document_id, new Set(wanted)).flatMap((chunks) => {
      const anchor = own.find((it) => chunks.some((chunk) => chunk.chunk_ind === it.chunk_ind))
      return anchor === undefined ? [] : [{ document_id, chunks, anchor }]
    })
  })
  return windows.sort((one, other) => existing.indexOf(one.anchor) - existing.indexOf(other.anchor))
}

const chunksAround = ({ document_id, chunk_ind }: ChunkId, radius: number): ChunkId[] =>
  Array.from({ length: 2 * radius + 1 }, (_, at) => ({ document_id, chunk_ind: chunk_ind - radius + at })).filter(
    (it) => it.chunk_ind >= 0,
  )

type ChunkTexts = ChunkCache<ChunkId, Chunk>

function consecutiveRuns(cache: ChunkTexts, document_id: string, wanted: ReadonlySet<number>): [Chunk, ...Chunk[]][] {
  const runs: [Chunk, ...Chunk[]][] = []
  for (const chunk_ind of [...wanted].sort((a, b) => a - b)) {
    const chunk = cache.get({ document_id, chunk_ind })
    if (chunk === null) continue
    const run = runs.at(-1)
    if (run?.at(-1)?.chunk_ind === chunk_ind - 1) run.push(chunk)
    else runs.push([chunk])
  }
  return runs
}
