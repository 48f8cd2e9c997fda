// Lists people with their groups, and counts them.
import { sql } from 'kysely'
import { emailKeyOf, type Role } from '../../domain/subject.ts'
import { likePart, lowerAscii } from '../../domain/values/like-part.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Queryable } from '../database/database.ts'
import { batches } from './groups.ts'
import type { StoredPerson } from './people.ts'

export interface PeopleFilter {
  /** A part of the address or of the name, in any case. */
  q: string | null
  roles: readonly Role[] | null
  is_active: boolean | null
}

export interface ListedPerson extends StoredPerson {
  groups: { id: number; name: string }[]
  api_key_count: number
  is_scim_synced: boolean
}

/** Lists people in the order of their addresses. */
export async function listPeople(
  db: Queryable,
  filter: PeopleFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<ListedPerson[]> {
  const people = await filterPeople(db, filter)
    .selectAll('person')
    .orderBy('email_key')
    .offset(offset)
    .limit(limit)
    .execute()
  const listed: ListedPerson[] = []
  for (const batch of batches(people)) listed.push(...(await addGroupsAndKeys(db, batch)))
  return listed
}

const filterPeople = (db: Queryable, { q, roles, is_active }: PeopleFilter) =>
  db
    .selectFrom('person')
    .$call((it) => (roles === null || roles.length === 0 ? it : it.where('role', 'in', roles)))
    .$call((it) => (is_active === null ? it : it.where('is_active', '=', toSqlFlag(is_active))))
    .$call((it) => {
      if (q === null || q === '') return it
      const [address, name] = [likePart(emailKeyOf(q)), likePart(lowerAscii(q))]
      return it.where(sql<boolean>`(email_key like ${address} escape '\\' or lower(name) like ${name} escape '\\')`)
    })

async function addGroupsAndKeys(db: Queryable, people: readonly StoredPerson[]): Promise<ListedPerson[]> {
  const ids = people.map((it) => it.id)
  const memberships = await db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['person_id', 'user_group.id', 'user_group.name'])
    .where('person_id', 'in', ids)
    .orderBy('user_group.name')
    .execute()
  const keys = await db.selectFrom('api_key').select('person_id').where('person_id', 'in', ids).execute()
  const synced = await db.selectFrom('scim_user').select('person_id').where('person_id', 'in', ids).execute()
  const isSynced = new Set(synced.map((it) => it.person_id))
  return people.map((person) => ({
    ...person,
    groups: memberships.filter((it) => it.person_id === person.id).map(({ id, name }) => ({ id, name })),
    is_scim_synced: isSynced.has(person.id),
    api_key_count: keys.filter((it) => it.person_id === person.id).length,
  }))
}

export async function countPeople(db: Queryable, filter: PeopleFilter): Promise<number> {
  const { count } = await filterPeople(db, filter)
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Counts people by role and by whether they are active. */
export async function countPeopleByRole(db: Queryable): Promise<{ role: Role; is_active: boolean; count: number }[]> {
  const rows = await db
    .selectFrom('person')
    .select(['role', 'is_active', (it) => it.fn.countAll<number | string>().as('count')])
    .groupBy(['role', 'is_active'])
    .execute()
  return rows.map(({ role, is_active, count }) => ({ role, is_active: is_active === 1, count: Number(count) }))
}

/** Lists the addresses of active people that contain `q`, for sharing. Null stands for all. */
export const listAddresses = (
  db: Queryable,
  { q, limit }: { q: string | null; limit: number | null },
): Promise<{ id: string; email: string }[]> =>
  db
    .selectFrom('person')
    .select(['id', 'email'])
    .where('is_active', '=', 1)
    .$call((it) => (q === null ? it : it.where(sql<boolean>`email_key like ${likePart(emailKeyOf(q))} escape '\\'`)))
    .orderBy('email_key')
    .$call((it) => (limit === null ? it : it.limit(limit)))
    .execute()

/** Lists the key of the address of everybody. */
export async function listEmailKeys(db: Queryable): Promise<{ email_key: string; is_active: boolean }[]> {
  const rows = await db.selectFrom('person').select(['email_key', 'is_active']).execute()
  return rows.map((it) => ({ ...it, is_active: it.is_active === 1 }))
}
