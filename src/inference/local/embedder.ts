// A local model in two threads: one for queries, which must not wait, and one for all other texts.
import { Worker } from 'node:worker_threads'
import { rejectOnAbort } from '../../flow/reject-on-abort.ts'
import type { Embedder } from '../embedder.ts'
import type { LocalModel } from './local-models.ts'
import type { EmbedReply, EmbedRequest, SessionSettings } from './session.ts'

/** A call sends this many texts at once. An aborted call lets the thread finish them. */
const TEXTS_PER_REQUEST = 32
/** A thread that failed to start is not restarted at every call. */
const RESTART_DELAY_MS = 60_000
/** The next text waits while an unloaded model is loaded again: less than a second. */
const IDLE_MS = 600_000
/** Nobody waits for the vector of a document, so that thread does not keep its model for the next one. */
const TEXT_IDLE_MS = 60_000

export function openLocalEmbedder(model: LocalModel, { idleMs = IDLE_MS } = {}): Embedder {
  const { dimension, weightsPath, vocabulary, prefixes } = model
  const session = { weightsPath, vocabulary }
  const queryThread = createLazyThread({ ...session, nice: 0 }, idleMs)
  const textThread = createLazyThread({ ...session, nice: 15 }, Math.min(idleMs, TEXT_IDLE_MS))
  return {
    model: model.model,
    dimension,
    reads: model.reads,
    minSimilarity: model.minSimilarity,
    foreign: model.foreign,
    async embedQuery(query, signal) {
      signal.throwIfAborted()
      return rejectOnAbort(signal, queryThread.embed([prefixes.query + query]))
    },
    async embedTexts(texts, signal) {
      const vectors: Float32Array[] = Array(texts.length)
      for (const group of groupByLength(texts)) {
        signal.throwIfAborted()
        const prefixed = group.map(({ text }) => prefixes.text + text)
        const answered = await rejectOnAbort(signal, textThread.embed(prefixed))
        for (const [nth, { at }] of group.entries())
          vectors[at] = answered.slice(nth * dimension, (nth + 1) * dimension)
      }
      return vectors
    },
    async close() {
      await Promise.all([queryThread.close(), textThread.close()])
    },
  }
}

/** Texts of similar length are sent together, so that the thread pads few of them. */
function groupByLength(texts: readonly string[]): { text: string; at: number }[][] {
  const sorted = texts.map((text, at) => ({ text, at })).sort((a, b) => a.text.length - b.text.length)
  return Array.from({ length: Math.ceil(sorted.length / TEXTS_PER_REQUEST) }, (_, nth) =>
    sorted.slice(nth * TEXTS_PER_REQUEST, (nth + 1) * TEXTS_PER_REQUEST),
  )
}

interface EmbeddingThread {
  /** The vectors, concatenated. */
  embed(texts: readonly string[]): Promise<Float32Array>
  close(): Promise<void>
}

/** Starts the thread at the first request and ends it when it has been idle. Restarts a thread that ended. */
function createLazyThread(settings: SessionSettings, idleMs: number): EmbeddingThread {
  const pending = new Map<number, { resolve: (vectors: Float32Array) => void; reject: (error: Error) => void }>()
  let worker: Worker | undefined
  let failed: { error: Error; until: number } | undefined
  let lastId = 0
  let idle: NodeJS.Timeout | undefined
  const unload = () => {
    void worker?.terminate()
    worker = undefined
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
    embed(texts) {
      return new Promise((resolve, reject) => {
        if (failed !== undefined && performance.now() < failed.until) return reject(failed.error)
        clearTimeout(idle)
        worker ??= start()
        const id = ++lastId
        const current = worker
        pending.set(id, { resolve, reject })
        current.ref()
        current.postMessage({ id, texts } satisfies EmbedRequest)
      })
    },
    async close() {
      clearTimeout(idle)
      await worker?.terminate()
    },
  }
}
