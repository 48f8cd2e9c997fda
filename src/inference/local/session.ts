// The thread that runs a model.
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { createSentencePieceTokenizer } from './e5/sentence-pieces.ts'
import type { LocalModel } from './local-models.ts'
import { createNewestFirst } from './newest-first.ts'
import type { Tokenizer } from './tokenizer.ts'
import { createWordPieceTokenizer } from './word-pieces.ts'

export interface SessionSettings extends Pick<LocalModel, 'weightsPath' | 'vocabulary'> {
  /** The niceness of the thread. */
  nice: number
}

export interface EmbedRequest {
  id: number
  texts: readonly string[]
}

export interface EmbedReply {
  id: number
  /** The vectors, concatenated, in the order of the texts. */
  vectors: Float32Array
}

/** The models were trained or measured with no more; longer inputs cost more than they gain. */
const MAX_INPUT_TOKENS = 256
/**
 * Tokens in a batch, counting the padding to its longest text. Measured on SciFact abstracts, per CPU second, with the
 * program's memory: 2,048 tokens 23 texts and 384 MB, 512 tokens 31 and 214 MB, 256 tokens 39 and 183 MB.
 */
const MAX_BATCH_TOKENS = 256

const settings: SessionSettings = workerData
if (parentPort === null) throw new Error('A model runs in a thread of its own.')
const port = parentPort

// On Linux this lowers the calling thread alone; elsewhere it would lower the whole process.
if (process.platform === 'linux') setPriority(0, settings.nice)
const session = await InferenceSession.create(settings.weightsPath, {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Keeps the memory of the largest batch, 16 MB at 256 tokens. Without it, each tensor would get new pages from the
  // system, which takes more than half of the processor time (docs/decisions/0162-fused-graph.md).
  enableCpuMemArena: true,
  // Would plan memory per batch shape, and nearly every batch has its own shape.
  enableMemPattern: false,
})

const tokenizer = loadTokenizer(settings.vocabulary)

port.on(
  'message',
  createNewestFirst(async ({ id, texts }: EmbedRequest) => {
    const vectors = await embed(texts)
    port.postMessage({ id, vectors } satisfies EmbedReply, [vectors.buffer])
  }),
)

function loadTokenizer({ kind, path }: SessionSettings['vocabulary']): Tokenizer {
  if (kind === 'word-pieces') return createWordPieceTokenizer(readFileSync(path, 'utf8'))
  return createSentencePieceTokenizer(readFileSync(path))
}

async function embed(texts: readonly string[]): Promise<Float32Array<ArrayBuffer>> {
  const encoded = texts.map((text, at) => ({ at, tokens: tokenizer.encode(text, MAX_INPUT_TOKENS) }))
  let all = new Float32Array()
  for (const batch of groupByLength(encoded)) {
    const vectors = await runModel(batch.map((it) => it.tokens))
    if (batch.length === encoded.length && batch.every(({ at }, nth) => at === nth)) return vectors
    const dimension = vectors.length / batch.length
    if (all.length === 0) all = new Float32Array(dimension * texts.length)
    for (const [nth, { at }] of batch.entries())
      all.set(vectors.subarray(nth * dimension, (nth + 1) * dimension), at * dimension)
  }
  return all
}

interface EncodedText {
  /** The position of the text in the request. */
  at: number
  tokens: readonly number[]
}

/** Texts of similar length share a batch, because each is padded to the longest one. */
function groupByLength(encoded: readonly EncodedText[]): EncodedText[][] {
  const batches: EncodedText[][] = []
  for (const it of encoded.toSorted((a, b) => a.tokens.length - b.tokens.length)) {
    const open = batches.at(-1)
    if (open === undefined || (open.length + 1) * it.tokens.length > MAX_BATCH_TOKENS) batches.push([it])
    else open.push(it)
  }
  return batches
}

async function runModel(encoded: readonly (readonly number[])[]): Promise<Float32Array<ArrayBuffer>> {
  const width = Math.max(...encoded.map((it) => it.length))
  const ids = new BigInt64Array(encoded.length * width)
  const mask = new BigInt64Array(encoded.length * width)
  for (const [row, tokens] of encoded.entries()) {
    for (const [at, token] of tokens.entries()) {
      ids[row * width + at] = BigInt(token)
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
