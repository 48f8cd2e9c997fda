// Passkeys of people, and the challenges that browsers have to sign with them.
import type { Insertable, Selectable } from 'kysely'
import type { Database, Queryable } from '../../database/database.ts'
import type { PasskeyChallengeRow, PasskeyRow } from '../../database/identity-tables.ts'

export type StoredPasskey = Selectable<PasskeyRow>
export type NewPasskey = Insertable<PasskeyRow>

/** Anybody can ask for a challenge. When there are more, the oldest end early. */
const MAX_CHALLENGES = 10_000

export const listPasskeys = (db: Queryable, personId: string): Promise<StoredPasskey[]> =>
  db.selectFrom('passkey').selectAll().where('person_id', '=', personId).orderBy('id').execute()

export const findPasskey = (db: Queryable, credentialId: string): Promise<StoredPasskey | undefined> =>
  db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

/** Returns undefined if the person has `limit` of them, or if this one exists. */
export const insertPasskey = (db: Database, passkey: NewPasskey, limit: number): Promise<StoredPasskey | undefined> =>
  db.transaction().execute(async (trx) => {
    if ((await listPasskeys(trx, passkey.person_id)).length >= limit) return undefined
    return trx
      .insertInto('passkey')
      .values(passkey)
      .onConflict((it) => it.column('credential_id').doNothing())
      .returningAll()
      .executeTakeFirst()
  })

export async function recordPasskeyUse(
  db: Database,
  id: number,
  { counter, last_used_at }: { counter: number; last_used_at: number },
): Promise<void> {
  await db.updateTable('passkey').set({ counter, last_used_at }).where('id', '=', id).execute()
}

/** Returns whether the person had it. */
export async function deletePasskey(db: Queryable, personId: string, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns their number. */
export async function deletePasskeysOf(trx: Queryable, personId: string): Promise<number> {
  await trx.deleteFrom('passkey_challenge').where('person_id', '=', personId).execute()
  const { numDeletedRows } = await trx.deleteFrom('passkey').where('person_id', '=', personId).executeTakeFirst()
  return Number(numDeletedRows)
}

export const insertChallenge = (db: Database, challenge: Insertable<PasskeyChallengeRow>): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { id } = await trx.insertInto('passkey_challenge').values(challenge).returning('id').executeTakeFirstOrThrow()
    await trx
      .deleteFrom('passkey_challenge')
      .where('id', '<=', id - MAX_CHALLENGES)
      .execute()
  })

/** Deletes the challenge. Returns false if it does not exist, has expired, or was for another purpose or person. */
export async function takeChallenge(
  db: Queryable,
  { hash, personId }: { hash: string; personId: string | null },
  now: number,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey_challenge')
    .where('challenge_hash', '=', hash)
    .where('person_id', personId === null ? 'is' : '=', personId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteExpiredChallenges(db: Queryable, now: number): Promise<void> {
  await db.deleteFrom('passkey_challenge').where('expires_at', '<=', now).execute()
}
