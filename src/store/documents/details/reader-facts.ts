// The people and groups that documents name as their readers.
import type { Queryable } from '../../database/database.ts'

/** Maps keys of addresses to people; addresses of nobody are left out. */
export async function mapPeopleByEmail(
  db: Queryable,
  emailKeys: readonly string[],
): Promise<Map<string, { id: string; is_active: boolean }>> {
  if (emailKeys.length === 0) return new Map()
  const rows = await db
    .selectFrom('person')
    .select(['id', 'email_key', 'is_active'])
    .where('email_key', 'in', emailKeys)
    .execute()
  return new Map(rows.map(({ id, email_key, is_active }) => [email_key, { id, is_active: is_active === 1 }]))
}

/** Maps names of groups to how many addresses have them, here and in sources, each counted once. */
export async function countGroupMembers(
  db: Queryable,
  names: readonly string[],
): Promise<Map<string, { id: number | null; members: number }>> {
  if (names.length === 0) return new Map()
  const groups = await db.selectFrom('user_group').select(['id', 'name']).where('name', 'in', names).execute()
  const own = db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .innerJoin('person', 'person.id', 'person_id')
    .select(['user_group.name as name', 'person.email_key as email'])
    .where('user_group.name', 'in', names)
  const ofSources = db
    .selectFrom('source_group_member')
    .select(['source_group_member.group_id as name', 'source_group_member.email as email'])
    .where('source_group_member.group_id', 'in', names)
  const counts = await db
    .selectFrom(own.union(ofSources).as('member'))
    .select((it) => ['member.name', it.fn.countAll<number>().as('members')])
    .groupBy('member.name')
    .execute()
  const ids = new Map(groups.map((it) => [it.name, it.id]))
  const members = new Map(counts.map((it) => [it.name, Number(it.members)]))
  return new Map(names.map((name) => [name, { id: ids.get(name) ?? null, members: members.get(name) ?? 0 }]))
}
