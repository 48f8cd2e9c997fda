// The vectors of the embedded index, as the port has them: what the threads are asked, and what they answer.
import type { Logger } from '../domain/logger.ts'
import { MAX_DIMENSION } from '../engine/dots.ts'
import type { LiveSegment } from '../engine/live-segment.ts'
import type { EntryVector } from '../engine/placements.ts'
import { openRowFile } from '../engine/row-file.ts'
import { floatReader, floatRowBytes, floatsPath } from '../engine/vector-files.ts'
import { createVectorImage, MAX_SCANNERS, type VectorImage } from '../engine/vector-rows.ts'
import { VectorSearch } from '../engine/vector-search.ts'
import type { VectorSettings } from '../engine/vector-store.ts'
import { wantingAfter } from '../engine/wanting.ts'
import type { Language } from '../text/language.ts'
import { checkVector, checkVectors } from './check-vectors.ts'
import { conditionsOf, storedChunkOf } from './embedded-conditions.ts'
import { filterOf, hitOf } from './embedded-group.ts'
import type {
  ChunkVector,
  Hit,
  NearestQuery,
  SearchIndex,
  Similarity,
  UnembeddedPage,
  VectorOptions,
} from './search-index.ts'
import { wordConditionsOf } from './word-conditions.ts'

/** Vectors on their way to the writer, one after the other. */
export interface PackedVectors {
  places: { document_id: string; chunk_ind: number; hash: string }[]
  values: Float32Array
}

export type VectorWriterRequest =
  | { method: 'setVectors'; vectors: PackedVectors }
  | { method: 'chunksWithoutVector'; limit: number; after: string | undefined }
  | { method: 'dropDamaged'; slots: number[] }

export type VectorReaderRequest =
  | { method: 'nearest'; query: NearestQuery }
  | { method: 'similarity'; query: Similarity }

export interface VectorAnswer<T = { hits: Hit[] } | Map<string, number>> {
  found: T
  /** Rows that the reader found damaged; the writer is to hear of them. */
  damaged: number[]
}

export function vectorSettings(options: VectorOptions | undefined, readers: number): VectorSettings | undefined {
  if (options === undefined) return undefined
  const { model, dimension } = options
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > MAX_DIMENSION) {
    throw new RangeError(`vectors of ${dimension} values cannot be indexed, only of 1 to ${MAX_DIMENSION}`)
  }
  if (readers > MAX_SCANNERS) throw new RangeError(`${readers} threads cannot scan vectors, only ${MAX_SCANNERS}`)
  return { model, image: createVectorImage(dimension) }
}

export interface VectorThreads {
  options: VectorOptions | undefined
  logger: Logger
  askReader: (request: VectorReaderRequest) => Promise<unknown>
  askWriter: (request: VectorWriterRequest) => Promise<unknown>
}

type VectorMethods = Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'nearest' | 'similarity'>

export function vectorMethods({ options, logger, askReader, askWriter }: VectorThreads): VectorMethods {
  const ask = async <T>(request: VectorReaderRequest) => {
    const { found, damaged } = (await askReader(request)) as VectorAnswer<T>
    if (damaged.length > 0) await dropDamaged(damaged)
    return found
  }
  const dropDamaged = async (slots: number[]) => {
    const dropped = (await askWriter({ method: 'dropDamaged', slots })) as number
    if (dropped > 0) logger.warn({ dropped }, 'vectors are damaged on disk and have to be made again')
  }
  return {
    async chunksWithoutVector({ limit, after }) {
      return (await askWriter({ method: 'chunksWithoutVector', limit, after })) as UnembeddedPage
    },
    async setVectors(vectors) {
      const { dimension } = checkVectors(vectors, options)
      if (vectors.length === 0) return
      await askWriter({ method: 'setVectors', vectors: packed(vectors, dimension) })
    },
    async nearest(query) {
      if (options === undefined) return { hits: [] }
      checkVector(query.vector, options, 'the vector of the query')
      return ask<{ hits: Hit[] }>({ method: 'nearest', query: { ...query, vector: query.vector.slice() } })
    },
    async similarity(query) {
      if (options === undefined) return new Map()
      checkVector(query.vector, options, 'the vector of the query')
      return ask<Map<string, number>>({ method: 'similarity', query: { ...query, vector: query.vector.slice() } })
    },
  }
}

function packed(vectors: readonly ChunkVector[], dimension: number): PackedVectors {
  const values = new Float32Array(vectors.length * dimension)
  for (const [at, { vector }] of vectors.entries()) values.set(vector, at * dimension)
  return { places: vectors.map(({ document_id, chunk_ind, hash }) => ({ document_id, chunk_ind, hash })), values }
}

/** For the writer: a document is a key, and its chunks are numbered as the entries are. */
export function entryVectors({ places, values }: PackedVectors): EntryVector[] {
  const dimension = values.length / places.length
  return places.map(({ document_id, chunk_ind, hash }, at) => ({
    key: document_id,
    part: chunk_ind,
    mark: hash,
    vector: values.subarray(at * dimension, (at + 1) * dimension),
  }))
}

export function unembeddedPage(
  segments: readonly LiveSegment[],
  limit: number,
  after: string | undefined,
): UnembeddedPage {
  const [segment, entry] = (after ?? '').split('.').map(Number)
  const cursor = segment === undefined || entry === undefined ? undefined : { segment, entry }
  const { entries, next } = wantingAfter(segments, cursor, limit)
  return {
    chunks: entries.map(({ key, mark, stored }) => {
      const { chunk_ind, title, content } = storedChunkOf(stored)
      return { document_id: key, chunk_ind, title, content, hash: mark }
    }),
    next: next === undefined ? null : `${next.segment}.${next.entry}`,
  }
}

export interface VectorReader {
  nearest(segments: readonly LiveSegment[], query: NearestQuery, languages: readonly string[]): VectorAnswer
  similarity(segments: readonly LiveSegment[], query: Similarity): VectorAnswer
  close(): void
}

/** For a reader; the writer has opened the index before. `scanner` is the number of the reader's thread. */
export function openVectorReader(dir: string, image: VectorImage, scanner: number): VectorReader {
  const { dimension } = image
  const file = openRowFile(floatsPath(dir), 'r', floatRowBytes(dimension))
  const floats = floatReader(file, dimension)
  const search = new VectorSearch({ image, floats, scanner })
  return {
    nearest(segments, { vector, access, filters, offset, limit, texts = limit, ...query }, languages) {
      const conditions = conditionsOf(wordConditionsOf(query, languages as readonly Language[]))
      const filter = filterOf(access, filters)
      const found = search.search(segments, { vector, filter, conditions, offset, limit, texts })
      return { found: { hits: found.map(hitOf) }, damaged: search.takeDamaged() }
    },
    similarity(segments, { vector, access, document_ids }) {
      const filter = filterOf(access, {})
      const found = search.scoresOf(segments, { vector, filter, keys: document_ids })
      return { found, damaged: search.takeDamaged() }
    },
    close: file.close,
  }
}

/** How many entries have a vector, and how many lack theirs. */
export const vectorStats = (segments: readonly LiveSegment[]) => ({
  vectors: segments.reduce((sum, it) => sum + it.vectors, 0),
  vectors_missing: segments.reduce((sum, it) => sum + it.wanting, 0),
})
