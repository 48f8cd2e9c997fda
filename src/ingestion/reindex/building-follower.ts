// The follower of an index that is being built. It never overtakes the serving index, and it writes no receipts of success.
import type { Logger } from '../../domain/logger.ts'
import type { BuildingGeneration } from '../../search-index/generations.ts'
import type { Database } from '../../store/database/database.ts'
import { countChanges, type DocumentChange, listChanges } from '../../store/documents/documents.ts'
import { writeReceipts } from '../../store/documents/receipts.ts'
import {
  applyOneByOne,
  type ChangeOutcome,
  type FollowedIndex,
  prepareChanges,
  toIndexBatch,
} from '../index/indexer.ts'

/** Smaller than the batches of the serving index, which has priority. */
const MAX_BATCH = 50
const MAX_BATCH_BYTES = 1_000_000

export interface BuildingFollower {
  readonly generation: number
  readonly since: number
  progress(): { done: number; total: number }
  /** Applies a batch of changes up to `limit`. Returns whether none were left. */
  step(limit: number): Promise<boolean>
}

interface BuildingFollowerDeps {
  db: Database
  logger: Logger
  now: () => number
  failpoint: (name: string) => void
}

export async function createBuildingFollower(
  deps: BuildingFollowerDeps,
  { generation, since, index }: BuildingGeneration,
): Promise<BuildingFollower> {
  const { db, failpoint } = deps
  let { position } = await index.stats()
  let { done, total } = await countChanges(db, position)
  return {
    generation,
    since,
    progress: () => ({ done, total }),
    async step(limit) {
      const upcoming = await listChanges(db, position, MAX_BATCH, MAX_BATCH_BYTES)
      // Changes reach the serving index first, because only its follower writes receipts.
      const changes = upcoming.filter(({ seq }) => seq <= limit)
      const target = changes.at(-1)?.seq ?? Math.max(limit, position)
      await applyChanges({ ...deps, searchIndex: index }, changes, target)
      failpoint('reindex-step')
      position = target
      done += changes.length
      // Documents that change during the build are counted twice.
      total = Math.max(total, done)
      return changes.length === 0
    },
  }
}

/**
 * Marks only failures, before the index advances past them. The serving index has reported the rest. A document that only
 * this index rejects is retried on both.
 */
async function applyChanges(
  deps: BuildingFollowerDeps & { searchIndex: FollowedIndex },
  changes: readonly DocumentChange[],
  position: number,
): Promise<void> {
  const { db, searchIndex, now } = deps
  const { prepared, outcomes } = prepareChanges(changes, now())
  await markFailures(db, outcomes)
  try {
    await searchIndex.apply(toIndexBatch(prepared, position))
  } catch {
    const appliedAlone = await applyOneByOne(deps, prepared)
    // If the index rejects even an empty batch, no document is to blame and none is marked.
    const { position: before } = await searchIndex.stats()
    await searchIndex.apply({ upserts: [], deletes: [], position: before })
    await markFailures(db, appliedAlone)
    await searchIndex.apply({ upserts: [], deletes: [], position })
  }
}

/** A document that failed before already waits for its retry, or has exhausted its attempts. */
async function markFailures(db: Database, outcomes: readonly ChangeOutcome[]): Promise<void> {
  const newFailures = outcomes.filter(({ change, mark }) => mark.error !== null && change.attempts === 0)
  if (newFailures.length > 0)
    await writeReceipts(
      db,
      newFailures.map((it) => it.mark),
    )
}
