// Which person an account of a provider is.
import type { Queryable } from '../../database/database.ts'
import type { StoredPerson } from '../people.ts'
import { deleteSessionsAtProvider } from './sign-in-providers.ts'

export interface AccountOfProvider {
  provider_id: number
  subject: string
}

export const findPersonByAccount = (
  db: Queryable,
  { provider_id, subject }: AccountOfProvider,
): Promise<StoredPerson | undefined> =>
  db
    .selectFrom('person_identity')
    .innerJoin('person', 'person.id', 'person_id')
    .selectAll('person')
    .where('provider_id', '=', provider_id)
    .where('subject', '=', subject)
    .executeTakeFirst()

/** Whether the person has an account at the provider. */
export async function isLinked(db: Queryable, providerId: number, personId: string): Promise<boolean> {
  const found = await db
    .selectFrom('person_identity')
    .select('subject')
    .where('provider_id', '=', providerId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return found !== undefined
}

/** False if the account belongs to a person, or the person has an account of the provider. */
export async function linkPerson(
  trx: Queryable,
  account: AccountOfProvider,
  person_id: string,
  now: number,
): Promise<boolean> {
  const linked = await trx
    .insertInto('person_identity')
    .values({ ...account, person_id, time_created: now, last_used_at: now })
    .onConflict((it) => it.doNothing())
    .returning('person_id')
    .executeTakeFirst()
  return linked !== undefined
}

export async function touchIdentity(trx: Queryable, { provider_id, subject }: AccountOfProvider, now: number) {
  await trx
    .updateTable('person_identity')
    .set({ last_used_at: now })
    .where('provider_id', '=', provider_id)
    .where('subject', '=', subject)
    .execute()
}

export async function countLinkedPeople(db: Queryable, providerId: number): Promise<number> {
  const { count } = await db
    .selectFrom('person_identity')
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .where('provider_id', '=', providerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Ends the sessions that the link opened. Returns whether there was a link. */
export async function unlinkPerson(trx: Queryable, providerId: number, personId: string): Promise<boolean> {
  await deleteSessionsAtProvider(trx, providerId, personId)
  const { numDeletedRows } = await trx
    .deleteFrom('person_identity')
    .where('provider_id', '=', providerId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The accounts of a person, for an export. */
export const listAccountsOfPerson = (
  db: Queryable,
  personId: string,
): Promise<{ provider: string; subject: string; time_created: number; last_used_at: number }[]> =>
  db
    .selectFrom('person_identity')
    .innerJoin('sign_in_provider', 'sign_in_provider.id', 'provider_id')
    .select(['slug as provider', 'subject', 'person_identity.time_created', 'last_used_at'])
    .where('person_id', '=', personId)
    .orderBy('slug')
    .execute()

/** The providers at which a person has an account, by name. */
export const listProvidersOfPerson = (
  db: Queryable,
  personId: string,
): Promise<{ id: number; name: string; time_created: number; last_used_at: number }[]> =>
  db
    .selectFrom('person_identity')
    .innerJoin('sign_in_provider', 'sign_in_provider.id', 'provider_id')
    .select(['sign_in_provider.id', 'name', 'person_identity.time_created', 'last_used_at'])
    .where('person_id', '=', personId)
    .orderBy('name')
    .execute()
