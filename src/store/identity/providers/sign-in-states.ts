// Sign-ins that have left for a provider. Each works once, before it expires, and only in the browser that started it.
import type { Selectable } from 'kysely'
import type { SignInPurpose } from '../../../domain/sign-in/provider.ts'
import type { SignInStateRow } from '../../database/sign-in-tables.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets } from '../../secrets/secret-box.ts'

export interface SignInState {
  provider_id: number
  purpose: SignInPurpose
  next_path: string
  /** The protocol keeps a nonce, a verifier or the id of a request here. */
  details: Record<string, string>
  address: string
  expires_at: number
}

interface StateHashes {
  state_hash: string
  browser_hash: string
}

/** One client cannot fill the table. Behind a proxy that is not trusted, all clients have one address. */
const MAX_PENDING_OF_ADDRESS = 1_000

/** Deletes expired ones as well, and the oldest of an address that has too many. */
export const insertSignInState = (
  { db, secrets }: DatabaseWithSecrets,
  hashes: StateHashes,
  { details, ...state }: SignInState,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('sign_in_state').where('expires_at', '<=', now).execute()
    const surplus = await trx
      .selectFrom('sign_in_state')
      .select('id')
      .where('address', '=', state.address)
      .orderBy('id', 'desc')
      .offset(MAX_PENDING_OF_ADDRESS - 1)
      .limit(1)
      .executeTakeFirst()
    if (surplus !== undefined) {
      await trx.deleteFrom('sign_in_state').where('address', '=', state.address).where('id', '<=', surplus.id).execute()
    }
    const { id } = await trx
      .insertInto('sign_in_state')
      .values({ ...hashes, ...state, details: '' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('sign_in_state')
      .set({ details: secrets.seal(JSON.stringify(details), location(id)) })
      .where('id', '=', id)
      .execute()
  })

/** In any browser. Undefined if it was used or has expired. */
export async function findSignInState(
  { db, secrets }: QueryableWithSecrets,
  state_hash: string,
  now: number,
): Promise<SignInState | undefined> {
  const row = await db
    .selectFrom('sign_in_state')
    .selectAll()
    .where('state_hash', '=', state_hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && toState(secrets, row)
}

/** Adds to the details, once. False if the state was used, has expired, or was answered before. */
export const answerSignInState = (
  { db, secrets }: DatabaseWithSecrets,
  state_hash: string,
  answer: Record<string, string>,
  now: number,
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('sign_in_state')
      .select(['id', 'details'])
      .where('state_hash', '=', state_hash)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    if (row === undefined) return false
    const details: Record<string, string> = JSON.parse(secrets.open(row.details, location(row.id)))
    if (Object.keys(answer).some((it) => Object.hasOwn(details, it))) return false
    const { numUpdatedRows } = await trx
      .updateTable('sign_in_state')
      .set({ details: secrets.seal(JSON.stringify({ ...details, ...answer }), location(row.id)) })
      .where('id', '=', row.id)
      .where('details', '=', row.details)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  })

/** Undefined if it was used, has expired, or was started in another browser: then it stays for that browser. */
export async function takeSignInState(
  { db, secrets }: QueryableWithSecrets,
  { state_hash, browser_hash }: StateHashes,
  now: number,
): Promise<SignInState | undefined> {
  const row = await db
    .deleteFrom('sign_in_state')
    .where('state_hash', '=', state_hash)
    .where('browser_hash', '=', browser_hash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  return row && toState(secrets, row)
}

function toState(
  secrets: QueryableWithSecrets['secrets'],
  { id, state_hash: _, browser_hash: __, details, ...state }: Selectable<SignInStateRow>,
): SignInState {
  return { ...state, details: JSON.parse(secrets.open(details, location(id))) }
}

const location = (id: number) => `sign_in_state/${id}/details` as const
