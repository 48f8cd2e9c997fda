// Groups that a provider reports. Only their origin makes them and changes their members.
import { isDefaultGroupName } from '../../../domain/default-groups.ts'
import { toSqlFlag } from '../../database/column-types.ts'
import type { Queryable } from '../../database/database.ts'
import { alignCuratorRole } from '../change-group.ts'
import { batches, type StoredGroup } from '../groups.ts'

export interface OriginGroups {
  /** The groups of the origin to which the person belongs now. */
  groups: string[]
  /** Names that the person did not join, because another origin has a group of this name. */
  refused: { name: string; origin: string }[]
  hasChanged: boolean
}

/**
 * Makes the person a member of exactly these groups of the origin, and creates the missing ones. Groups of other origins
 * stay as they are.
 */
export async function setGroupsOfOrigin(
  trx: Queryable,
  { personId, origin, names }: { personId: string; origin: string; names: readonly string[] },
  now: number,
): Promise<OriginGroups> {
  const refused = names.filter(isDefaultGroupName).map((name) => ({ name, origin: 'role' }))
  const wanted = names.filter((it) => !isDefaultGroupName(it))
  const reported = await getOrCreateGroupsOfOrigin(trx, wanted, { origin, now })
  const own = reported.filter((it) => it.origin === origin)
  refused.push(
    ...reported.filter((it) => it.origin !== origin).map(({ name, origin: other }) => ({ name, origin: other })),
  )
  const members = await trx
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['group_id', 'is_curator'])
    .where('person_id', '=', personId)
    .where('origin', '=', origin)
    .execute()
  const joined = own.filter((group) => !members.some((it) => it.group_id === group.id))
  const left = members.filter((it) => !own.some((group) => group.id === it.group_id))
  for (const batch of batches(joined)) {
    const rows = batch.map(({ id }) => ({ group_id: id, person_id: personId, is_curator: toSqlFlag(false) }))
    // Another sign-in of the person may have joined the group just now.
    await trx
      .insertInto('user_group_member')
      .values(rows)
      .onConflict((it) => it.columns(['group_id', 'person_id']).doNothing())
      .execute()
  }
  for (const batch of batches(left.map((it) => it.group_id))) {
    await trx.deleteFrom('user_group_member').where('person_id', '=', personId).where('group_id', 'in', batch).execute()
  }
  if (left.some((it) => it.is_curator === 1)) await alignCuratorRole(trx, personId, now)
  return { groups: own.map((it) => it.name).sort(), refused, hasChanged: joined.length + left.length > 0 }
}

/** Groups of other origins with these names are returned too. */
async function getOrCreateGroupsOfOrigin(
  trx: Queryable,
  names: readonly string[],
  { origin, now }: { origin: string; now: number },
): Promise<StoredGroup[]> {
  const groups: StoredGroup[] = []
  // In one order: two transactions that make the same groups do not wait for each other.
  for (const batch of batches([...new Set(names)].sort())) {
    await trx
      .insertInto('user_group')
      .values(batch.map((name) => ({ name, origin, time_created: now, time_updated: now })))
      .onConflict((it) => it.column('name').doNothing())
      .execute()
    groups.push(...(await trx.selectFrom('user_group').selectAll().where('name', 'in', batch).execute()))
  }
  return groups
}
