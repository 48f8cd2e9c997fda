// Tracks the rebuild of an index that lost its files or belongs to another record.
import type { Logger } from '../../domain/logger.ts'
import type { Generations, RebuildReason } from '../../search-index/generations.ts'
import type { Queryable } from '../../store/database/database.ts'
import { countChanges } from '../../store/documents/documents.ts'

export type IndexState =
  | { state: 'ready'; reason: null; done: null; total: null }
  | { state: 'rebuilding'; reason: RebuildReason; done: number; total: number }

export interface RebuildTracker {
  state(): IndexState
  /** Reports newly applied changes and the position of the index. */
  advance(count: number, position: number): Promise<void>
}

interface RebuildTrackerDeps {
  db: Queryable
  generations: Pick<Generations, 'serving' | 'pendingRebuild' | 'finishRebuild'>
  logger: Logger
  now: () => number
  /** Called when the rebuild is complete. */
  onRebuilt?: () => void
}

const READY: IndexState = { state: 'ready', reason: null, done: null, total: null }

export async function trackRebuild({
  db,
  generations,
  logger,
  now,
  onRebuilt = () => {},
}: RebuildTrackerDeps): Promise<RebuildTracker> {
  const startedAt = now()
  const { position } = await generations.serving.stats()
  const counts = generations.pendingRebuild() === null ? { done: 0, total: 0 } : await countChanges(db, position)
  const { done: doneBefore } = counts
  const current = generations.pendingRebuild()
  if (current !== null) logger.warn({ ...current, ...counts }, 'index rebuild started')
  return {
    state() {
      const pendingRebuild = generations.pendingRebuild()
      return pendingRebuild === null ? READY : { state: 'rebuilding', reason: pendingRebuild.reason, ...counts }
    },
    async advance(count, position) {
      const pendingRebuild = generations.pendingRebuild()
      if (pendingRebuild === null) return
      counts.done += count
      // Documents that change during the rebuild are counted twice.
      counts.total = Math.max(counts.total, counts.done)
      if (position < pendingRebuild.until) return
      await generations.finishRebuild()
      onRebuilt()
      const took_ms = now() - startedAt
      logger.info({ documents: counts.done - doneBefore, took_ms, position }, 'index rebuilt')
    },
  }
}
