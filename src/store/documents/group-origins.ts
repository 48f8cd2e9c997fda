// Where the groups of a person come from, and who else has a group.
import type { Queryable } from '../database/database.ts'
import { batches } from '../identity/groups.ts'

export interface GroupOrigin {
  name: string
  /** The origin of a group of this service, or the name of the cc-pair whose source reports the group. */
  origin: string
  cc_pair_id: number | null
}

/** Lists each group of the person once for each place that it comes from. */
export async function listGroupOrigins(
  db: Queryable,
  { id, email_key }: { id: string; email_key: string },
): Promise<GroupOrigin[]> {
  const own = await db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['user_group.name', 'origin'])
    .where('person_id', '=', id)
    .orderBy('user_group.name')
    .execute()
  const ofSources = await db
    .selectFrom('source_group_member')
    .innerJoin('cc_pair', 'cc_pair.id', 'cc_pair_id')
    .select(['group_id as name', 'cc_pair.name as origin', 'cc_pair_id'])
    .where('email', '=', email_key)
    .orderBy('group_id')
    .orderBy('cc_pair_id')
    .execute()
  return [...own.map((it) => ({ ...it, cc_pair_id: null })), ...ofSources]
}

/** Counts the keys that act for nobody and have one of these groups. */
export async function countKeysWithGroups(db: Queryable, names: readonly string[]): Promise<number> {
  const found = new Set<number>()
  for (const batch of batches(names)) {
    const rows = await db
      .selectFrom('user_group_key')
      .innerJoin('user_group', 'user_group.id', 'group_id')
      .innerJoin('api_key', 'api_key.id', 'api_key_id')
      .select('api_key.id')
      .distinct()
      .where('user_group.name', 'in', batch)
      .where('api_key.person_id', 'is', null)
      .execute()
    for (const { id } of rows) found.add(id)
  }
  return found.size
}

/** Lists the names of the groups of this service. `hasReader`: an active person or a key that acts for nobody has the group. */
export async function listGroupsWithReaders(
  db: Queryable,
  now: number,
): Promise<{ name: string; hasReader: boolean }[]> {
  const ofPeople = await db
    .selectFrom('user_group_member')
    .innerJoin('person', 'person.id', 'person_id')
    .select('group_id')
    .distinct()
    .where('is_active', '=', 1)
    .execute()
  const ofKeys = await db
    .selectFrom('user_group_key')
    .innerJoin('api_key', 'api_key.id', 'api_key_id')
    .select('group_id')
    .distinct()
    .where('api_key.person_id', 'is', null)
    .where((it) => it.or([it('expires_at', 'is', null), it('expires_at', '>', now)]))
    .execute()
  const read = new Set([...ofPeople, ...ofKeys].map((it) => it.group_id))
  const groups = await db.selectFrom('user_group').select(['id', 'name']).orderBy('name').execute()
  return groups.map(({ id, name }) => ({ name, hasReader: read.has(id) }))
}
