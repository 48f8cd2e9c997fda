// The model that comes with the program, in threads of its own: one for queries, which must not wait, one for the rest.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Embedder } from './embedder.ts'
import type { ModelSettings, Reply, Request } from './local-session.ts'
import { type WordPieces, wordPieces } from './word-pieces.ts'

const FOLDER = join(import.meta.dirname, '../../models/all-MiniLM-L6-v2')
const WEIGHTS = join(FOLDER, 'minilm-l6-v2.int8.onnx')
const DIMENSION = 384
/** The model was trained with no more; with more it takes longer than it gains. */
const MAX_PIECES = 256
/**
 * So many pieces, filled up to the longest text, go through the model together. Measured on abstracts of scifact, a CPU
 * second and the memory of the program: 2,048 pieces 23 texts and 384 MB, 512 pieces 31 and 214 MB, 256 pieces 39 and 183 MB.
 */
const BATCH_PIECES = 256
/** A thread that could not start is not started again at every call. */
const START_AGAIN_MS = 60_000

export const localModel = { model: 'all-MiniLM-L6-v2-int8', dimension: DIMENSION } as const

/** Why the model cannot run here, as far as that can be seen without loading it; null when it should. */
export function whyNoLocalModel({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string | null {
  if (!existsSync(WEIGHTS)) return `${WEIGHTS} is missing`
  let runtime: string
  try {
    runtime = fileURLToPath(import.meta.resolve('onnxruntime-node'))
  } catch {
    return 'the package onnxruntime-node is not installed'
  }
  const library = join(runtime, `../../bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`)
  return existsSync(library) ? null : `onnxruntime-node has no library for ${platform} on ${arch}`
}

export function openLocalEmbedder(): Embedder {
  // The vocabulary takes memory too: it comes with the first text.
  let vocabulary: WordPieces | undefined
  const pieces = () => {
    vocabulary ??= wordPieces(readFileSync(join(FOLDER, 'vocab.txt'), 'utf8'))
    return vocabulary
  }
  const model = { path: WEIGHTS, dimension: DIMENSION }
  const [forQueries, forTexts] = [lazyThread({ ...model, nice: 0 }), lazyThread({ ...model, nice: 15 })]
  return {
    ...localModel,
    async embedQuery(query, signal) {
      const [vector] = await embed(forQueries, pieces(), [query], signal)
      return vector!
    },
    embedTexts: (texts, signal) => embed(forTexts, pieces(), texts, signal),
    async close() {
      await Promise.all([forQueries.close(), forTexts.close()])
    },
  }
}

async function embed(
  thread: Thread,
  pieces: WordPieces,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const encoded = texts.map((text) => pieces.encode(text, MAX_PIECES))
  const vectors: Float32Array[] = Array(texts.length)
  for (const batch of batchesOf(encoded)) {
    signal.throwIfAborted()
    const answered = await unlessAborted(thread.ask(batch.map((at) => encoded[at]!)), signal)
    for (const [nth, at] of batch.entries()) vectors[at] = answered.slice(nth * DIMENSION, (nth + 1) * DIMENSION)
  }
  return vectors
}

/** The model goes on to the end of the batch, but nobody waits for that. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Texts of like length together, because each is filled up to the longest of its batch. */
function batchesOf(encoded: readonly (readonly number[])[]): number[][] {
  const shortestFirst = encoded.map((_, at) => at).sort((a, b) => encoded[a]!.length - encoded[b]!.length)
  const batches: number[][] = [[]]
  for (const at of shortestFirst) {
    const open = batches.at(-1)!
    if (open.length > 0 && (open.length + 1) * encoded[at]!.length > BATCH_PIECES) batches.push([at])
    else open.push(at)
  }
  return batches[0]!.length === 0 ? [] : batches
}

interface Thread {
  /** One vector after the other. */
  ask(encoded: readonly (readonly number[])[]): Promise<Float32Array>
  close(): Promise<void>
}

/** Starts with the first question: who never asks does not pay for the model. A thread that ended starts again. */
function lazyThread(settings: ModelSettings): Thread {
  const open = new Map<number, { resolve: (vectors: Float32Array) => void; reject: (error: Error) => void }>()
  let worker: Worker | undefined
  let failed: { error: Error; until: number } | undefined
  let lastId = 0
  const start = () => {
    const started = new Worker(new URL('./local-session.ts', import.meta.url), { workerData: settings })
    let hasAnswered = false
    const fail = (error: Error) => {
      if (worker === started) {
        worker = undefined
        if (!hasAnswered) failed = { error, until: performance.now() + START_AGAIN_MS }
      }
      for (const { reject } of open.values()) reject(error)
      open.clear()
    }
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the thread of the embedding model ended')))
    started.on('message', ({ id, vectors }: Reply) => {
      hasAnswered = true
      open.get(id)!.resolve(vectors)
      open.delete(id)
      // A thread that only waits does not keep the program from ending.
      if (open.size === 0) started.unref()
    })
    return started
  }
  return {
    ask(encoded) {
      return new Promise((resolve, reject) => {
        if (failed !== undefined && performance.now() < failed.until) return reject(failed.error)
        worker ??= start()
        const id = ++lastId
        const current = worker
        open.set(id, { resolve, reject })
        current.ref()
        current.postMessage({ id, encoded } satisfies Request)
      })
    },
    async close() {
      await worker?.terminate()
    },
  }
}
