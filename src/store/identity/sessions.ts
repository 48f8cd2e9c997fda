import type { Selectable } from 'kysely'
import type { Database, Queryable } from '../database/database.ts'
import type { SessionRow } from '../database/identity-tables.ts'

export type StoredSession = Selectable<SessionRow>

export async function insertSession(db: Database, session: Omit<StoredSession, 'id'>): Promise<void> {
  await db.insertInto('session').values(session).execute()
}

/** Deleting a missing session is not an error: it has ended. */
export async function deleteSession(db: Database, tokenHash: string): Promise<void> {
  await db.deleteFrom('session').where('token_hash', '=', tokenHash).execute()
}

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
