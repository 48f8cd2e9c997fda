// Changes groups, their members, and which connectors name them. All changes take effect with the next request.
import { findDefaultGroup, isDefaultGroupName } from '../../domain/default-groups.ts'
import { AppError } from '../../domain/errors.ts'
import { mayManage } from '../../domain/rights/may-manage.ts'
import type { Subject } from '../../domain/subject.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { CcPairRow } from '../database/tables.ts'
import { listReadablePairs } from '../sources/cc-pairs.ts'
import { managesPair } from '../sources/managed-pairs.ts'
import { withCurrentGroups } from './credential-owners.ts'
import { replaceGroupName } from './group-names.ts'
import { addToGroups, batches, MANUAL_ORIGIN, type StoredGroup } from './groups.ts'
import { findListedGroup, groupVersion } from './list-groups.ts'

export interface GroupContent {
  user_ids: readonly string[] | null
  cc_pair_ids: readonly number[] | null
}

/**
 * Returns the id. Without `cc_pair_ids`, pairs that already name the group go on naming it. DEFAULT_GROUP, DUPLICATE_RESOURCE: the name is taken. INVALID_INPUT: a person is unknown.
 * CC_PAIR_NOT_FOUND: a pair is unknown.
 */
export const insertGroup = (
  db: Database,
  { name, user_ids, cc_pair_ids }: { name: string; user_ids: readonly string[]; cc_pair_ids: readonly number[] | null },
  now: number,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await checkGroupName(trx, name)
    const group = await trx
      .insertInto('user_group')
      .values({ name, origin: MANUAL_ORIGIN, time_created: now, time_updated: now })
      .returningAll()
      .executeTakeFirstOrThrow()
    await addPeople(trx, group, user_ids)
    if (cc_pair_ids !== null)
      await setPairsOfGroup(trx, { name, ids: cc_pair_ids, mayChange: () => true, isVisible: () => true })
    return group.id
  })

/** DEFAULT_GROUP, DUPLICATE_RESOURCE: the name is taken. */
export async function checkGroupName(trx: Queryable, name: string): Promise<void> {
  if (isDefaultGroupName(name)) throw new AppError('DEFAULT_GROUP', { name: name.trim() })
  const holder = await trx.selectFrom('user_group').select('id').where('name', '=', name).executeTakeFirst()
  if (holder !== undefined) throw new AppError('DUPLICATE_RESOURCE', { kind: 'A user group', name })
}

/** Returns the people who did not belong to it. GROUP_MANAGED_ELSEWHERE: there are some, and the group is managed elsewhere. */
async function addPeople(trx: Queryable, group: StoredGroup, ids: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(ids)]
  for (const batch of batches(wanted)) await checkPeople(trx, batch)
  const added: string[] = []
  for (const id of wanted) if (await addToGroups(trx, id, [group])) added.push(id)
  return added
}

async function checkPeople(trx: Queryable, ids: readonly string[]): Promise<void> {
  const rows = await trx.selectFrom('person').select('id').where('id', 'in', ids).execute()
  const known = new Set(rows.map((it) => it.id))
  const missing = ids.find((it) => !known.has(it))
  if (missing !== undefined) {
    const reason = `Nobody has the id "${missing}". GET /manage/users/accepted lists people.`
    throw new AppError('INVALID_INPUT', { reason })
  }
}

interface PairsOfGroup {
  name: string
  ids: readonly number[]
  /** Pairs that are not visible are unknown, and stay as they are. */
  isVisible: (id: number) => boolean
  /** NOT_CURATED if a pair changes for which this is false, before or after. */
  mayChange: (pair: Pick<CcPairRow, 'access_type' | 'groups'>) => boolean
}

/** Adds the name of the group to these pairs, and removes it from all others. */
async function setPairsOfGroup(trx: Queryable, { name, ids, isVisible, mayChange }: PairsOfGroup): Promise<void> {
  const wanted = new Set(ids)
  // A write locks the pairs, so that two changes of their groups wait for each other.
  const rows = await trx
    .updateTable('cc_pair')
    .set((it) => ({ groups: it.ref('groups') }))
    .returning(['id', 'access_type', 'groups', 'status'])
    .execute()
  const pairs = rows.filter((it) => isVisible(it.id))
  const known = new Set(pairs.filter((it) => it.status !== 'DELETING').map((it) => it.id))
  const missing = ids.find((it) => !known.has(it))
  if (missing !== undefined) throw new AppError('CC_PAIR_NOT_FOUND', { id: missing })
  for (const { id, access_type, groups } of pairs) {
    const names: string[] = JSON.parse(groups)
    if (names.includes(name) === wanted.has(id)) continue
    const changed = JSON.stringify(wanted.has(id) ? [...names, name] : names.filter((it) => it !== name))
    const isAllowed = mayChange({ access_type, groups }) && mayChange({ access_type, groups: changed })
    if (!isAllowed) throw new AppError('NOT_CURATED')
    await trx.updateTable('cc_pair').set({ groups: changed }).where('id', '=', id).execute()
  }
}

/** Returns the people who did not belong to it. Throws what `insertGroup` throws, USER_GROUP_NOT_FOUND, and GROUP_MANAGED_ELSEWHERE. */
export const addPeopleToGroup = (
  db: Database,
  caller: Subject,
  id: number,
  ids: readonly string[],
  now: number,
): Promise<string[]> =>
  db.transaction().execute(async (trx) => {
    const group = await lockManagedGroup(trx, await withCurrentGroups(trx, caller), id, now)
    return addPeople(trx, group, ids)
  })

/**
 * Ignores people who are no members, and returns the others. Throws what `addPeopleToGroup` throws, except for INVALID_INPUT;
 * INSUFFICIENT_PERMISSIONS: only an administrator removes a curator.
 */
export const removePeopleFromGroup = (
  db: Database,
  caller: Subject,
  id: number,
  ids: readonly string[],
  now: number,
): Promise<string[]> =>
  db.transaction().execute(async (trx) => {
    const subject = await withCurrentGroups(trx, caller)
    const group = await lockManagedGroup(trx, subject, id, now)
    const unwanted = new Set(ids)
    return removeMembers(trx, subject, group, { isLeaving: (it) => unwanted.has(it), now })
  })

/** Throws what `removePeopleFromGroup` throws. */
async function removeMembers(
  trx: Queryable,
  subject: Subject,
  group: StoredGroup,
  { isLeaving, now }: { isLeaving: (personId: string) => boolean; now: number },
): Promise<string[]> {
  const leaving = (await listMembers(trx, group.id)).filter((it) => isLeaving(it.person_id))
  if (leaving.length > 0) requireManual(group)
  if (leaving.some((it) => it.is_curator === 1) && !subject.rights.has('admin'))
    throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
  await removePeople(trx, group.id, leaving, now)
  return leaving.map((it) => it.person_id)
}

/**
 * Replaces the members and connectors of a group; null leaves them as they are. Members who stay keep whether they curate
 * it. Returns the people who joined or left. Throws what `addPeopleToGroup` throws; GROUP_MANAGED_ELSEWHERE: members would change that follow another place;
 * INSUFFICIENT_PERMISSIONS: only an administrator removes a curator; NOT_CURATED: a connector would change that the
 * subject does not manage, or would not manage any more; USER_GROUP_CHANGED: the group no longer has the version that the
 * caller expects, which may be null.
 */
export const updateGroup = (
  db: Database,
  caller: Subject,
  { id, expectedVersion }: { id: number; expectedVersion: string | null },
  { user_ids, cc_pair_ids }: GroupContent,
  now: number,
): Promise<string[]> =>
  db.transaction().execute(async (trx) => {
    const subject = await withCurrentGroups(trx, caller)
    const group = await lockManagedGroup(trx, subject, id, now)
    if (expectedVersion !== null) await checkVersion(trx, subject, { id, expectedVersion })
    const changed: string[] = []
    if (user_ids !== null) {
      const wanted = new Set(user_ids)
      changed.push(...(await removeMembers(trx, subject, group, { isLeaving: (it) => !wanted.has(it), now })))
      changed.push(...(await addPeople(trx, group, user_ids)))
    }
    if (cc_pair_ids === null) return changed
    const open = subject.rights.has('connectors') ? null : await listReadablePairs(trx, subject.groups)
    await setPairsOfGroup(trx, {
      name: group.name,
      ids: cc_pair_ids,
      isVisible: (it) => open?.includes(it) ?? true,
      mayChange: (it) => managesPair(subject, it),
    })
    return changed
  })

async function checkVersion(
  trx: Queryable,
  subject: Subject,
  { id, expectedVersion }: { id: number; expectedVersion: string },
): Promise<void> {
  const listed = await findListedGroup(trx, subject, id)
  if (listed === undefined || groupVersion(listed) !== expectedVersion) throw new AppError('USER_GROUP_CHANGED', { id })
}

/** USER_GROUP_NOT_FOUND as well if the subject does not manage the group. */
async function lockManagedGroup(trx: Queryable, subject: Subject, id: number, now: number): Promise<StoredGroup> {
  const group = await lockGroup(trx, id, now)
  if (!mayManage(subject, { kind: 'group', name: group.name })) throw new AppError('USER_GROUP_NOT_FOUND', { id })
  return group
}

interface Membership {
  person_id: string
  is_curator: number
}

const listMembers = (trx: Queryable, id: number): Promise<Membership[]> =>
  trx.selectFrom('user_group_member').select(['person_id', 'is_curator']).where('group_id', '=', id).execute()

export async function removePeople(
  trx: Queryable,
  id: number,
  members: readonly Membership[],
  now: number,
): Promise<void> {
  for (const batch of batches(members.map((it) => it.person_id)))
    await trx.deleteFrom('user_group_member').where('group_id', '=', id).where('person_id', 'in', batch).execute()
  for (const { person_id, is_curator } of members) if (is_curator === 1) await alignCuratorRole(trx, person_id, now)
}

function requireManual({ name, origin }: StoredGroup): void {
  if (origin !== MANUAL_ORIGIN) throw new AppError('GROUP_MANAGED_ELSEWHERE', { name, origin })
}

/** Records that name the group get the new name. Throws what `insertGroup` throws, USER_GROUP_NOT_FOUND, and GROUP_MANAGED_ELSEWHERE. */
export const renameGroup = (db: Database, id: number, name: string, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const group = await lockGroup(trx, id, now)
    requireManual(group)
    if (group.name === name) return
    await checkGroupName(trx, name)
    await trx.updateTable('user_group').set({ name }).where('id', '=', id).execute()
    await replaceGroupName(trx, group.name, name)
  })

/**
 * Removes the group from everything that names it. A key that names no other group has no groups then.
 * Throws DEFAULT_GROUP, USER_GROUP_NOT_FOUND and GROUP_MANAGED_ELSEWHERE.
 */
export const deleteGroup = (db: Database, id: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const group = await lockGroup(trx, id, now)
    requireManual(group)
    await removePeople(trx, id, await listMembers(trx, id), now)
    await trx.deleteFrom('user_group_key').where('group_id', '=', id).execute()
    await replaceGroupName(trx, group.name, null)
    await trx.deleteFrom('user_group').where('id', '=', id).execute()
  })

/**
 * Two changes of one group wait for each other. DEFAULT_GROUP: the group follows from a role. USER_GROUP_NOT_FOUND:
 * there is no such group.
 */
async function lockGroup(trx: Queryable, id: number, now: number): Promise<StoredGroup> {
  const defaultGroup = findDefaultGroup(id)
  if (defaultGroup !== undefined) throw new AppError('DEFAULT_GROUP', { name: defaultGroup.name })
  const group = await trx
    .updateTable('user_group')
    .set({ time_updated: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (group === undefined) throw new AppError('USER_GROUP_NOT_FOUND', { id })
  return group
}

/**
 * A basic person who curates a group gets the role `curator`, and loses it with the last of these groups.
 * INVALID_INPUT: the person is no member, or limited. Throws what `addPeopleToGroup` throws, except for GROUP_MANAGED_ELSEWHERE.
 */
export const setCurator = (
  db: Database,
  id: number,
  { user_id, is_curator }: { user_id: string; is_curator: boolean },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await lockGroup(trx, id, now)
    if (is_curator) await checkNotLimited(trx, user_id)
    const member = await trx
      .updateTable('user_group_member')
      .set({ is_curator: toSqlFlag(is_curator) })
      .where('group_id', '=', id)
      .where('person_id', '=', user_id)
      .returning('person_id')
      .executeTakeFirst()
    if (member === undefined) {
      const reason = 'This person is not a member of the group. Add the person first.'
      throw new AppError('INVALID_INPUT', { reason })
    }
    await alignCuratorRole(trx, user_id, now)
  })

async function checkNotLimited(trx: Queryable, id: string): Promise<void> {
  const person = await trx.selectFrom('person').select('role').where('id', '=', id).executeTakeFirst()
  if (person?.role !== 'limited') return
  const reason = 'This person has the role limited and cannot curate a group. Give the person the role basic first.'
  throw new AppError('INVALID_INPUT', { reason })
}

/** Makes a basic person who curates a group a curator, and a curator of no group a basic person. */
export async function alignCuratorRole(trx: Queryable, personId: string, now: number): Promise<void> {
  const curated = await trx
    .selectFrom('user_group_member')
    .select('group_id')
    .where('person_id', '=', personId)
    .where('is_curator', '=', 1)
    .executeTakeFirst()
  await trx
    .updateTable('person')
    .set({ role: curated === undefined ? 'basic' : 'curator', time_updated: now })
    .where('id', '=', personId)
    .where('role', '=', curated === undefined ? 'curator' : 'basic')
    .execute()
}
