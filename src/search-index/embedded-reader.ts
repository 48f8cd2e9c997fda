// The thread that searches. It sees the index as of the last update it took, and takes them between searches.
import { parentPort, workerData } from 'node:worker_threads'
import type { Chunk } from '../domain/chunk.ts'
import { DamageError } from '../engine/damage.ts'
import { IndexView } from '../engine/index-view.ts'
import { countGroups } from '../engine/mask.ts'
import { statisticsOf, TextSearch } from '../engine/search.ts'
import { B, K1 } from './bm25.ts'
import { BARE } from './embedded-dimensions.ts'
import { chunkAt, searchResultOf, textQueryOf } from './embedded-group.ts'
import type { ReaderRequest, ReaderSettings, Reply, Update } from './embedded-messages.ts'
import { findTerms } from './embedded-terms.ts'
import { openVectorReader, type VectorAnswer, type VectorReader, vectorStats } from './embedded-vectors.ts'
import type { FoundTerm, IndexStats, SearchResult } from './search-index.ts'
import { type PackedSightings, packSightings, sightedChunks } from './sighted.ts'

const { updates, vectors } = workerData as ReaderSettings
const port = parentPort!
const view = new IndexView()
const search = new TextSearch({ k1: K1, b: B })
let position = 0
let languages: string[] = []
let vectorReader: VectorReader | undefined

updates.on('message', (update: Update) => {
  view.apply(update.change)
  position = update.position
  languages = view.languages()
  updates.postMessage(update.version)
})

// Not at once: a port gives up to a thousand messages in a row, and updates come by the other one.
port.on('message', (requests: ReaderRequest[]) => {
  for (const it of requests) setImmediate(() => port.postMessage(replyTo(it)))
})

function replyTo(request: ReaderRequest): Reply {
  try {
    return { id: request.id, result: answer(request) }
  } catch (error) {
    return { id: request.id, error: String(error), isDamage: error instanceof DamageError }
  }
}

type Answer = SearchResult | (Chunk | null)[] | PackedSightings | FoundTerm[] | IndexStats | VectorAnswer

function answer(request: ReaderRequest): Answer {
  if (request.method === 'stats') return stats()
  if (request.method === 'chunks') return request.places.map((it) => chunkAt(view.segments, it))
  if (request.method === 'sighted') {
    return packSightings(sightedChunks(request.query, request.places, (it) => chunkAt(view.segments, it)))
  }
  if (request.method === 'terms') return findTerms(view.segments, request.query)
  if (request.method === 'nearest') return openVectors().nearest(view.segments, request.query, languages)
  if (request.method === 'similarity') return openVectors().similarity(view.segments, request.query)
  return searchResultOf(search.search(view.segments, textQueryOf(request.query, languages)), request.query)
}

function stats(): IndexStats {
  const { entries } = statisticsOf(view.segments)
  const held = vectors === undefined ? NO_VECTORS : vectorStats(view.segments)
  return {
    documents: view.groups(),
    chunks: entries - countGroups(view.segments, 'shape', BARE),
    position,
    segments: view.segments.length,
    memory_bytes: view.segments.reduce((sum, it) => sum + it.segment.image.buffer.byteLength, 0),
    ...held,
  }
}

const NO_VECTORS = { vectors: 0, vectors_missing: 0 }

/** With the first question that needs them: by then the writer has made the files. */
function openVectors(): VectorReader {
  if (vectors === undefined) throw new RangeError('the index was opened without vectors')
  vectorReader ??= openVectorReader(vectors.dir, vectors.image, vectors.scanner)
  return vectorReader
}
