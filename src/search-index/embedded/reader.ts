// The reader thread searches. It sees the index as of the last update and applies updates between searches.
import '../../text/without-http-client.ts'

import { workerData } from 'node:worker_threads'
import type { Query } from '../../domain/search/query.ts'
import { countGroupsWithLabel } from '../../engine/query/filter-mask.ts'
import { collectionStatistics, TextSearch } from '../../engine/query/text-search.ts'
import { IndexView } from '../../engine/segment/index-view.ts'
import { isOutOfFiles } from '../../engine/segment/out-of-files.ts'
import { collectWhenIdle } from '../../flow/collect-when-idle.ts'
import type { Language } from '../../text/language.ts'
import { B, K1 } from '../bm25-parameters.ts'
import { findChunkMatches, packMatches } from '../chunk-matches.ts'
import { sortLanguages } from '../document-language.ts'
import type { CandidateQuery, IndexStats } from '../search-index.ts'
import { readCandidates } from './candidates/read-candidates.ts'
import { NO_CHUNKS } from './dimensions.ts'
import { readChunk, readStoredChunk, toSearchResult, toTextQuery } from './engine-mapping.ts'
import { findEngineTerms } from './find-engine-terms.ts'
import {
  createFailureReply,
  getMainPort,
  type ReaderMethods,
  type ReaderSettings,
  type ThreadReply,
  type ThreadRequest,
  type ViewUpdate,
} from './messages.ts'
import { embeddedVectorStats, openVectorReader, type VectorReader } from './vectors.ts'

const { updates, vectors }: ReaderSettings = workerData
const port = getMainPort()
const view = new IndexView()
const search = new TextSearch({ k1: K1, b: B })
let position = 0
let languages: Language[] = []
let vectorReader: VectorReader | undefined
const pendingUpdates: ViewUpdate[] = []
/** The delay after a file could not be opened. */
const RETRY_MS = 500

collectWhenIdle()

updates.on('message', (update: ViewUpdate) => {
  pendingUpdates.push(update)
  if (pendingUpdates.length === 1) applyUpdates()
})

// Deferred because a port delivers up to a thousand messages in a row, and updates arrive on another port.
port.on('message', (requests: ThreadRequest<ReaderMethods>[]) => {
  for (const it of requests) setImmediate(() => port.postMessage(answerRequest(it)))
})

/** Applies updates in order. While a file cannot be opened, searches see the previous state, and the writer waits. */
function applyUpdates(): void {
  try {
    for (let next = pendingUpdates[0]; next !== undefined; next = pendingUpdates[0]) {
      applyUpdate(next)
      pendingUpdates.shift()
    }
  } catch (error) {
    if (!isOutOfFiles(error)) throw error
    setTimeout(applyUpdates, RETRY_MS)
  }
}

function applyUpdate(update: ViewUpdate): void {
  view.apply(update.change)
  position = update.position
  languages = view.languages()
  updates.postMessage(update.version)
}

function answerRequest(request: ThreadRequest<ReaderMethods>): ThreadReply {
  try {
    return { id: request.id, result: handleRequest(request) }
  } catch (error) {
    return createFailureReply(request.id, error)
  }
}

function handleRequest(request: ThreadRequest<ReaderMethods>): ReaderMethods[keyof ReaderMethods]['result'] {
  if (request.method === 'stats') return stats()
  if (request.method === 'chunks') return request.chunkIds.map((it) => readChunk(view.segments, it))
  if (request.method === 'chunksWithMatches') {
    return packMatches(findChunkMatches(request.query, request.chunkIds, (it) => readStoredChunk(view.segments, it)))
  }
  if (request.method === 'terms') return findEngineTerms(view.segments, request.query)
  if (request.method === 'nearest') return getVectorReader().nearest(view.segments, request.query, languages)
  if (request.method === 'candidates') return answerCandidates(request.query)
  return findHits(request.query)
}

const findHits = (query: Query) => toSearchResult(search.search(view.segments, toTextQuery(query, languages)), query)

function answerCandidates(query: CandidateQuery): ReaderMethods['candidates']['result'] {
  const { segments } = view
  const vectorSearch = query.vector === null ? undefined : getVectorReader()
  return readCandidates({ segments, languages, textSearch: search, vectorReader: vectorSearch }, query)
}

function stats(): IndexStats {
  const { passages } = collectionStatistics(view.segments)
  const vectorCounts = vectors === undefined ? NO_VECTORS : embeddedVectorStats(view.segments)
  return {
    documents: view.countGroups(),
    chunks: passages - countGroupsWithLabel(view.segments, 'shape', NO_CHUNKS),
    languages: sortLanguages(view.countGroupsPerLanguage()),
    position,
    segments: view.segments.length,
    memory_bytes: view.segments.reduce((sum, it) => sum + it.segment.image.buffer.byteLength, 0),
    ...vectorCounts,
  }
}

const NO_VECTORS = { vectors: 0, vectors_missing: 0 }

/** Opened with the first request that needs it, because by then the writer has created the files. */
function getVectorReader(): VectorReader {
  if (vectors === undefined) throw new RangeError('the index was opened without vectors')
  vectorReader ??= openVectorReader(vectors.dir, vectors.image, vectors.scanner)
  return vectorReader
}
