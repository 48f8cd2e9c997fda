import type { Insertable, Selectable } from 'kysely'
import type { Database, Queryable } from '../database/database.ts'
import type { SessionRow } from '../database/identity-tables.ts'

export type StoredSession = Selectable<SessionRow>
export type NewSession = Insertable<SessionRow>

/** Returns the id. */
export const insertSession = async (db: Database, session: NewSession): Promise<number> =>
  (await db.insertInto('session').values(session).returning('id').executeTakeFirstOrThrow()).id

/** Deleting a missing session is not an error: it has ended. */
export async function deleteSession(db: Database, tokenHash: string): Promise<void> {
  await db.deleteFrom('session').where('token_hash', '=', tokenHash).execute()
}

/** A person has few sessions; a key that opens one for each script has many, of which the newest are shown. */
const MAX_LISTED = 200

/** Lists the newest first. */
export const listSessions = (db: Queryable, owners: readonly string[]): Promise<StoredSession[]> =>
  db
    .selectFrom('session')
    .selectAll()
    .where('owner_kid', 'in', ['', ...owners])
    .orderBy('id', 'desc')
    .limit(MAX_LISTED)
    .execute()

/** Returns whether the owners had this session. */
export async function deleteSessionOf(db: Queryable, owners: readonly string[], id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('id', '=', id)
    .where('owner_kid', 'in', ['', ...owners])
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the number of ended sessions. The session with the hash `except` goes on. */
export async function deleteSessionsOf(db: Queryable, owners: readonly string[], except: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('owner_kid', 'in', ['', ...owners])
    .where('token_hash', '<>', except)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns when the session was created; undefined if it has ended. */
export const replaceSessionToken = async (db: Queryable, before: string, after: string): Promise<number | undefined> =>
  (
    await db
      .updateTable('session')
      .set({ token_hash: after })
      .where('token_hash', '=', before)
      .returning('created_at')
      .executeTakeFirst()
  )?.created_at

/** Runs on every browser request, so the query is compiled once. */
export function sessionFinder(db: Queryable): (tokenHash: string) => Promise<StoredSession | undefined> {
  const query = db.selectFrom('session').selectAll().where('token_hash', '=', '').compile()
  return async (tokenHash) => (await db.executeQuery<StoredSession>({ ...query, parameters: [tokenHash] })).rows[0]
}

export async function touchSessions(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  await db.commit(
    [...used].map(([id, last_used_at]) => [
      db.updateTable('session').set({ last_used_at }).where('id', '=', id).compile(),
    ]),
  )
}

export async function deleteExpiredSessions(
  db: Database,
  { createdBefore, usedBefore }: { createdBefore: number; usedBefore: number },
): Promise<void> {
  await db
    .deleteFrom('session')
    .where((it) => it.or([it('created_at', '<=', createdBefore), it('last_used_at', '<=', usedBefore)]))
    .execute()
}
