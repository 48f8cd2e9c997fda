// The embedded index without its threads. Thousands of random runs fit into a test, and a crash is an exception.

import { countGroupsWithLabel } from '../../src/engine/query/filter-mask.ts'
import { collectionStatistics, TextSearch } from '../../src/engine/query/text-search.ts'
import { IndexView, type ViewChange } from '../../src/engine/segment/index-view.ts'
import { createVectorImage } from '../../src/engine/vectors/vector-rows.ts'
import { IndexWriter } from '../../src/engine/write/index-writer.ts'
import { B, K1 } from '../../src/search-index/bm25-parameters.ts'
import { findChunkMatches } from '../../src/search-index/chunk-matches.ts'
import { sortLanguages } from '../../src/search-index/document-language.ts'
import { readCandidates } from '../../src/search-index/embedded/candidates/read-candidates.ts'
import { DIMENSIONS, NO_CHUNKS } from '../../src/search-index/embedded/dimensions.ts'
import {
  readChunk,
  readStoredChunk,
  toEngineBatch,
  toSearchResult,
  toTextQuery,
} from '../../src/search-index/embedded/engine-mapping.ts'
import { findEngineTerms } from '../../src/search-index/embedded/find-engine-terms.ts'
import {
  embeddedVectorMethods,
  embeddedVectorStats,
  openVectorReader,
  readUnembeddedPage,
  unpackVectors,
} from '../../src/search-index/embedded/vectors.ts'
import type { SearchIndex, VectorOptions } from '../../src/search-index/search-index.ts'
import { embed } from '../contract/embedding.ts'

export class Crash extends Error {}

export interface LocalIndex extends SearchIndex {
  writer: IndexWriter
  flush(betweenSteps?: () => void): void
  merge(betweenSteps?: () => void): void
  applyNow(batch: Parameters<SearchIndex['apply']>[0]): void
  /** Sets the vector of every chunk that lacks one. */
  embedNow(): void
}

export interface LocalOptions {
  failpoint?: (name: string) => void
  vectors?: VectorOptions | undefined
  /** Called with the number of vectors that were found damaged. */
  dropped?: (count: number) => void
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

export function openLocalIndex(dir: string, options: LocalOptions = {}): LocalIndex {
  const { failpoint = () => {}, vectors, dropped = () => {} } = options
  const policy = { fanIn: 3, floor: 4, maxPassages: 200 }
  const held = vectors && { model: vectors.model, image: createVectorImage(vectors.dimension, 1_000) }
  const basis = { dir, b: B, dimensions: DIMENSIONS, memoryPassages: 24, policy, failpoint }
  const writer = new IndexWriter(held === undefined ? basis : { ...basis, vectors: held })
  const reader = held && openVectorReader(dir, held.image, 0)
  const view = new IndexView()
  const search = new TextSearch({ k1: K1, b: B })
  view.apply(writer.takeInitialChange())
  const take = (change: ViewChange | undefined) => {
    if (change !== undefined) view.apply(change)
  }
  const applyNow: LocalIndex['applyNow'] = (batch) => take(writer.apply(toEngineBatch(batch)))
  return {
    writer,
    applyNow,
    embedNow() {
      const { chunks } = readUnembeddedPage(writer.segments, 10_000, undefined)
      const made = chunks.map((it) => ({ it, vector: embed(it.title, it.content) }))
      take(
        writer.setVectors(
          made.map(({ it, vector }) => ({ key: it.document_id, part: it.chunk_ind, contentHash: it.hash, vector })),
        ),
      )
    },
    apply: async (batch) => applyNow(batch),
    search: async (query) => toSearchResult(search.search(view.segments, toTextQuery(query, view.languages())), query),
    chunks: async (chunkIds) => chunkIds.map((it) => readChunk(view.segments, it)),
    chunksWithMatches: async (query, chunkIds) =>
      findChunkMatches(query, chunkIds, (it) => readStoredChunk(view.segments, it)),
    terms: async (query) => findEngineTerms(view.segments, query),
    ...embeddedVectorMethods({
      options: vectors,
      logger: { ...silent, warn: (facts) => dropped((facts as { dropped: number }).dropped) },
      reader: {
        nearest: async ({ query }) => reader!.nearest(view.segments, query, view.languages()),
        candidates: async ({ query }) =>
          readCandidates(
            { segments: view.segments, languages: view.languages(), textSearch: search, vectorReader: reader },
            query,
          ),
      },
      writer: {
        chunksWithoutVector: async ({ limit, after }) =>
          readUnembeddedPage(vectors === undefined ? [] : writer.segments, limit, after),
        async setVectors(request) {
          take(writer.setVectors(unpackVectors(request.vectors)))
          return null
        },
        async dropDamaged({ slots }) {
          const change = writer.dropDamaged(slots)
          take(change)
          return change.slotAssignments.reduce((sum, it) => sum + it.passages.length, 0)
        },
      },
    }),
    stats: async () => ({
      documents: view.countGroups(),
      chunks: collectionStatistics(view.segments).passages - countGroupsWithLabel(view.segments, 'shape', NO_CHUNKS),
      languages: sortLanguages(view.countGroupsPerLanguage()),
      position: writer.position,
      ...(vectors === undefined ? { vectors: 0, vectors_missing: 0 } : embeddedVectorStats(view.segments)),
    }),
    flush(betweenSteps) {
      const { change, retiredSlots, error } = run(writer.flush(), betweenSteps)
      take(change)
      if (error !== undefined) throw error
      writer.removeObsolete()
      writer.vectors?.free(retiredSlots)
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

/** Flushes after every second batch and merges as often as possible, so that a short run covers all of it. */
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
