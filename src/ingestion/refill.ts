// An index that lost its files, or came with another record, is filled from the beginning: how far is it?
import type { Logger } from '../domain/logger.ts'
import type { BeginningReason, Generations } from '../search-index/generations.ts'
import type { Queries } from '../store/database.ts'
import { countChanges } from '../store/documents.ts'

export type IndexState =
  | { state: 'ready'; reason: null; done: null; total: null }
  | { state: 'rebuilding'; reason: BeginningReason; done: number; total: number }

export interface RefillWatch {
  state(): IndexState
  /** Says that so many changes more are applied, and how far the index is now. */
  advance(count: number, position: number): Promise<void>
}

interface Needs {
  db: Queries
  generations: Pick<Generations, 'serving' | 'refill' | 'endRefill'>
  logger: Logger
  now: () => number
  /** Called when the index is whole again. */
  onWhole?: () => void
}

const READY: IndexState = { state: 'ready', reason: null, done: null, total: null }

export async function watchRefill({ db, generations, logger, now, onWhole = () => {} }: Needs): Promise<RefillWatch> {
  const begun = now()
  const { position } = await generations.serving.stats()
  const counts = generations.refill() === null ? { done: 0, total: 0 } : await countChanges(db, position)
  const { done: before } = counts
  const first = generations.refill()
  if (first !== null) logger.warn({ ...first, ...counts }, 'the index is being filled from the record')
  return {
    state() {
      const refill = generations.refill()
      return refill === null ? READY : { state: 'rebuilding', reason: refill.reason, ...counts }
    },
    async advance(count, position) {
      const refill = generations.refill()
      if (refill === null) return
      counts.done += count
      // What was changed meanwhile comes by twice.
      counts.total = Math.max(counts.total, counts.done)
      if (position < refill.until) return
      await generations.endRefill()
      onWhole()
      const took_ms = now() - begun
      logger.info({ documents: counts.done - before, took_ms, position }, 'the index is whole again')
    },
  }
}
