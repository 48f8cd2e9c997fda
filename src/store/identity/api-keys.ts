import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { isHigherRole, type Role } from '../../domain/subject.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { ApiKeyRow } from '../database/identity-tables.ts'
import { versionOf } from '../database/version-of.ts'
import {
  addToGroups,
  checkGroupNames,
  getOrCreateGroups,
  listGroupsOfPerson,
  mapKeyGroups,
  setKeyGroups,
} from './groups.ts'
import { moveRecordsOfKeys } from './move-records.ts'
import { findPersonByEmail, insertPerson, type StoredPerson } from './people.ts'

type ApiKeyColumns = Selectable<ApiKeyRow>

/** A key with its person and its groups. */
export interface StoredApiKey extends Omit<ApiKeyColumns, 'user_email' | 'user_group_ids'> {
  /** The address of the person that the key acts for. */
  user_email: string | null
  /** The groups that the key names; those of its person if it names none of its own. */
  user_group_ids: readonly string[]
}

/** Null for `user_group_ids` means the groups of the person; a key without a person then has none. */
export interface KeyOwner {
  user_email: string | null
  user_group_ids: readonly string[] | null
}

type KeyColumns = Pick<
  ApiKeyColumns,
  | 'kid'
  | 'secret_hash'
  | 'display'
  | 'name'
  | 'role'
  | 'scopes'
  | 'user_id'
  | 'created_at'
  | 'expires_at'
  | 'daily_token_limit'
>
export type NewApiKey = KeyColumns & KeyOwner
export type ApiKeyChange = Partial<
  Pick<ApiKeyColumns, 'name' | 'role' | 'scopes' | 'expires_at' | 'daily_token_limit'> & KeyOwner
>
export type ApiKeySecret = Pick<StoredApiKey, 'kid' | 'secret_hash' | 'display'>

/**
 * Creates the person and the groups that do not exist. KEY_ROLE_TOO_HIGH: the person has a lower role.
 * GROUP_MANAGED_ELSEWHERE: the person is not in a group that only its origin changes.
 */
export const insertApiKey = (db: Database, { user_email, user_group_ids, ...key }: NewApiKey): Promise<StoredApiKey> =>
  db.transaction().execute(async (trx) => {
    const person = await getKeyPerson(trx, { user_email, role: key.role }, key.created_at)
    const { id } = await trx
      .insertInto('api_key')
      .values({
        ...key,
        ...{ last_used_at: null, user_email: null, user_group_ids: '[]', person_id: person?.id ?? null },
        has_person_groups: toSqlFlag(user_group_ids === null && person !== null),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await replaceKeyGroups(trx, { id, person_id: person?.id ?? null }, user_group_ids ?? [], key.created_at)
    return getApiKey(trx, id)
  })

/**
 * Returns the person with this address, created if needed. A person who cannot sign in is known by keys alone,
 * and has the highest role of them. A key with the role `curator` is not bound to groups, as a person is.
 */
async function getKeyPerson(
  trx: Queryable,
  { user_email, role: keyRole }: { user_email: string | null; role: Role },
  now: number,
): Promise<StoredPerson | null> {
  if (user_email === null) return null
  const role = roleOfKeyPerson(keyRole)
  const person = await findPersonByEmail(trx, user_email)
  if (person === undefined) {
    return insertPerson(trx, { email: user_email, name: null, role, is_verified: false, password_hash: null }, now)
  }
  if (!isHigherRole(role, person.role)) return person
  if (person.is_verified === 1 || person.password_hash !== null) {
    throw new AppError('KEY_ROLE_TOO_HIGH', { role: keyRole, of_person: person.role })
  }
  await trx.updateTable('person').set({ role, time_updated: now }).where('id', '=', person.id).execute()
  return { ...person, role }
}

/** The role of a person who is known by a key with this role alone. */
export const roleOfKeyPerson = (role: Role): Role => (role === 'curator' ? 'global_curator' : role)

async function replaceKeyGroups(
  trx: Queryable,
  { id, person_id }: { id: number; person_id: string | null },
  names: readonly string[],
  now: number,
): Promise<void> {
  await checkGroupNames(trx, names)
  const groups = [...(await getOrCreateGroups(trx, names, now)).values()]
  if (person_id !== null) await addToGroups(trx, person_id, groups)
  await setKeyGroups(
    trx,
    id,
    groups.map((it) => it.id),
  )
}

export async function listApiKeys(db: Queryable, { after, limit }: KeysetPage): Promise<StoredApiKey[]> {
  const rows = await selectKeys(db).where('api_key.id', '>', after).orderBy('api_key.id').limit(limit).execute()
  return addKeyGroups(db, rows)
}

const selectKeys = (db: Queryable) =>
  db
    .selectFrom('api_key')
    .leftJoin('person', 'person.id', 'api_key.person_id')
    .selectAll('api_key')
    .select(['person.email as person_email', 'person.email_key as person_key'])

type KeyRow = ApiKeyColumns & { person_email: string | null; person_key: string | null }

async function addKeyGroups(db: Queryable, rows: readonly KeyRow[]): Promise<StoredApiKey[]> {
  const own = await mapKeyGroups(
    db,
    rows.map((it) => it.id),
  )
  const keys: StoredApiKey[] = []
  for (const { person_email, person_key, ...row } of rows) {
    const ofPerson = row.has_person_groups === 1 && person_key !== null
    const user_group_ids = ofPerson ? await listGroupsOfPerson(db, person_key) : (own.get(row.id) ?? [])
    keys.push({ ...row, user_email: person_email, user_group_ids })
  }
  return keys
}

export const findApiKey = (db: Queryable, id: number): Promise<StoredApiKey | undefined> =>
  findOne(db, selectKeys(db).where('api_key.id', '=', id).executeTakeFirst())

/** The `kid` of a key. Its secret may be replaced, and then it has another one. */
export async function findKid(db: Queryable, id: number): Promise<string | undefined> {
  const row = await db.selectFrom('api_key').select('kid').where('id', '=', id).executeTakeFirst()
  return row?.kid
}

export async function listKeysOfPerson(db: Queryable, personId: string): Promise<StoredApiKey[]> {
  return addKeyGroups(db, await selectKeys(db).where('person_id', '=', personId).orderBy('api_key.id').execute())
}

export async function listKidsOfPerson(db: Queryable, personId: string): Promise<string[]> {
  const rows = await db.selectFrom('api_key').select('kid').where('person_id', '=', personId).orderBy('id').execute()
  return rows.map((it) => it.kid)
}

/** Finds the key by the id that its use of language models is counted under. */
export const findApiKeyByUserId = (db: Queryable, userId: string): Promise<StoredApiKey | undefined> =>
  findOne(db, selectKeys(db).where('api_key.user_id', '=', userId).executeTakeFirst())

async function findOne(db: Queryable, row: Promise<KeyRow | undefined>): Promise<StoredApiKey | undefined> {
  const found = await row
  return found && (await addKeyGroups(db, [found]))[0]
}

export const getApiKey = async (db: Queryable, id: number): Promise<StoredApiKey> =>
  requireApiKey(id, await findApiKey(db, id))

/** Changes with each field that `updateApiKey` writes. Groups that follow the person are not fields of the key. */
export const apiKeyVersion = (it: StoredApiKey): string =>
  versionOf([
    ...[it.name, it.role, it.scopes, it.expires_at, it.daily_token_limit, it.user_email],
    it.has_person_groups === 1 ? null : it.user_group_ids,
  ])

/**
 * Changes only the given fields. API_KEY_CHANGED: the key no longer has the version that the caller expects, which may be
 * null. Fails like `insertApiKey`.
 */
export const updateApiKey = (
  db: Database,
  { id, expectedVersion }: { id: number; expectedVersion: string | null },
  { user_email, user_group_ids, ...columns }: ApiKeyChange,
  now: number,
): Promise<StoredApiKey> =>
  db.transaction().execute(async (trx) => {
    const before = await getApiKey(trx, id)
    if (expectedVersion !== null && expectedVersion !== apiKeyVersion(before))
      throw new AppError('API_KEY_CHANGED', { id })
    if (Object.keys(columns).length > 0) await trx.updateTable('api_key').set(columns).where('id', '=', id).execute()
    const role = columns.role ?? before.role
    const owner = user_email === undefined ? before.user_email : user_email
    const person = await getKeyPerson(trx, { user_email: owner, role }, now)
    if (user_email !== undefined) await setKeyPerson(trx, before, person?.id ?? null)
    if (user_group_ids !== undefined || user_email !== undefined) {
      const follows = user_group_ids === undefined ? before.has_person_groups === 1 : user_group_ids === null
      const has_person_groups = toSqlFlag(follows && person !== null)
      await trx.updateTable('api_key').set({ has_person_groups }).where('id', '=', id).execute()
      const names = follows ? [] : (user_group_ids ?? before.user_group_ids)
      await replaceKeyGroups(trx, { id, person_id: person?.id ?? null }, names, now)
    }
    return getApiKey(trx, id)
  })

/** The person owns what the key created while it acted for nobody. */
async function setKeyPerson(trx: Queryable, before: StoredApiKey, personId: string | null): Promise<void> {
  if (before.person_id === personId) return
  await trx.updateTable('api_key').set({ person_id: personId }).where('id', '=', before.id).execute()
  if (before.person_id === null && personId !== null) await moveRecordsOfKeys(trx)
}

/** Invalidates the old secret and every token that was created with it. */
export const replaceApiKeySecret = (db: Database, id: number, secret: ApiKeySecret): Promise<StoredApiKey> =>
  db.transaction().execute(async (trx) => {
    const { kid } = await getApiKey(trx, id)
    await deleteTokensAndSessionsOfKey(trx, kid)
    await trx
      .updateTable('api_key')
      .set({ ...secret, last_used_at: null })
      .where('id', '=', id)
      .execute()
    return getApiKey(trx, id)
  })

/** Deletes the tokens that were created with the key as well. */
export const deleteApiKey = (db: Database, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { kid } = await getApiKey(trx, id)
    await deleteTokensAndSessionsOfKey(trx, kid)
    await trx.deleteFrom('user_group_key').where('api_key_id', '=', id).execute()
    await trx.deleteFrom('api_key').where('id', '=', id).execute()
  })

/** Sessions of these tokens end on their own, because their tokens are gone. */
async function deleteTokensAndSessionsOfKey(db: Queryable, kid: string): Promise<void> {
  await db.deleteFrom('pat').where('owner_kid', '=', kid).execute()
  await db.deleteFrom('session').where('owner_kid', '=', kid).execute()
}

export async function touchApiKeys(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  await db.commit(
    [...used].map(([id, last_used_at]) => [
      db.updateTable('api_key').set({ last_used_at }).where('id', '=', id).compile(),
    ]),
  )
}

function requireApiKey(id: number, row: StoredApiKey | undefined): StoredApiKey {
  if (row === undefined) throw new AppError('API_KEY_NOT_FOUND', { id })
  return row
}
