// The changes that the follower has yet to apply, told in few numbers.
import type { Queries } from './database.ts'

/** When the next change after `position` was made; null when there is none. */
export async function oldestWaiting(db: Queries, position: number): Promise<number | null> {
  const row = await db
    .selectFrom('document')
    .select(['changed_at', 'deleted_at', 'accepted_at'])
    .where('seq', '>', position)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : (row.changed_at ?? row.deleted_at ?? row.accepted_at)
}

/** When the oldest of the `limit` failed documents that come first was accepted; null when none is to be tried again. */
export async function oldestRetry(db: Queries, limit: number): Promise<number | null> {
  const next = db.selectFrom('receipt').select('seq').where('retry_at', 'is not', null).orderBy('retry_at').limit(limit)
  const row = await db
    .selectFrom('document')
    .select((it) => it.fn.min('accepted_at').as('accepted_at'))
    .where('seq', 'in', next)
    .executeTakeFirst()
  return row?.accepted_at ?? null
}

/** How many of the oldest `limit` there are, and how much text is in them. */
export async function sampleWaiting(
  db: Queries,
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
