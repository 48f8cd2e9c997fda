// The bundled model in two threads: one for queries, which must not wait, and one for all other texts.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { rejectOnAbort } from '../../flow/reject-on-abort.ts'
import type { Embedder } from '../embedder.ts'
import type { EmbedReply, EmbedRequest, LocalModelSettings } from './session.ts'
import { createWordPieceTokenizer, type WordPieceTokenizer } from './word-pieces.ts'

const MODEL_FOLDER = join(import.meta.dirname, '../../../models/all-MiniLM-L6-v2')
const WEIGHTS_FILE = join(MODEL_FOLDER, 'minilm-l6-v2.int8-fused.onnx')
const DIMENSION = 384
/** The model was trained with no more; longer inputs cost more than they gain. */
const MAX_INPUT_TOKENS = 256
/**
 * Tokens in a batch, counting the padding to its longest text. Measured on SciFact abstracts, per CPU second, with the
 * program's memory: 2,048 tokens 23 texts and 384 MB, 512 tokens 31 and 214 MB, 256 tokens 39 and 183 MB.
 */
const MAX_BATCH_TOKENS = 256
/** A thread that failed to start is not restarted at every call. */
const RESTART_DELAY_MS = 60_000
/** The next text waits while an unloaded model is loaded again: less than a second. */
const IDLE_MS = 600_000
/** Nobody waits for the vector of a document, so that thread does not keep its model for the next one. */
const TEXT_IDLE_MS = 60_000

export const localModel = { model: 'all-MiniLM-L6-v2-int8', dimension: DIMENSION } as const

/** Why the model cannot run here, as far as can be seen without loading it; null if it should. */
export function explainMissingLocalModel({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string | null {
  if (!existsSync(WEIGHTS_FILE)) return `${WEIGHTS_FILE} is missing`
  let runtime: string
  try {
    runtime = fileURLToPath(import.meta.resolve('onnxruntime-node'))
  } catch {
    return 'the package onnxruntime-node is not installed'
  }
  const library = join(runtime, `../../bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`)
  return existsSync(library) ? null : `onnxruntime-node has no library for ${platform} on ${arch}`
}

export function openLocalEmbedder({ idleMs = IDLE_MS } = {}): Embedder {
  // Loaded lazily and unloaded with the model, because the vocabulary takes memory.
  let vocabulary: WordPieceTokenizer | undefined
  const loadTokenizer = () => {
    vocabulary ??= createWordPieceTokenizer(readFileSync(join(MODEL_FOLDER, 'vocab.txt'), 'utf8'))
    return vocabulary
  }
  const model = { path: WEIGHTS_FILE, dimension: DIMENSION }
  const onUnloaded = () => {
    if (!queryThread.isLoaded() && !textThread.isLoaded()) vocabulary = undefined
  }
  const queryThread = createLazyThread({ ...model, nice: 0 }, { idleMs, onUnloaded })
  const textIdleMs = Math.min(idleMs, TEXT_IDLE_MS)
  const textThread = createLazyThread({ ...model, nice: 15 }, { idleMs: textIdleMs, onUnloaded })
  return {
    ...localModel,
    reads: 'english',
    async embedQuery(query, signal) {
      signal.throwIfAborted()
      return rejectOnAbort(signal, queryThread.embedBatch([loadTokenizer().encode(query, MAX_INPUT_TOKENS)]))
    },
    embedTexts: (texts, signal) => embedInThread(textThread, loadTokenizer(), texts, signal),
    async close() {
      await Promise.all([queryThread.close(), textThread.close()])
    },
  }
}

async function embedInThread(
  thread: EmbeddingThread,
  tokenizer: WordPieceTokenizer,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const encoded = texts.map((text, at) => ({ at, pieces: tokenizer.encode(text, MAX_INPUT_TOKENS) }))
  const vectors: Float32Array[] = Array(texts.length)
  for (const batch of groupByLength(encoded)) {
    signal.throwIfAborted()
    // The model finishes the batch, but the caller does not wait for it.
    const answered = await rejectOnAbort(signal, thread.embedBatch(batch.map((it) => it.pieces)))
    for (const [nth, { at }] of batch.entries()) vectors[at] = answered.slice(nth * DIMENSION, (nth + 1) * DIMENSION)
  }
  return vectors
}

interface EncodedText {
  /** The position of the text among those of the call. */
  at: number
  pieces: readonly number[]
}

/** Texts of similar length share a batch, because each is padded to the longest one. */
function groupByLength(encoded: readonly EncodedText[]): EncodedText[][] {
  const batches: EncodedText[][] = []
  for (const it of encoded.toSorted((a, b) => a.pieces.length - b.pieces.length)) {
    const open = batches.at(-1)
    if (open === undefined || (open.length + 1) * it.pieces.length > MAX_BATCH_TOKENS) batches.push([it])
    else open.push(it)
  }
  return batches
}

interface EmbeddingThread {
  /** The vectors, concatenated. */
  embedBatch(encoded: readonly (readonly number[])[]): Promise<Float32Array>
  isLoaded(): boolean
  close(): Promise<void>
}

/** Starts the thread at the first request and ends it when it has been idle. Restarts a thread that ended. */
function createLazyThread(
  settings: LocalModelSettings,
  { idleMs, onUnloaded }: { idleMs: number; onUnloaded: () => void },
): EmbeddingThread {
  const pending = new Map<number, { resolve: (vectors: Float32Array) => void; reject: (error: Error) => void }>()
  let worker: Worker | undefined
  let failed: { error: Error; until: number } | undefined
  let lastId = 0
  let idle: NodeJS.Timeout | undefined
  const unload = () => {
    void worker?.terminate()
    worker = undefined
    onUnloaded()
  }
  const start = () => {
    const started = new Worker(new URL('./session.ts', import.meta.url), { workerData: settings })
    let hasAnswered = false
    const fail = (error: Error) => {
      // The requests of its successor do not fail with it.
      if (worker !== started) return
      worker = undefined
      if (!hasAnswered) failed = { error, until: performance.now() + RESTART_DELAY_MS }
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    }
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the embedding thread ended')))
    started.on('message', ({ id, vectors }: EmbedReply) => {
      hasAnswered = true
      pending.get(id)?.resolve(vectors)
      pending.delete(id)
      if (pending.size > 0) return
      // An idle thread does not keep the process alive.
      started.unref()
      idle = setTimeout(unload, idleMs).unref()
    })
    return started
  }
  return {
    embedBatch(encoded) {
      return new Promise((resolve, reject) => {
        if (failed !== undefined && performance.now() < failed.until) return reject(failed.error)
        clearTimeout(idle)
        worker ??= start()
        const id = ++lastId
        const current = worker
        pending.set(id, { resolve, reject })
        current.ref()
        current.postMessage({ id, encoded } satisfies EmbedRequest)
      })
    },
    isLoaded: () => worker !== undefined,
    async close() {
      clearTimeout(idle)
      await worker?.terminate()
    },
  }
}
