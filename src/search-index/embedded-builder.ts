// The thread that turns documents into segments in memory. It knows nothing of the index they go to.
import { parentPort } from 'node:worker_threads'
import { type BuiltBatch, buildBatch } from '../engine/build-segment.ts'
import { B } from './bm25.ts'
import { DIMENSIONS } from './embedded-dimensions.ts'
import { engineBatchOf } from './embedded-group.ts'
import type { BuilderRequest, Reply } from './embedded-messages.ts'
import { giveWay } from './give-way.ts'
import type { IndexBatch } from './search-index.ts'

const port = parentPort!
/** Of the last batches, which is near enough to that of the index. */
let averageLength = 0

giveWay()
port.on('message', (requests: BuilderRequest[]) => {
  for (const { id, batch } of requests) port.postMessage(replyTo(id, batch))
})

function replyTo(id: number, batch: IndexBatch): Reply {
  try {
    return { id, result: build(batch) }
  } catch (error) {
    return { id, error: String(error), isDamage: false }
  }
}

function build(batch: IndexBatch): BuiltBatch {
  const built = buildBatch(engineBatchOf(batch), { b: B, dimensions: DIMENSIONS, averageLength })
  if (built.image === null) return built
  const { totalLength, entries } = built.image.meta
  const length = totalLength / entries
  averageLength = averageLength === 0 ? length : averageLength * 0.9 + length * 0.1
  return built
}
