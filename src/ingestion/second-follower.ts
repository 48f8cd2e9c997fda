// The follower of an index that is made beside the one that serves: never further than that one, and silent about success.
import type { Logger } from '../domain/logger.ts'
import type { Building } from '../search-index/generations.ts'
import type { Database } from '../store/database.ts'
import { type Change, countChanges, listChanges } from '../store/documents.ts'
import { markDocuments } from '../store/receipts.ts'
import { applyAlone, type Followed, indexBatch, type Outcome, prepare } from './indexer.ts'

/** Smaller than the other follower's: what comes in goes first. */
const MAX_BATCH = 50
const MAX_BATCH_BYTES = 1_000_000

export interface SecondFollower {
  readonly generation: number
  readonly since: number
  progress(): { done: number; total: number }
  /** Takes a batch of the changes up to `limit`. Answers whether there was none left. */
  step(limit: number): Promise<boolean>
}

interface Needs {
  db: Database
  logger: Logger
  now: () => number
  failpoint: (name: string) => void
}

export async function followBeside(needs: Needs, { generation, since, index }: Building): Promise<SecondFollower> {
  const { db, failpoint } = needs
  let { position } = await index.stats()
  let { done, total } = await countChanges(db, position)
  return {
    generation,
    since,
    progress: () => ({ done, total }),
    async step(limit) {
      const listed = await listChanges(db, position, MAX_BATCH, MAX_BATCH_BYTES)
      // What the other one does not have yet, it must take first: only it writes receipts of what it took.
      const changes = listed.filter(({ seq }) => seq <= limit)
      const target = changes.at(-1)?.seq ?? Math.max(limit, position)
      await applyChanges({ ...needs, searchIndex: index }, changes, target)
      failpoint('reindex-step')
      position = target
      done += changes.length
      // What was changed meanwhile comes by twice.
      total = Math.max(total, done)
      return changes.length === 0
    },
  }
}

/**
 * Marks only what fails, and before the index is past it: the other index has told of the rest, and a document that
 * this one alone refuses is tried again on both.
 */
async function applyChanges(
  needs: Needs & { searchIndex: Followed },
  changes: readonly Change[],
  position: number,
): Promise<void> {
  const { db, searchIndex, now } = needs
  const { ready, outcomes } = prepare(changes, now())
  await markFailures(db, outcomes)
  try {
    await searchIndex.apply(indexBatch(ready, position))
  } catch {
    const alone = await applyAlone(needs, ready)
    // An index that refuses even this is ill itself: then no document is to blame, and none is marked.
    const { position: before } = await searchIndex.stats()
    await searchIndex.apply({ upserts: [], deletes: [], position: before })
    await markFailures(db, alone)
    await searchIndex.apply({ upserts: [], deletes: [], position })
  }
}

/** One that failed before waits for its next try already, or was given up. */
async function markFailures(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  const news = outcomes.filter(({ change, mark }) => mark.error !== null && change.attempts === 0)
  if (news.length > 0)
    await markDocuments(
      db,
      news.map((it) => it.mark),
    )
}
