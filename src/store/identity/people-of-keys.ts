// Makes people and groups of the addresses and group names that keys held before there were people.
import { sql } from 'kysely'
import { emailKeyOf, isHigherRole, type Role } from '../../domain/subject.ts'
import type { Database, Queryable } from '../database/database.ts'
import { roleOfKeyPerson } from './api-keys.ts'
import { addToGroups, getOrCreateGroups, setKeyGroups } from './groups.ts'
import { moveRecordsOfKeys } from './move-records.ts'
import { findPersonByEmail, insertPerson } from './people.ts'

export interface PeopleOfKeysReport {
  people: number
  groups: number
  /** Ids of people whose keys held addresses that differ only in case. */
  merged: string[]
}

/** Columns that held an address in lower case where a key acted for a person. */
const ADDRESS_COLUMNS = [
  ['chat_session', 'owner'],
  ['passthrough_consent', 'owner'],
  ['call_token', 'owner'],
  ['document', 'pushed_by'],
  ['document', 'deleted_by'],
] as const

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Does its work once, in one transaction. Null if there was nothing to do. */
export const createPeopleOfKeys = (db: Database, now: number): Promise<PeopleOfKeysReport | null> =>
  db.transaction().execute(async (trx) => {
    if (await isDone(trx)) return null
    const keys = await trx
      .selectFrom('api_key')
      .select(['id', 'role', 'user_email', 'user_group_ids'])
      .where((it) => it.or([it('user_email', 'is not', null), it('user_group_ids', '<>', '[]')]))
      .orderBy('id')
      .execute()
    const owners = await listAddressesOfOwners(trx)
    await trx.insertInto('sequence').values({ name: DONE, value: 1 }).execute()
    if (keys.length === 0 && owners.length === 0) return null
    const ofPerson = Map.groupBy(
      keys.flatMap(({ role, user_email }) => (user_email === null ? [] : [{ role, email: user_email }])),
      (it) => emailKeyOf(it.email),
    )
    const merged: string[] = []
    for (const [email, of] of ofPerson) {
      const id = await getPersonOfKeys(trx, { email: of[0]?.email ?? email, roles: of }, now)
      if (new Set(of.map((it) => it.email)).size > 1) merged.push(id)
    }
    // People whose keys are deleted still own chats and documents.
    for (const email of owners) await getPersonOfKeys(trx, { email, roles: [] }, now)
    const groups = new Set<string>()
    for (const it of keys) for (const name of await moveKey(trx, it, now)) groups.add(name)
    await moveAddresses(trx)
    await moveRecordsOfKeys(trx)
    return { people: new Set([...ofPerson.keys(), ...owners]).size, groups: groups.size, merged }
  })

/** A row of this name in `sequence` says that the record has people. A restored backup of an older program has none. */
const DONE = 'people_of_keys'

const isDone = async (trx: Queryable): Promise<boolean> =>
  (await trx.selectFrom('sequence').select('name').where('name', '=', DONE).executeTakeFirst()) !== undefined

/** Such an owner is an address; the id of a key or person is a UUID. */
async function listAddressesOfOwners(trx: Queryable): Promise<string[]> {
  const found = new Set<string>()
  for (const [table, column] of ADDRESS_COLUMNS) {
    const { rows } = await sql<{ owner: string }>`
      select distinct ${sql.ref(column)} as owner from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(
      trx,
    )
    for (const { owner } of rows) if (!UUID.test(owner)) found.add(owner)
  }
  return [...found]
}

/** Returns the id of the person, who has the highest role of the keys, so that no key loses a right. */
async function getPersonOfKeys(
  trx: Queryable,
  { email, roles }: { email: string; roles: readonly { role: Role }[] },
  now: number,
): Promise<string> {
  const known = await findPersonByEmail(trx, email)
  if (known !== undefined) return known.id
  const role = roles
    .map((it) => roleOfKeyPerson(it.role))
    .reduce((highest, it) => (isHigherRole(it, highest) ? it : highest), roles.length === 0 ? 'basic' : 'limited')
  const person = { email, name: null, role, is_verified: false, password_hash: null }
  return (await insertPerson(trx, person, now)).id
}

/** Returns the names of the groups of the key. */
async function moveKey(
  trx: Queryable,
  { id, user_email, user_group_ids }: { id: number; user_email: string | null; user_group_ids: string },
  now: number,
): Promise<string[]> {
  const names: string[] = JSON.parse(user_group_ids)
  const person = user_email === null ? undefined : await findPersonByEmail(trx, user_email)
  const groups = [...(await getOrCreateGroups(trx, names, now)).values()]
  if (person !== undefined) await addToGroups(trx, person.id, groups)
  await setKeyGroups(
    trx,
    id,
    groups.map((it) => it.id),
  )
  await trx
    .updateTable('api_key')
    .set({ person_id: person?.id ?? null, user_email: null, user_group_ids: '[]' })
    .where('id', '=', id)
    .execute()
  return names
}

async function moveAddresses(trx: Queryable): Promise<void> {
  for (const [table, column] of ADDRESS_COLUMNS) {
    const owner = sql.ref(`${table}.${column}`)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = (select id from person where email_key = ${owner})
      where ${owner} in (select email_key from person)`.execute(trx)
  }
}
