// The sessions of providers behind browser sessions, so that a logout ends both; and tokens that work once.
import type { Database, Queryable } from '../../database/database.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../../secrets/secret-box.ts'

export interface ProviderSession {
  provider_id: number
  subject: string
  /** The provider's name of its session. */
  sid: string | null
  /** Kept only if a logout at the provider needs it. */
  id_token: string | null
}

/** `id`: the browser session, which has just been opened. */
export async function insertProviderSession(
  { db, secrets }: DatabaseWithSecrets,
  id: number,
  { id_token, ...session }: ProviderSession,
): Promise<void> {
  const sealed = id_token === null ? null : secrets.seal(id_token, location(id))
  await db
    .insertInto('provider_session')
    .values({ ...session, id, id_token: sealed })
    .execute()
}

const location = (id: number) => `provider_session/${id}/id_token` as const

/** Undefined if no provider opened the browser session. */
export async function findProviderSession(
  { db, secrets }: QueryableWithSecrets,
  sessionId: number,
): Promise<ProviderSession | undefined> {
  const row = await db.selectFrom('provider_session').selectAll().where('id', '=', sessionId).executeTakeFirst()
  if (row === undefined) return undefined
  const { id, id_token, ...session } = row
  return { ...session, id_token: id_token === null ? null : secrets.open(id_token, location(id)) }
}

/** A logout of the provider names one of its sessions, an account, or both. */
export interface LogoutTarget {
  provider_id: number
  subject: string | null
  sid: string | null
}

/**
 * Ends the browser sessions of one session of the provider, or without `sid` all of the account. Returns their number.
 */
export async function endProviderSessions(db: Queryable, { provider_id, subject, sid }: LogoutTarget): Promise<number> {
  const matching = db
    .selectFrom('provider_session')
    .select('id')
    .where('provider_id', '=', provider_id)
    .where((it) => {
      const isAccount = it('subject', '=', subject ?? '')
      if (sid === null) return isAccount
      // A session whose sign-in named no session of the provider belongs to the account as a whole.
      return it.or([it('sid', '=', sid), it.and([it('sid', 'is', null), isAccount])])
    })
    .$call((it) => (subject === null ? it : it.where('subject', '=', subject)))
  const { numDeletedRows } = await db.deleteFrom('session').where('id', 'in', matching).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns false if it was used before. */
export async function markAssertionUsed(
  db: Queryable,
  assertion: { provider_id: number; id_hash: string; expires_at: number },
): Promise<boolean> {
  const inserted = await db
    .insertInto('used_assertion')
    .values(assertion)
    .onConflict((it) => it.columns(['provider_id', 'id_hash']).doNothing())
    .returning('id_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function deleteExpiredAssertions(db: Database, now: number): Promise<void> {
  await db.deleteFrom('used_assertion').where('expires_at', '<=', now).execute()
  await db.deleteFrom('sign_in_state').where('expires_at', '<=', now).execute()
}
