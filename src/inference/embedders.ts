// Which model is asked: the one that the settings name, and the one that made the vectors there are.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../domain/logger.ts'
import type { Embedder } from './embedder.ts'

type Model = Pick<Embedder, 'model' | 'dimension'>

/** What the settings name. */
export type Configured =
  | { kind: 'off' }
  | { kind: 'ready'; model: Model }
  /** Cannot be asked in the life of this program. */
  | { kind: 'missing'; model: Model; reason: string }
  /** Has never answered; `ask` tells how many numbers its vectors have. */
  | { kind: 'silent'; name: string; reason: string; ask: (signal: AbortSignal) => Promise<number> }

export interface Embedders {
  configured(): Configured
  /** For vectors of this model; null where nobody can be asked. The same one as long as it is not released. */
  of(model: Model): Embedder | null
  /** Ends what `of` gave: nobody asks that model any more. */
  release(model: Model): void
  /** Asks a model that has never answered until it does. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

interface Needs {
  configured: Configured
  open: (model: Model) => Embedder | null
  logger: Logger
  /** Called when a model that had never answered did. */
  onReady: () => void
}

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000

export function createEmbedders({ configured: first, open, logger, onReady }: Needs): Embedders {
  const opened = new Map<string, Embedder | null>()
  const ending = new Set<Promise<void>>()
  let configured = first
  const end = (embedder: Embedder | null) => {
    if (embedder === null) return
    const end = embedder.close().finally(() => ending.delete(end))
    ending.add(end)
  }
  return {
    configured: () => configured,
    of(model) {
      const key = keyOf(model)
      if (!opened.has(key)) opened.set(key, open(model))
      return opened.get(key)!
    },
    release(model) {
      end(opened.get(keyOf(model)) ?? null)
      opened.delete(keyOf(model))
    },
    async run(signal) {
      for (let pauseMs = FIRST_PAUSE_MS; configured.kind === 'silent' && !signal.aborted; ) {
        const silent = configured
        try {
          const model = { model: silent.name, dimension: await silent.ask(signal) }
          configured = { kind: 'ready', model }
          logger.info(model, 'the embedding model answers')
          onReady()
        } catch (error) {
          configured = { ...silent, reason: error instanceof Error ? error.message : String(error) }
          await delay(pauseMs, undefined, { signal }).catch(() => {})
          pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
        }
      }
    },
    async close() {
      for (const it of opened.values()) end(it)
      opened.clear()
      await Promise.all(ending)
    },
  }
}

const keyOf = ({ model, dimension }: Model) => `${model} ${dimension}`
