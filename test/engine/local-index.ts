// The embedded index without its threads, so that thousands of lives fit into a test, and a crash is an exception.
import { IndexView, type ViewChange } from '../../src/engine/index-view.ts'
import { IndexWriter } from '../../src/engine/index-writer.ts'
import { countGroups } from '../../src/engine/mask.ts'
import { statisticsOf, TextSearch } from '../../src/engine/search.ts'
import { createVectorImage } from '../../src/engine/vector-rows.ts'
import { B, K1 } from '../../src/search-index/bm25.ts'
import { BARE, DIMENSIONS } from '../../src/search-index/embedded-dimensions.ts'
import { chunkAt, engineBatchOf, searchResultOf, textQueryOf } from '../../src/search-index/embedded-group.ts'
import { findTerms } from '../../src/search-index/embedded-terms.ts'
import {
  entryVectors,
  openVectorReader,
  unembeddedPage,
  type VectorAnswer,
  vectorMethods,
  vectorStats,
} from '../../src/search-index/embedded-vectors.ts'
import type { SearchIndex, VectorOptions } from '../../src/search-index/search-index.ts'
import { sightedChunks } from '../../src/search-index/sighted.ts'
import { embed } from '../contract/embedding.ts'

export class Crash extends Error {}

export interface LocalIndex extends SearchIndex {
  writer: IndexWriter
  flush(betweenSteps?: () => void): void
  merge(betweenSteps?: () => void): void
  applyNow(batch: Parameters<SearchIndex['apply']>[0]): void
  /** Gives every chunk that lacks one its vector. */
  embedNow(): void
}

export interface LocalOptions {
  failpoint?: (name: string) => void
  vectors?: VectorOptions | undefined
  /** Told how many vectors were found damaged. */
  dropped?: (count: number) => void
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

export function openLocalIndex(dir: string, options: LocalOptions = {}): LocalIndex {
  const { failpoint = () => {}, vectors, dropped = () => {} } = options
  const policy = { fanIn: 3, floor: 4, maxEntries: 200 }
  const held = vectors && { model: vectors.model, image: createVectorImage(vectors.dimension, 1_000) }
  const basis = { dir, b: B, dimensions: DIMENSIONS, memoryEntries: 24, policy, failpoint }
  const writer = new IndexWriter(held === undefined ? basis : { ...basis, vectors: held })
  const reader = held && openVectorReader(dir, held.image, 0)
  const view = new IndexView()
  const search = new TextSearch({ k1: K1, b: B })
  view.apply(writer.takeOpening())
  const take = (change: ViewChange | undefined) => {
    if (change !== undefined) view.apply(change)
  }
  const applyNow: LocalIndex['applyNow'] = (batch) => take(writer.apply(engineBatchOf(batch)))
  return {
    writer,
    applyNow,
    embedNow() {
      const { chunks } = unembeddedPage(writer.segments, 10_000, undefined)
      const made = chunks.map((it) => ({ it, vector: embed(it.title, it.content) }))
      take(
        writer.setVectors(
          made.map(({ it, vector }) => ({ key: it.document_id, part: it.chunk_ind, mark: it.hash, vector })),
        ),
      )
    },
    apply: async (batch) => applyNow(batch),
    search: async (query) => searchResultOf(search.search(view.segments, textQueryOf(query, view.languages())), query),
    chunks: async (places) => places.map((it) => chunkAt(view.segments, it)),
    sighted: async (query, places) => sightedChunks(query, places, (it) => chunkAt(view.segments, it)),
    terms: async (query) => findTerms(view.segments, query),
    ...vectorMethods({
      options: vectors,
      logger: { ...silent, warn: (facts) => dropped((facts as { dropped: number }).dropped) },
      askReader: async (request): Promise<VectorAnswer> =>
        request.method === 'nearest'
          ? reader!.nearest(view.segments, request.query, view.languages())
          : reader!.similarity(view.segments, request.query),
      async askWriter(request) {
        if (request.method === 'chunksWithoutVector') {
          return unembeddedPage(vectors === undefined ? [] : writer.segments, request.limit, request.after)
        }
        if (request.method === 'setVectors') return take(writer.setVectors(entryVectors(request.vectors)))
        const change = writer.dropDamaged(request.slots)
        take(change)
        return change.placements.reduce((sum, it) => sum + it.entries.length, 0)
      },
    }),
    stats: async () => ({
      documents: view.groups(),
      chunks: statisticsOf(view.segments).entries - countGroups(view.segments, 'shape', BARE),
      position: writer.position,
      ...(vectors === undefined ? { vectors: 0, vectors_missing: 0 } : vectorStats(view.segments)),
    }),
    flush(betweenSteps) {
      const { change, left, fault } = run(writer.flush(), betweenSteps)
      take(change)
      if (fault !== undefined) throw fault
      writer.removeObsolete()
      writer.vectors?.release(left)
    },
    merge(betweenSteps) {
      take(run(writer.merge(), betweenSteps))
    },
    close: async () => {
      view.close()
      reader?.close()
      writer.close()
    },
  }
}

function run<T>(steps: Generator<void, T>, betweenSteps = () => {}): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    betweenSteps()
  }
}

/** Flushes after every second batch and merges when it can, so that a short life sees all of it. */
export async function openBusyIndex(dir: string, vectors?: VectorOptions): Promise<SearchIndex> {
  const index = openLocalIndex(dir, { vectors })
  return {
    ...index,
    async apply(batch) {
      index.applyNow(batch)
      if (batch.position % 2 === 0) index.flush()
      if (batch.position % 3 === 0) index.merge()
    },
    async close() {
      index.flush()
      await index.close()
    },
  }
}
