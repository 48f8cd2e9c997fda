// Sign-ins that have left for a provider. Each works once, before it expires, and only in the browser that started it.
import type { SignInPurpose } from '../../../domain/sign-in/provider.ts'
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
  if (row === undefined) return undefined
  const { id, state_hash: _, browser_hash: __, details, ...state } = row
  return { ...state, details: JSON.parse(secrets.open(details, location(id))) }
}

const location = (id: number) => `sign_in_state/${id}/details` as const
