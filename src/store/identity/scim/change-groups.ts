// Makes, changes and deletes groups as the directory says.
import { AppError } from '../../../domain/errors.ts'
import type { ScimGroupChange } from '../../../domain/scim/user.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { checkGroupName, removePeople } from '../change-group.ts'
import { replaceGroupName } from '../group-names.ts'
import { batches } from '../groups.ts'
import { SCIM_ORIGIN } from './groups.ts'
import { lockDirectory } from './removals.ts'

interface NewScimGroup {
  displayName: string
  externalId: string | null
  members: readonly string[]
}

/** Returns the id. SCIM_UNIQUENESS: a group has the name, of any origin. SCIM_INVALID_VALUE: a member is unknown. */
export const insertScimGroup = (db: Database, group: NewScimGroup, now: number): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    await requireFreeName(trx, group.displayName)
    const { id } = await trx
      .insertInto('user_group')
      .values({ name: group.displayName, origin: SCIM_ORIGIN, time_created: now, time_updated: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx.insertInto('scim_group').values({ group_id: id, external_id: group.externalId }).execute()
    await addMembers(trx, id, group.members)
    return id
  })

/** A directory must not get the documents of a group that others made by giving its own group the same name. */
async function requireFreeName(trx: Queryable, name: string): Promise<void> {
  try {
    await checkGroupName(trx, name)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = 'A group of the service has this name. Rename one of them, or delete the group of the service.'
    throw new AppError('SCIM_UNIQUENESS', { reason }, { cause: error })
  }
}

/** Does the steps in their order. Throws what `insertScimGroup` throws, and SCIM_NOT_FOUND. */
export const changeScimGroup = (
  db: Database,
  id: number,
  changes: readonly ScimGroupChange[],
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    await lockScimGroup(trx, id, now)
    for (const change of changes) await applyChange(trx, id, change, now)
  })

async function lockScimGroup(trx: Queryable, id: number, now: number): Promise<string> {
  const group = await trx
    .updateTable('user_group')
    .set({ time_updated: now })
    .where('id', '=', id)
    .where('origin', '=', SCIM_ORIGIN)
    .where((it) => it.exists(it.selectFrom('scim_group').select('group_id').where('group_id', '=', id)))
    .returning('name')
    .executeTakeFirst()
  if (group === undefined) throw new AppError('SCIM_NOT_FOUND', { kind: 'group' })
  return group.name
}

async function applyChange(trx: Queryable, id: number, change: ScimGroupChange, now: number): Promise<void> {
  switch (change.kind) {
    case 'name':
      return rename(trx, id, change.name)
    case 'externalId':
      await trx.updateTable('scim_group').set({ external_id: change.externalId }).where('group_id', '=', id).execute()
      return
    case 'add':
      return addMembers(trx, id, change.members)
    case 'remove':
      return removeMembers(trx, id, new Set(change.members), now)
    case 'replace': {
      const wanted = new Set(change.members)
      const leaving = (await listMemberships(trx, id)).filter((it) => !wanted.has(it.person_id))
      await removePeople(trx, id, leaving, now)
      return addMembers(trx, id, change.members)
    }
  }
}

async function rename(trx: Queryable, id: number, name: string): Promise<void> {
  const { name: before } = await trx
    .selectFrom('user_group')
    .select('name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (before === name) return
  await requireFreeName(trx, name)
  await trx.updateTable('user_group').set({ name }).where('id', '=', id).execute()
  await replaceGroupName(trx, before, name)
}

const listMemberships = (trx: Queryable, id: number): Promise<{ person_id: string; is_curator: number }[]> =>
  trx.selectFrom('user_group_member').select(['person_id', 'is_curator']).where('group_id', '=', id).execute()

async function removeMembers(trx: Queryable, id: number, leaving: ReadonlySet<string>, now: number): Promise<void> {
  const members = await listMemberships(trx, id)
  await removePeople(
    trx,
    id,
    members.filter((it) => leaving.has(it.person_id)),
    now,
  )
}

/** Members that the group already has stay as they are. */
async function addMembers(trx: Queryable, id: number, members: readonly string[]): Promise<void> {
  for (const batch of batches([...new Set(members)])) {
    const known = await trx.selectFrom('scim_user').select('person_id').where('person_id', 'in', batch).execute()
    if (known.length < batch.length) {
      const ids = new Set(known.map((it) => it.person_id))
      const missing = batch.find((it) => !ids.has(it))
      throw new AppError('SCIM_INVALID_VALUE', { reason: `The directory manages no user with the id "${missing}".` })
    }
    await trx
      .insertInto('user_group_member')
      .values(batch.map((person_id) => ({ group_id: id, person_id, is_curator: 0 as const })))
      .onConflict((it) => it.columns(['group_id', 'person_id']).doNothing())
      .execute()
  }
}

/** Records that name the group no longer name it. SCIM_NOT_FOUND. */
export const deleteScimGroup = (db: Database, id: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    const name = await lockScimGroup(trx, id, now)
    await removePeople(trx, id, await listMemberships(trx, id), now)
    await trx.deleteFrom('user_group_key').where('group_id', '=', id).execute()
    await replaceGroupName(trx, name, null)
    await trx.deleteFrom('scim_group').where('group_id', '=', id).execute()
    await trx.deleteFrom('user_group').where('id', '=', id).execute()
  })
