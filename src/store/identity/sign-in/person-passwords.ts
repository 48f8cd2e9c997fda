// Passwords of people, and when people were last seen.
import { PERSON_PREFIX, type Role } from '../../../domain/subject.ts'
import { toSqlFlag } from '../../database/column-types.ts'
import type { Database, Queryable } from '../../database/database.ts'

export interface PasswordChange {
  password_hash: string
  /** Absent fields stay as they are. */
  role?: Role
  name?: string
  is_verified?: boolean
}

/** Ends all sessions that the person has opened, so that a stolen one ends too. */
export async function setPassword(trx: Queryable, id: string, change: PasswordChange, now: number): Promise<void> {
  const { is_verified, ...columns } = change
  await trx
    .updateTable('person')
    .set({
      ...columns,
      ...(is_verified !== undefined && { is_verified: toSqlFlag(is_verified) }),
      password_changed_at: now,
      time_updated: now,
    })
    .where('id', '=', id)
    .execute()
  await trx
    .deleteFrom('session')
    .where('owner_kid', '=', PERSON_PREFIX + id)
    .execute()
}

/** A provider vouches for the address. */
export async function markVerified(trx: Queryable, id: string, now: number): Promise<void> {
  await trx
    .updateTable('person')
    .set({ is_verified: 1, time_updated: now })
    .where('id', '=', id)
    .where('is_verified', '=', 0)
    .execute()
}

/** Replaces the hash of an unchanged password. */
export async function replacePasswordHash(db: Database, id: string, before: string, after: string): Promise<void> {
  await db
    .updateTable('person')
    .set({ password_hash: after })
    .where('id', '=', id)
    .where('password_hash', '=', before)
    .execute()
}

/** Whether an administrator can sign in. */
export async function hasAdminWithPassword(db: Queryable): Promise<boolean> {
  const found = await db
    .selectFrom('person')
    .select('id')
    .where('role', '=', 'admin')
    .where('is_active', '=', 1)
    .where('password_hash', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function touchPeople(db: Database, seen: ReadonlyMap<string, number>): Promise<void> {
  await db.commit(
    [...seen].map(([id, last_seen_at]) => [
      db.updateTable('person').set({ last_seen_at }).where('id', '=', id).compile(),
    ]),
  )
}
