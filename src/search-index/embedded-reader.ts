// The thread that searches. It sees the index as of the last update it took, and takes them between searches.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { DamageError } from '../engine/damage.ts'
import { IndexView } from '../engine/index-view.ts'
import { countGroups } from '../engine/mask.ts'
import { statisticsOf, TextSearch } from '../engine/search.ts'
import { B, K1 } from './bm25.ts'
import { BARE, searchResultOf, textQueryOf } from './embedded-group.ts'
import type { ReaderRequest, Reply, Update } from './embedded-messages.ts'
import type { IndexStats, SearchResult } from './search-index.ts'

const { updates } = workerData as { updates: MessagePort }
const port = parentPort!
const view = new IndexView()
const search = new TextSearch({ k1: K1, b: B })
let position = 0
let languages: string[] = []

updates.on('message', (update: Update) => {
  view.apply(update.change)
  position = update.position
  languages = view.languages()
  updates.postMessage(update.version)
})

port.on('message', (request: ReaderRequest) => port.postMessage(replyTo(request)))

function replyTo(request: ReaderRequest): Reply {
  try {
    return { id: request.id, result: answer(request) }
  } catch (error) {
    return { id: request.id, error: String(error), isDamage: error instanceof DamageError }
  }
}

function answer(request: ReaderRequest): SearchResult | IndexStats {
  if (request.method === 'stats') return stats()
  return searchResultOf(search.search(view.segments, textQueryOf(request.query, languages)), request.query)
}

function stats(): IndexStats {
  const { entries } = statisticsOf(view.segments)
  return {
    documents: view.groups(),
    chunks: entries - countGroups(view.segments, 'shape', BARE),
    position,
    segments: view.segments.length,
    memory_bytes: view.segments.reduce((sum, it) => sum + it.segment.image.buffer.byteLength, 0),
  }
}
