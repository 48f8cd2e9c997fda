// Which embedding model is used: the configured one, and the one that made the stored vectors.
import type { Logger } from '../domain/logger.ts'
import { createLoop, exponentialBackoff, type LoopRound } from '../flow/background-loop.ts'
import type { Embedder } from './embedder.ts'

type EmbeddingModel = Pick<Embedder, 'model' | 'dimension'>

/** The model that the settings name. */
export type ConfiguredEmbedder =
  | { kind: 'off' }
  | { kind: 'ready'; model: EmbeddingModel }
  /** Unavailable until the program restarts. */
  | { kind: 'missing'; model: EmbeddingModel; reason: string }
  /** Has not answered yet; `probeDimension` asks for the dimension of its vectors. */
  | {
      kind: 'silent'
      name: string
      reason: string
      failures: number
      probeDimension: (signal: AbortSignal) => Promise<number>
    }

export interface Embedders {
  configured(): ConfiguredEmbedder
  /** The embedder for vectors of this model, the same one until it is released; null if it is unavailable. */
  forModel(model: EmbeddingModel): Embedder | null
  /** Closes the embedder of this model; nobody uses it any more. */
  release(model: EmbeddingModel): void
  /** Retries a model that has not answered yet until it does. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

interface EmbeddersDeps {
  configured: ConfiguredEmbedder
  open: (model: EmbeddingModel) => Embedder | null
  logger: Logger
  /** Called when a silent model answers for the first time. */
  onReady: () => void
}

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

export function createEmbedders({ configured: first, open, logger, onReady }: EmbeddersDeps): Embedders {
  const opened = new Map<string, Embedder | null>()
  const closing = new Set<Promise<void>>()
  let configured = first
  const closeInBackground = (embedder: Embedder | null) => {
    if (embedder === null) return
    const end = embedder.close().finally(() => closing.delete(end))
    closing.add(end)
  }
  const probe: LoopRound = async (signal) => {
    if (configured.kind !== 'silent') return 'end'
    const model = { model: configured.name, dimension: await configured.probeDimension(signal) }
    configured = { kind: 'ready', model }
    logger.info(model, 'the embedding model answers')
    onReady()
    return 'end'
  }
  const loop = createLoop(probe, {
    retryMs: exponentialBackoff(FIRST_RETRY_MS, MAX_RETRY_MS),
    onError(error) {
      if (configured.kind !== 'silent') return
      const reason = error instanceof Error ? error.message : String(error)
      configured = { ...configured, reason, failures: configured.failures + 1 }
    },
  })
  return {
    configured: () => configured,
    forModel(model) {
      const key = modelKey(model)
      const known = opened.get(key)
      if (known !== undefined) return known
      const embedder = open(model)
      opened.set(key, embedder)
      return embedder
    },
    release(model) {
      closeInBackground(opened.get(modelKey(model)) ?? null)
      opened.delete(modelKey(model))
    },
    run: loop.run,
    async close() {
      for (const it of opened.values()) closeInBackground(it)
      opened.clear()
      await Promise.all(closing)
    },
  }
}

const modelKey = ({ model, dimension }: EmbeddingModel) => `${model} ${dimension}`
