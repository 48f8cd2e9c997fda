// People whom the directory manages.
import { AppError } from '../../../domain/errors.ts'
import type { ScimFilter } from '../../../domain/scim/filter.ts'
import type { ScimUserContent } from '../../../domain/scim/user.ts'
import type { Queryable } from '../../database/database.ts'
import { batches } from '../groups.ts'
import { userCondition } from './conditions.ts'

export interface StoredScimUser extends ScimUserContent {
  id: string
  groups: { id: number; name: string }[]
  time_created: number
  time_updated: number
}

export interface ScimPage {
  filter: ScimFilter | null
  offset: number
  limit: number
}

const users = (db: Queryable) => db.selectFrom('scim_user').innerJoin('person', 'person.id', 'scim_user.person_id')

const filterUsers = (db: Queryable, filter: ScimFilter | null) =>
  users(db).$call((it) => (filter === null ? it : it.where(userCondition(filter))))

/** Lists users in the order in which the directory made them, with the number of all that match. */
export async function listScimUsers(
  db: Queryable,
  { filter, offset, limit }: ScimPage,
): Promise<{ users: StoredScimUser[]; total: number }> {
  const { count } = await filterUsers(db, filter)
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await filterUsers(db, filter)
    .select('scim_user.person_id')
    .orderBy('scim_user.time_created')
    .orderBy('scim_user.person_id')
    .offset(offset)
    .limit(limit)
    .execute()
  return {
    users: await readUsers(
      db,
      rows.map((it) => it.person_id),
    ),
    total: Number(count),
  }
}

/** SCIM_NOT_FOUND: the directory manages nobody with this id. */
export async function getScimUser(db: Queryable, id: string): Promise<StoredScimUser> {
  const [user] = await readUsers(db, [id])
  if (user === undefined) throw new AppError('SCIM_NOT_FOUND', { kind: 'user' })
  return user
}

async function readUsers(db: Queryable, ids: readonly string[]): Promise<StoredScimUser[]> {
  const found = new Map<string, StoredScimUser>()
  for (const batch of batches(ids)) {
    const rows = await users(db)
      .selectAll('scim_user')
      .select('person.is_active')
      .where('scim_user.person_id', 'in', batch)
      .execute()
    const emails = await db
      .selectFrom('scim_email')
      .selectAll()
      .where('person_id', 'in', batch)
      .orderBy('position')
      .execute()
    const groups = await db
      .selectFrom('user_group_member')
      .innerJoin('scim_group', 'scim_group.group_id', 'user_group_member.group_id')
      .innerJoin('user_group', 'user_group.id', 'scim_group.group_id')
      .select(['person_id', 'user_group.id', 'user_group.name'])
      .where('person_id', 'in', batch)
      .orderBy('user_group.id')
      .execute()
    const emailsOf = Map.groupBy(emails, (it) => it.person_id)
    const groupsOf = Map.groupBy(groups, (it) => it.person_id)
    for (const row of rows)
      found.set(row.person_id, {
        id: row.person_id,
        userName: row.user_name,
        externalId: row.external_id,
        displayName: row.display_name,
        name: { formatted: row.formatted_name, givenName: row.given_name, familyName: row.family_name },
        emails: (emailsOf.get(row.person_id) ?? []).map(({ value, type, is_primary }) => ({
          ...{ value, type },
          primary: is_primary === 1,
        })),
        active: row.is_active === 1,
        groups: (groupsOf.get(row.person_id) ?? []).map(({ id, name }) => ({ id, name })),
        time_created: row.time_created,
        time_updated: row.time_updated,
      })
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

export async function countScim(db: Queryable): Promise<{ users: number; active_users: number; groups: number }> {
  const people = await users(db)
    .select(['is_active', (it) => it.fn.countAll<number | string>().as('count')])
    .groupBy('is_active')
    .execute()
  const { count } = await db
    .selectFrom('scim_group')
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  const countOf = (isActive: number) => Number(people.find((it) => it.is_active === isActive)?.count ?? 0)
  return { users: countOf(0) + countOf(1), active_users: countOf(1), groups: Number(count) }
}
