// Lists groups with their members, keys, and what names them.
import { sql } from 'kysely'
import { ADMIN_GROUP, BASIC_GROUP } from '../../domain/default-groups.ts'
import { mayManage } from '../../domain/rights/may-manage.ts'
import type { Role, Subject } from '../../domain/subject.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { likePart, lowerAscii } from '../../domain/values/like-part.ts'
import type { Queryable } from '../database/database.ts'
import { versionOf } from '../database/version-of.ts'
import { listReadablePairs } from '../sources/cc-pairs.ts'
import { batches, MANUAL_ORIGIN, type StoredGroup } from './groups.ts'

interface NamedRecord {
  id: number
  name: string
}

export interface GroupMember {
  id: string
  email: string
  role: Role
  is_active: boolean
}

export interface ListedGroup extends NamedRecord {
  origin: string
  is_default: boolean
  members: GroupMember[]
  curator_ids: string[]
  api_keys: NamedRecord[]
  cc_pairs: NamedRecord[]
  document_sets: NamedRecord[]
  personas: NamedRecord[]
}

/** Lists the groups that the subject manages in the order of their ids. `q` is a part of the name, in any case. */
export async function listGroups(
  db: Queryable,
  subject: Subject,
  { q, after, limit }: KeysetPage & { q: string | null },
): Promise<ListedGroup[]> {
  const rows = await db
    .selectFrom('user_group')
    .selectAll()
    .where('id', '>', after)
    .$if(!managesAllGroups(subject), (it) => it.where('name', 'in', ['', ...subject.curated_groups]))
    .$call((it) => (q === null ? it : it.where(sql<boolean>`lower(name) like ${likePart(lowerAscii(q))} escape '\\'`)))
    .orderBy('id')
    .limit(limit)
    .execute()
  const named = await listNamed(db, subject)
  const listed: ListedGroup[] = []
  for (const batch of batches(rows)) listed.push(...(await addMembers(db, batch, named)))
  return listed
}

/** Undefined if the subject manages no group with this id. */
export async function findListedGroup(db: Queryable, subject: Subject, id: number): Promise<ListedGroup | undefined> {
  const row = await db.selectFrom('user_group').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || !mayManage(subject, { kind: 'group', name: row.name })) return undefined
  return (await addMembers(db, [row], await listNamed(db, subject)))[0]
}

/** Changes with the members, and with the connectors that the subject sees. */
export const groupVersion = ({ members, cc_pairs }: Pick<ListedGroup, 'members' | 'cc_pairs'>): string =>
  versionOf([members.map((it) => it.id).toSorted(), cc_pairs.map((it) => it.id)])

const managesAllGroups = ({ rights }: Subject): boolean => rights.has('admin') || rights.has('connectors')

type NamesGroups = NamedRecord & { groups: string }

/** The records that name groups. Keys, and pairs that are closed to a curator, are for administrators. */
async function listNamed(db: Queryable, { rights, groups }: Subject) {
  const open = rights.has('connectors') ? null : await listReadablePairs(db, groups)
  const [pairs, sets, personas]: NamesGroups[][] = [
    await db
      .selectFrom('cc_pair')
      .select(['id', 'name', 'groups'])
      .where('status', '<>', 'DELETING')
      .$if(open !== null, (it) => it.where('id', 'in', [-1, ...(open ?? [])]))
      .orderBy('id')
      .execute(),
    await db.selectFrom('document_set').select(['id', 'name', 'groups']).orderBy('id').execute(),
    await db
      .selectFrom('persona')
      .select(['id', 'name', 'groups'])
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .execute(),
  ]
  const isWithKeys = rights.has('admin')
  return { isWithKeys, cc_pairs: byGroup(pairs), document_sets: byGroup(sets), personas: byGroup(personas) }
}

function byGroup(records: readonly NamesGroups[] = []): ReadonlyMap<string, NamedRecord[]> {
  const found = new Map<string, NamedRecord[]>()
  for (const { id, name, groups } of records) {
    for (const group of new Set<string>(JSON.parse(groups)))
      found.set(group, [...(found.get(group) ?? []), { id, name }])
  }
  return found
}

async function addMembers(
  db: Queryable,
  groups: readonly StoredGroup[],
  { isWithKeys, cc_pairs, document_sets, personas }: Awaited<ReturnType<typeof listNamed>>,
): Promise<ListedGroup[]> {
  const ids = groups.map((it) => it.id)
  const members = await db
    .selectFrom('user_group_member')
    .innerJoin('person', 'person.id', 'person_id')
    .select(['group_id', 'person.id', 'email', 'role', 'is_active', 'is_curator'])
    .where('group_id', 'in', ids)
    .orderBy('email_key')
    .execute()
  const keys = await db
    .selectFrom('user_group_key')
    .innerJoin('api_key', 'api_key.id', 'api_key_id')
    .select(['group_id', 'api_key.id', 'api_key.name', 'api_key.display'])
    .where('group_id', 'in', isWithKeys ? ids : [-1])
    .orderBy('api_key.id')
    .execute()
  const membersOf = Map.groupBy(members, (it) => it.group_id)
  const keysOf = Map.groupBy(keys, (it) => it.group_id)
  return groups.map(({ id, name, origin }) => ({
    id,
    name,
    origin,
    is_default: false,
    members: (membersOf.get(id) ?? []).map(toMember),
    curator_ids: (membersOf.get(id) ?? []).filter((it) => it.is_curator === 1).map((it) => it.id),
    api_keys: (keysOf.get(id) ?? []).map((it) => ({ id: it.id, name: it.name ?? it.display })),
    cc_pairs: cc_pairs.get(name) ?? [],
    document_sets: document_sets.get(name) ?? [],
    personas: personas.get(name) ?? [],
  }))
}

const toMember = ({ id, email, role, is_active }: { id: string; email: string; role: Role; is_active: number }) => ({
  id,
  email,
  role,
  is_active: is_active === 1,
})

/** Administrators, and everybody who is active. */
export async function listDefaultGroups(db: Queryable): Promise<ListedGroup[]> {
  const people = await db
    .selectFrom('person')
    .select(['id', 'email', 'role', 'is_active'])
    .orderBy('email_key')
    .execute()
  const members = people.map(toMember)
  return [
    { ...NOTHING_NAMED, ...ADMIN_GROUP, members: members.filter((it) => it.role === 'admin') },
    { ...NOTHING_NAMED, ...BASIC_GROUP, members: members.filter((it) => it.is_active) },
  ]
}

const NOTHING_NAMED = {
  origin: MANUAL_ORIGIN,
  is_default: true,
  curator_ids: [],
  api_keys: [],
  cc_pairs: [],
  document_sets: [],
  personas: [],
}

/** Lists ids and names in the order of the names. Null stands for all groups. */
export async function listGroupNames(db: Queryable, names: readonly string[] | null): Promise<NamedRecord[]> {
  const select = db.selectFrom('user_group').select(['id', 'name']).orderBy('name')
  if (names === null) return select.execute()
  const found: NamedRecord[] = []
  for (const batch of batches(names)) found.push(...(await select.where('name', 'in', batch).execute()))
  return found
}

/** Ids that no group has are left out. */
export async function listGroupsById(db: Queryable, ids: readonly number[]): Promise<NamedRecord[]> {
  const found: NamedRecord[] = []
  for (const batch of batches(ids)) {
    found.push(...(await db.selectFrom('user_group').select(['id', 'name']).where('id', 'in', batch).execute()))
  }
  return found
}

/** The groups to which a person belongs, by name. */
export async function listMembershipsOfPerson(
  db: Queryable,
  personId: string,
): Promise<(NamedRecord & { origin: string; is_curator: boolean })[]> {
  const rows = await db
    .selectFrom('user_group_member')
    .innerJoin('user_group', 'user_group.id', 'group_id')
    .select(['id', 'name', 'origin', 'is_curator'])
    .where('person_id', '=', personId)
    .orderBy('name')
    .execute()
  return rows.map((it) => ({ ...it, is_curator: it.is_curator === 1 }))
}
