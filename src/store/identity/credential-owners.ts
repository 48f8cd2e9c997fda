// The key or person that a credential stands for, with the groups. Read for every request.
import type { Selectable } from 'kysely'
import type { Subject } from '../../domain/subject.ts'
import type { Queryable } from '../database/database.ts'
import type { ApiKeyRow } from '../database/identity-tables.ts'
import { type GroupMembership, listMemberships, membershipFinder } from './groups.ts'
import { type StoredPerson, selectPerson } from './people.ts'

export type KeyPerson = Pick<StoredPerson, 'id' | 'email' | 'role' | 'is_active'>

/** A key, the person that it acts for, and the groups that it has now. */
export interface KeyOwnership {
  key: Selectable<ApiKeyRow>
  person: KeyPerson | null
  groups: GroupMembership[]
}

export interface PersonWithGroups {
  person: StoredPerson
  groups: GroupMembership[]
}

type OwnershipRow = Selectable<ApiKeyRow> & {
  person_email: string | null
  person_role: StoredPerson['role'] | null
  person_is_active: StoredPerson['is_active'] | null
  group_name: string | null
  member_id: string | null
  is_curator: number | null
}

/** One row for each group that the key names, or one without a group. */
const selectOwnership = (db: Queryable) =>
  db
    .selectFrom('api_key')
    .leftJoin('person', 'person.id', 'api_key.person_id')
    .leftJoin('user_group_key', 'user_group_key.api_key_id', 'api_key.id')
    .leftJoin('user_group', 'user_group.id', 'user_group_key.group_id')
    .leftJoin('user_group_member as member', (join) =>
      join.onRef('member.group_id', '=', 'user_group.id').onRef('member.person_id', '=', 'api_key.person_id'),
    )
    .selectAll('api_key')
    .select(['person.email as person_email', 'person.role as person_role', 'person.is_active as person_is_active'])
    .select(['user_group.name as group_name', 'member.person_id as member_id', 'member.is_curator'])
    .orderBy('user_group.name')

/** Runs on every request, so the query is compiled once. */
export function keyOwnershipFinder(db: Queryable): (kid: string) => Promise<KeyOwnership | undefined> {
  const query = selectOwnership(db).where('api_key.kid', '=', '').compile()
  return async (kid) => {
    const { rows } = await db.executeQuery<OwnershipRow>({ ...query, parameters: [kid] })
    return toOwnership(db, rows)
  }
}

export const findKeyOwnershipByUserId = async (db: Queryable, userId: string): Promise<KeyOwnership | undefined> =>
  toOwnership(db, await selectOwnership(db).where('api_key.user_id', '=', userId).execute())

async function toOwnership(db: Queryable, rows: readonly OwnershipRow[]): Promise<KeyOwnership | undefined> {
  const [first] = rows
  if (first === undefined) return undefined
  const { person_email, person_role, person_is_active, group_name: _, member_id: __, is_curator: ___, ...key } = first
  const person =
    key.person_id === null || person_email === null || person_role === null || person_is_active === null
      ? null
      : { id: key.person_id, email: person_email, role: person_role, is_active: person_is_active }
  if (person !== null && key.has_person_groups === 1) {
    return { key, person, groups: await listMemberships(db, person.id) }
  }
  return { key, person, groups: rows.flatMap((it) => groupOf(it, person)) }
}

/** A key that acts for a person has no group that the person has lost. */
function groupOf(
  { group_name: name, member_id, is_curator }: OwnershipRow,
  person: KeyPerson | null,
): GroupMembership[] {
  if (name === null || (person !== null && member_id === null)) return []
  return [{ name, is_curator: is_curator === 1 }]
}

/** Runs on every request of a person's session, so the queries are compiled once. */
export function personWithGroupsFinder(db: Queryable): (id: string) => Promise<PersonWithGroups | undefined> {
  const personQuery = selectPerson(db, '').compile()
  const listMemberships = membershipFinder(db)
  return async (id) => {
    const [person] = (await db.executeQuery<StoredPerson>({ ...personQuery, parameters: [id] })).rows
    return person && { person, groups: await listMemberships(id) }
  }
}

/**
 * The subject with those of its curated groups that it still curates. Call it in the transaction that writes: groups may
 * have changed since the request began.
 */
export async function withCurrentGroups(db: Queryable, subject: Subject): Promise<Subject> {
  if (subject.curated_groups.length === 0) return subject
  const rows = await db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .innerJoin('person', 'person.id', 'person_id')
    .select('user_group.name')
    .where('person_id', '=', subject.person_id)
    .where('is_curator', '=', 1)
    .where('is_active', '=', 1)
    .where('role', 'in', ['curator', 'global_curator'])
    .execute()
  const current = new Set(rows.map((it) => it.name))
  return { ...subject, curated_groups: subject.curated_groups.filter((it) => current.has(it)) }
}
