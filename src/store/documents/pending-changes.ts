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

/** Returns the oldest of the next `limit` retries, and why it failed; undefined when no retry is scheduled. */
export function findOldestRetry(
  db: Queryable,
  limit: number,
): Promise<{ accepted_at: number; error: string | null } | undefined> {
  const next = db.selectFrom('receipt').select('seq').where('retry_at', 'is not', null).orderBy('retry_at').limit(limit)
  return db
    .selectFrom('document')
    .innerJoin('receipt', 'receipt.document_id', 'document.id')
    .select(['document.accepted_at', 'receipt.error'])
    .where('document.seq', 'in', next)
    .orderBy('document.accepted_at')
    .limit(1)
    .executeTakeFirst()
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
