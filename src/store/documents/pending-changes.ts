// Figures about the changes that the indexer has yet to apply.
import type { Queryable } from '../database/database.ts'

/** Returns when the next change after `position` was made; null when there is none. */
export async function findOldestPendingChange(db: Queryable, position: number): Promise<number | null> {
  const row = await db
    .selectFrom('document')
    .select(['changed_at', 'deleted_at', 'accepted_at'])
    .where('seq', '>', position)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : (row.changed_at ?? row.deleted_at ?? row.accepted_at)
}

/** Returns when the oldest of the next `limit` retries was accepted; null when no retry is scheduled. */
export async function findOldestRetry(db: Queryable, limit: number): Promise<number | null> {
  const next = db.selectFrom('receipt').select('seq').where('retry_at', 'is not', null).orderBy('retry_at').limit(limit)
  const row = await db
    .selectFrom('document')
    .select((it) => it.fn.min('accepted_at').as('accepted_at'))
    .where('seq', 'in', next)
    .executeTakeFirst()
  return row?.accepted_at ?? null
}

/** Counts the oldest changes, up to `limit`, and the size of their text. */
export async function samplePendingChanges(
  db: Queryable,
  position: number,
  limit: number,
): Promise<{ rows: number; bytes: number }> {
  const oldest = db
    .selectFrom('document')
    .select('body_bytes')
    .where('seq', '>', position)
    .orderBy('seq')
    .limit(limit)
    .as('oldest')
  const { rows, bytes } = await db
    .selectFrom(oldest)
    .select((it) => [it.fn.countAll<number>().as('rows'), it.fn.sum<number | null>('body_bytes').as('bytes')])
    .executeTakeFirstOrThrow()
  return { rows, bytes: bytes ?? 0 }
}
