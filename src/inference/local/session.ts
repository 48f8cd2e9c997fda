// The thread that runs a model.
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { createNewestFirst } from './newest-first.ts'

export interface LocalModelSettings {
  path: string
  dimension: number
  /** The niceness of the thread. */
  nice: number
}

export interface EmbedRequest {
  id: number
  encoded: readonly (readonly number[])[]
}

export interface EmbedReply {
  id: number
  vectors: Float32Array
}

const settings: LocalModelSettings = workerData
if (parentPort === null) throw new Error('A model runs in a thread of its own.')
const port = parentPort

// On Linux this lowers the calling thread alone; elsewhere it would lower the whole process.
if (process.platform === 'linux') setPriority(0, settings.nice)
const session = await InferenceSession.create(settings.path, {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Keeps the memory of the largest batch, 16 MB at 256 tokens. Without it, each tensor would get new pages from the
  // system, which takes more than half of the processor time (docs/decisions/0162-fused-graph.md).
  enableCpuMemArena: true,
  // Would plan memory per batch shape, and nearly every batch has its own shape.
  enableMemPattern: false,
})

port.on(
  'message',
  createNewestFirst(async ({ id, encoded }: EmbedRequest) => {
    const vectors = await runModel(encoded)
    port.postMessage({ id, vectors } satisfies EmbedReply, [vectors.buffer])
  }),
)

async function runModel(encoded: EmbedRequest['encoded']): Promise<Float32Array<ArrayBuffer>> {
  const width = Math.max(...encoded.map((it) => it.length))
  const ids = new BigInt64Array(encoded.length * width)
  const mask = new BigInt64Array(encoded.length * width)
  for (const [row, pieces] of encoded.entries()) {
    for (const [at, piece] of pieces.entries()) {
      ids[row * width + at] = BigInt(piece)
      mask[row * width + at] = 1n
    }
  }
  const shape = [encoded.length, width]
  const input = { input_ids: new Tensor('int64', ids, shape), attention_mask: new Tensor('int64', mask, shape) }
  const output = await session.run(input)
  const [name] = session.outputNames
  const vectors = name === undefined ? undefined : output[name]?.data
  if (!(vectors instanceof Float32Array)) throw new Error('The output of the model is not a list of numbers.')
  // A copy, because the model reuses its memory.
  return Float32Array.from(vectors)
}
