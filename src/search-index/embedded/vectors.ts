// The vector methods of the embedded index: the requests to its threads and their results.
import type { Logger } from '../../domain/logger.ts'
import type { LiveSegment } from '../../engine/segment/live-segment.ts'
import { MAX_DIMENSION } from '../../engine/vectors/dot-products.ts'
import { listMissingVectors } from '../../engine/vectors/missing-vectors.ts'
import { openRowFile } from '../../engine/vectors/row-file.ts'
import type { PassageVector } from '../../engine/vectors/slot-assignments.ts'
import { createFloatReader, floatRowBytes, floatsPath } from '../../engine/vectors/vector-files.ts'
import { createVectorImage, MAX_SCANNERS, type VectorImage } from '../../engine/vectors/vector-rows.ts'
import { VectorSearch } from '../../engine/vectors/vector-search.ts'
import type { VectorSettings } from '../../engine/vectors/vector-store.ts'
import type { Language } from '../../text/language.ts'
import { checkVector, checkVectors } from '../check-vectors.ts'
import type { ChunkVector, Hit, NearestQuery, SearchIndex, UnembeddedPage, VectorOptions } from '../search-index.ts'
import { parseWordConditions } from '../word-conditions.ts'
import { unpackCandidates } from './candidates/packed-candidates.ts'
import { fromEngineHit, toEngineFilter } from './engine-mapping.ts'
import type {
  MethodCalls,
  PackedVectors,
  VectorReaderMethods,
  VectorReadResult,
  VectorWriterMethods,
} from './messages.ts'
import { decodeStoredPassage, toEngineConditions } from './stored-passage.ts'

export function createVectorSettings(options: VectorOptions | undefined, readers: number): VectorSettings | undefined {
  if (options === undefined) return undefined
  const { model, dimension } = options
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > MAX_DIMENSION) {
    throw new RangeError(
      `vectors of dimension ${dimension} cannot be indexed; the dimension must be from 1 to ${MAX_DIMENSION}`,
    )
  }
  if (readers > MAX_SCANNERS)
    throw new RangeError(`${readers} threads cannot scan vectors; the maximum is ${MAX_SCANNERS}`)
  return { model, image: createVectorImage(dimension) }
}

export interface VectorThreads {
  options: VectorOptions | undefined
  logger: Logger
  reader: MethodCalls<VectorReaderMethods>
  writer: MethodCalls<VectorWriterMethods>
}

type VectorMethods = Pick<SearchIndex, 'chunksWithoutVector' | 'setVectors' | 'nearest' | 'candidates'>

export function embeddedVectorMethods({ options, logger, reader, writer }: VectorThreads): VectorMethods {
  const takeFound = async <T>({ found, damaged }: VectorReadResult<T>): Promise<T> => {
    if (damaged.length > 0) await dropDamaged(damaged)
    return found
  }
  const dropDamaged = async (slots: number[]) => {
    const dropped = await writer.dropDamaged({ slots })
    if (dropped > 0) logger.warn({ dropped }, 'damaged vectors dropped; they will be computed again')
  }
  return {
    chunksWithoutVector: ({ limit, after }) => writer.chunksWithoutVector({ limit, after }),
    async setVectors(vectors) {
      const { dimension } = checkVectors(vectors, options)
      if (vectors.length === 0) return
      await writer.setVectors({ vectors: packVectors(vectors, dimension) })
    },
    async nearest(query) {
      if (options === undefined) return { hits: [] }
      checkVector(query.vector, options, 'the vector of the query')
      return takeFound(await reader.nearest({ query: { ...query, vector: query.vector.slice() } }))
    },
    async candidates(query) {
      const vector = options === undefined ? null : query.vector
      if (options !== undefined && vector !== null) checkVector(vector, options, 'the vector of the query')
      const sent = { ...query, vector: vector === null ? null : vector.slice() }
      return unpackCandidates(await takeFound(await reader.candidates({ query: sent })))
    },
  }
}

function packVectors(vectors: readonly ChunkVector[], dimension: number): PackedVectors {
  const values = new Float32Array(vectors.length * dimension)
  for (const [at, { vector }] of vectors.entries()) values.set(vector, at * dimension)
  return { chunks: vectors.map(({ document_id, chunk_ind, hash }) => ({ document_id, chunk_ind, hash })), values }
}

/** Used by the writer: a document id is a key, and chunks have the numbers of passages. */
export function unpackVectors({ chunks, values }: PackedVectors): PassageVector[] {
  const dimension = values.length / chunks.length
  return chunks.map(({ document_id, chunk_ind, hash }, at) => ({
    key: document_id,
    part: chunk_ind,
    contentHash: hash,
    vector: values.subarray(at * dimension, (at + 1) * dimension),
  }))
}

export function readUnembeddedPage(
  segments: readonly LiveSegment[],
  limit: number,
  after: string | undefined,
): UnembeddedPage {
  const [segment, passage] = (after ?? '').split('.').map(Number)
  const cursor = segment === undefined || passage === undefined ? undefined : { segment, passage }
  const { passages, next } = listMissingVectors(segments, cursor, limit)
  return {
    chunks: passages.map(({ key, contentHash, stored }) => {
      const { chunk_ind, title, content } = decodeStoredPassage(stored)
      return { document_id: key, chunk_ind, title, content, hash: contentHash }
    }),
    next: next === undefined ? null : `${next.segment}.${next.passage}`,
  }
}

export interface VectorReader {
  nearest(
    segments: readonly LiveSegment[],
    query: NearestQuery,
    languages: readonly Language[],
  ): VectorReadResult<{ hits: Hit[] }>
  /** Returns the scores of these documents by the int8 values. Those without a vector are left out. */
  similarity(
    segments: readonly LiveSegment[],
    query: Pick<NearestQuery, 'vector' | 'access' | 'filters'> & { document_ids: readonly string[] },
  ): Map<string, number>
  close(): void
}

/** Used by a reader, after the writer has opened the index. `scanner` is the number of the reader thread. */
export function openVectorReader(dir: string, image: VectorImage, scanner: number): VectorReader {
  const { dimension } = image
  const file = openRowFile(floatsPath(dir), 'r', floatRowBytes(dimension))
  const floats = createFloatReader(file, dimension)
  const search = new VectorSearch({ image, floats, scanner })
  return {
    nearest(segments, { vector, access, filters, offset, limit, texts = limit, ...query }, languages) {
      const conditions = toEngineConditions(parseWordConditions(query, languages))
      const filter = toEngineFilter(access, filters)
      const found = search.search(segments, { vector, filter, conditions, offset, limit, texts })
      return { found: { hits: found.map(fromEngineHit) }, damaged: search.takeDamaged() }
    },
    similarity(segments, { vector, access, filters, document_ids }) {
      const filter = toEngineFilter(access, filters)
      return search.scoreKeys(segments, { vector, filter, keys: document_ids })
    },
    close: file.close,
  }
}

/** The number of passages with a vector, and of those that lack one. */
export const embeddedVectorStats = (segments: readonly LiveSegment[]) => ({
  vectors: segments.reduce((sum, it) => sum + it.vectors, 0),
  vectors_missing: segments.reduce((sum, it) => sum + it.missingVectors, 0),
})
