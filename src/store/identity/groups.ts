// Groups of people and keys. Documents, connectors and personas name a group by its name.
import type { Selectable } from 'kysely'
import { isDefaultGroupName } from '../../domain/default-groups.ts'
import { AppError } from '../../domain/errors.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Queryable } from '../database/database.ts'
import type { UserGroupRow } from '../database/identity-tables.ts'

export type StoredGroup = Selectable<UserGroupRow>

/** Administrators change these groups; all others follow the place that they come from. */
export const MANUAL_ORIGIN = 'manual'

/** A statement has a limited number of parameters. */
const BATCH = 500

export function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}

export interface GroupMembership {
  name: string
  is_curator: boolean
}

/** Lists the groups of a person in the order of their names. */
export const listMemberships = async (db: Queryable, personId: string): Promise<GroupMembership[]> =>
  (await selectMemberships(db, personId).execute()).map(toMembership)

/** Does the same with a query that is compiled once. */
export function membershipFinder(db: Queryable): (personId: string) => Promise<GroupMembership[]> {
  const query = selectMemberships(db, '').compile()
  return async (id) => (await db.executeQuery<MembershipRow>({ ...query, parameters: [id] })).rows.map(toMembership)
}

type MembershipRow = Omit<GroupMembership, 'is_curator'> & { is_curator: number }

const selectMemberships = (db: Queryable, personId: string) =>
  db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['user_group.name', 'is_curator'])
    .where('person_id', '=', personId)
    .orderBy('user_group.name')

const toMembership = ({ name, is_curator }: MembershipRow): GroupMembership => ({ name, is_curator: is_curator === 1 })

/** Lists the names of the groups of the person with this address. */
export async function listGroupsOfPerson(db: Queryable, emailKey: string): Promise<string[]> {
  const rows = await db
    .selectFrom('person')
    .innerJoin('user_group_member', 'person_id', 'person.id')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select('user_group.name')
    .where('email_key', '=', emailKey)
    .orderBy('user_group.name')
    .execute()
  return rows.map((it) => it.name)
}

/** DEFAULT_GROUP: a name is one of a default group, and no group that was made before them has it. */
export async function checkGroupNames(db: Queryable, names: readonly string[]): Promise<void> {
  for (const name of names.filter(isDefaultGroupName)) {
    const older = await db.selectFrom('user_group').select('id').where('name', '=', name).executeTakeFirst()
    if (older === undefined) throw new AppError('DEFAULT_GROUP', { name })
  }
}

/** GROUP_MANAGED_ELSEWHERE: a group of these names is managed elsewhere. Names that no group has are fine. */
export async function checkManualGroups(db: Queryable, names: readonly string[]): Promise<void> {
  for (const batch of batches([...new Set(names)])) {
    const other = await db
      .selectFrom('user_group')
      .select(['name', 'origin'])
      .where('name', 'in', batch)
      .where('origin', '!=', MANUAL_ORIGIN)
      .executeTakeFirst()
    if (other !== undefined) throw new AppError('GROUP_MANAGED_ELSEWHERE', other)
  }
}

/** Maps the names to the ids of the groups. Groups that do not exist are created as manual ones. */
export async function getOrCreateGroups(
  trx: Queryable,
  names: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, StoredGroup>> {
  if (names.length === 0) return new Map()
  const groups = new Map<string, StoredGroup>()
  for (const batch of batches([...new Set(names)])) {
    await trx
      .insertInto('user_group')
      .values(batch.map((name) => ({ name, origin: MANUAL_ORIGIN, time_created: now, time_updated: now })))
      .onConflict((it) => it.column('name').doNothing())
      .execute()
    const rows = await trx.selectFrom('user_group').selectAll().where('name', 'in', batch).execute()
    for (const it of rows) groups.set(it.name, it)
  }
  return groups
}

/** Adds the person to manual groups. Returns whether this changed something. GROUP_MANAGED_ELSEWHERE: the person lacks a group that is managed elsewhere. */
export async function addToGroups(trx: Queryable, personId: string, groups: Iterable<StoredGroup>): Promise<boolean> {
  const memberships = await trx
    .selectFrom('user_group_member')
    .select('group_id')
    .where('person_id', '=', personId)
    .execute()
  const known = new Set(memberships.map((it) => it.group_id))
  const missing = [...groups].filter((it) => !known.has(it.id))
  for (const { name, origin } of missing) {
    if (origin !== MANUAL_ORIGIN) throw new AppError('GROUP_MANAGED_ELSEWHERE', { name, origin })
  }
  for (const batch of batches(missing)) {
    const members = batch.map(({ id }) => ({ group_id: id, person_id: personId, is_curator: toSqlFlag(false) }))
    await trx.insertInto('user_group_member').values(members).execute()
  }
  return missing.length > 0
}

/** Replaces the groups of a key. */
export async function setKeyGroups(trx: Queryable, apiKeyId: number, groupIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('user_group_key').where('api_key_id', '=', apiKeyId).execute()
  for (const batch of batches(groupIds)) {
    const links = batch.map((group_id) => ({ group_id, api_key_id: apiKeyId }))
    await trx.insertInto('user_group_key').values(links).execute()
  }
}

/** Maps each key to the names of its groups. */
export async function mapKeyGroups(db: Queryable, apiKeyIds: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db
    .selectFrom('user_group_key')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['api_key_id', 'user_group.name'])
    .where('api_key_id', 'in', [-1, ...apiKeyIds])
    .orderBy('user_group.name')
    .execute()
  return new Map([...Map.groupBy(rows, (it) => it.api_key_id)].map(([id, of]) => [id, of.map((it) => it.name)]))
}

/** Maps people, and keys that act for nobody, to the names of their groups. Both are named by their user ids. */
export async function mapGroupsOfUsers(db: Queryable, userIds: readonly string[]): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>()
  for (const batch of batches(userIds)) {
    const ofPeople = await db
      .selectFrom('user_group_member')
      .innerJoin('user_group', 'user_group.id', 'group_id')
      .select(['person_id as user_id', 'user_group.name'])
      .where('person_id', 'in', batch)
      .execute()
    const ofKeys = await db
      .selectFrom('user_group_key')
      .innerJoin('user_group', 'user_group.id', 'group_id')
      .innerJoin('api_key', 'api_key.id', 'api_key_id')
      .select(['api_key.user_id', 'user_group.name'])
      .where('api_key.user_id', 'in', batch)
      .execute()
    for (const { user_id, name } of [...ofPeople, ...ofKeys])
      groups.set(user_id, [...(groups.get(user_id) ?? []), name])
  }
  return groups
}
