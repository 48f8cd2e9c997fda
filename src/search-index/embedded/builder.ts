// The builder thread turns documents into segments in memory. It needs nothing from the index that takes them.
import '../../text/without-http-client.ts'

import { type BuiltBatch, buildBatch } from '../../engine/segment/build-segment.ts'
import { collectWhenIdle } from '../../flow/collect-when-idle.ts'
import { B } from '../bm25-parameters.ts'
import type { IndexBatch } from '../search-index.ts'
import { DIMENSIONS } from './dimensions.ts'
import { toEngineBatch } from './engine-mapping.ts'
import { lowerThreadPriority } from './lower-thread-priority.ts'
import {
  type BuilderMethods,
  createFailureReply,
  getMainPort,
  type ThreadReply,
  type ThreadRequest,
} from './messages.ts'

const port = getMainPort()
/** The average passage length of recent batches, which is close enough to that of the index. */
let averageLength = 0

lowerThreadPriority()
collectWhenIdle()
port.on('message', (requests: ThreadRequest<BuilderMethods>[]) => {
  for (const { id, batch } of requests) port.postMessage(answerRequest(id, batch))
})

function answerRequest(id: number, batch: IndexBatch): ThreadReply {
  try {
    return { id, result: build(batch) }
  } catch (error) {
    return createFailureReply(id, error)
  }
}

function build(batch: IndexBatch): BuiltBatch {
  const built = buildBatch(toEngineBatch(batch), { b: B, dimensions: DIMENSIONS, averageLength })
  if (built.image === null) return built
  const { totalLength, entries } = built.image.meta
  const length = totalLength / entries
  averageLength = averageLength === 0 ? length : averageLength * 0.9 + length * 0.1
  return built
}
