// The second factor of people: the secret of their authenticator app, and hashes of their recovery codes.
import type { Selectable } from 'kysely'
import type { Queryable } from '../../database/database.ts'
import type { PersonTotpRow } from '../../database/identity-tables.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../../secrets/secret-box.ts'

export interface StoredTotp extends Omit<Selectable<PersonTotpRow>, 'secret'> {
  /** Opened; hex. */
  secret: string
}

export async function findTotp(
  { db, secrets }: QueryableWithSecrets,
  personId: string,
): Promise<StoredTotp | undefined> {
  const row = await db.selectFrom('person_totp').selectAll().where('person_id', '=', personId).executeTakeFirst()
  return row && { ...row, secret: secrets.open(row.secret, `person_totp/${row.id}/secret`) }
}

/** Whether the person has confirmed a second factor. Needs no key. */
export async function hasSecondFactor(db: Queryable, personId: string): Promise<boolean> {
  const found = await db
    .selectFrom('person_totp')
    .select('id')
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}

/** Replaces a secret that was never confirmed. Returns false, and changes nothing, if one was. */
export const insertTotp = (
  { db, secrets }: DatabaseWithSecrets,
  { personId, secret }: { personId: string; secret: string },
  now: number,
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    if (await hasSecondFactor(trx, personId)) return false
    await trx.deleteFrom('person_totp').where('person_id', '=', personId).execute()
    const { id } = await trx
      .insertInto('person_totp')
      .values({ person_id: personId, secret: '', confirmed_at: null, time_created: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    const sealed = secrets.seal(secret, `person_totp/${id}/secret`)
    await trx.updateTable('person_totp').set({ secret: sealed }).where('id', '=', id).execute()
    return true
  })

/** Returns false if this code or a later one was used: of two requests with one code, one gets it. */
export async function takeTotpStep(trx: Queryable, id: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('person_totp')
    .set({ last_used_step: step })
    .where('id', '=', id)
    .where('last_used_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns false if another request confirmed it, or the secret was replaced. */
export async function confirmTotp(trx: Queryable, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('person_totp')
    .set({ confirmed_at: now })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function replaceRecoveryCodes(trx: Queryable, personId: string, hashes: readonly string[]): Promise<void> {
  await trx.deleteFrom('recovery_code').where('person_id', '=', personId).execute()
  await trx
    .insertInto('recovery_code')
    .values(hashes.map((code_hash) => ({ person_id: personId, code_hash })))
    .execute()
}

/** Deletes the code. Returns false if the person has no such code. */
export async function takeRecoveryCode(trx: Queryable, personId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('recovery_code')
    .where('person_id', '=', personId)
    .where('code_hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countRecoveryCodes(db: Queryable, personId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_code')
    .select((it) => it.fn.countAll<number>().as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns whether there was a second factor that the person had confirmed. */
export async function deleteSecondFactor(trx: Queryable, personId: string): Promise<boolean> {
  const wasOn = await hasSecondFactor(trx, personId)
  await trx.deleteFrom('recovery_code').where('person_id', '=', personId).execute()
  await trx.deleteFrom('person_totp').where('person_id', '=', personId).execute()
  return wasOn
}
