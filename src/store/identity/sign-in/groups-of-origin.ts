// Groups whose members a provider reports.
import { isDefaultGroupName } from '../../../domain/default-groups.ts'
import { toSqlFlag } from '../../database/column-types.ts'
import type { Queryable } from '../../database/database.ts'
import { batches } from '../groups.ts'

interface ReportedMembership {
  personId: string
  origin: string
  /** All groups of the person, as the origin names them. */
  names: readonly string[]
}

/**
 * Makes the person a member of exactly these groups of the origin, and creates those that do not exist. A name that a group
 * of another origin or a default group has is ignored. Returns whether a membership changed.
 */
export async function setGroupsOfOrigin(
  trx: Queryable,
  { personId, origin, names }: ReportedMembership,
  now: number,
): Promise<boolean> {
  const wanted = await getOrCreate(trx, origin, names, now)
  const current = await trx
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select('group_id')
    .where('person_id', '=', personId)
    .where('origin', '=', origin)
    .execute()
  const before = new Set(current.map((it) => it.group_id))
  const [lost, added] = [[...before.difference(wanted)], [...wanted.difference(before)]]
  for (const batch of batches(lost)) {
    await trx.deleteFrom('user_group_member').where('person_id', '=', personId).where('group_id', 'in', batch).execute()
  }
  for (const batch of batches(added)) {
    const members = batch.map((group_id) => ({ group_id, person_id: personId, is_curator: toSqlFlag(false) }))
    await trx.insertInto('user_group_member').values(members).execute()
  }
  return lost.length + added.length > 0
}

/** Returns the ids of the groups that the origin may change. */
async function getOrCreate(
  trx: Queryable,
  origin: string,
  names: readonly string[],
  now: number,
): Promise<ReadonlySet<number>> {
  const ids = new Set<number>()
  for (const batch of batches([...new Set(names)].filter((it) => !isDefaultGroupName(it)))) {
    await trx
      .insertInto('user_group')
      .values(batch.map((name) => ({ name, origin, time_created: now, time_updated: now })))
      .onConflict((it) => it.column('name').doNothing())
      .execute()
    const rows = await trx
      .selectFrom('user_group')
      .select('id')
      .where('name', 'in', batch)
      .where('origin', '=', origin)
      .execute()
    for (const { id } of rows) ids.add(id)
  }
  return ids
}
