// Creates and changes many people at once, all or none.
import { randomUUID } from 'node:crypto'
import { isDefaultGroupName } from '../../../domain/default-groups.ts'
import { AppError } from '../../../domain/errors.ts'
import { emailKeyOf, type Role } from '../../../domain/subject.ts'
import { toSqlFlag } from '../../database/column-types.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { getOrCreatePseudonym } from '../audit.ts'
import { hasAdminWhoSignsIn, lockAdministrators } from '../change-person.ts'
import { batches, getOrCreateGroups, MANUAL_ORIGIN, type StoredGroup } from '../groups.ts'
import { type StoredPerson, setActive } from '../people.ts'

/** An absent field leaves the person as they are. */
export interface PersonEntry {
  line: number
  email: string
  name?: string | null
  role?: Role
  is_active?: boolean
  /** All manual groups of the person. Those managed elsewhere may be named, and stay if they are not. */
  groups?: readonly string[]
}

export interface ImportedPerson {
  id: string
  email: string
  change: 'created' | 'updated' | 'unchanged'
  /** The name in the audit of a person who was changed. Null if nothing was written. */
  pseudonym: string | null
  /** The columns that the line has for the person. */
  fields: string[]
}

export interface ImportResult {
  people: ImportedPerson[]
  problems: { line: number; reason: string }[]
}

interface ImportRequest {
  entries: readonly PersonEntry[]
  /** The person who imports. Nobody takes away their own role or suspends themselves. */
  importer: string | null
  isDryRun: boolean
}

interface Membership {
  group: Pick<StoredGroup, 'id' | 'name' | 'origin'>
  person_id: string
}

interface PlannedPerson {
  entry: PersonEntry
  person: StoredPerson | undefined
  memberships: readonly Membership[]
  change: ImportedPerson['change']
}

/**
 * Writes nothing if a line has a problem, or in a dry run. LAST_ADMIN: nobody who can sign in would be an administrator.
 */
export const importPeople = (
  db: Database,
  { entries, importer, isDryRun }: ImportRequest,
  now: number,
): Promise<ImportResult> =>
  db.transaction().execute(async (trx) => {
    await lockAdministrators(trx)
    const hadAdmin = await hasAdminWhoSignsIn(trx)
    const planned = await plan(trx, entries)
    const problems = await explainProblems(trx, planned, importer)
    const people = planned.map(describe)
    if (isDryRun || problems.length > 0) return { people, problems }
    await write(trx, planned, new Map(people.map((it) => [emailKeyOf(it.email), it.id])), now)
    if (hadAdmin && !(await hasAdminWhoSignsIn(trx))) throw new AppError('LAST_ADMIN')
    for (const it of people) if (it.change !== 'unchanged') it.pseudonym = await getOrCreatePseudonym(trx, it.email)
    return { people, problems }
  })

function describe({ entry, person, change }: PlannedPerson): ImportedPerson {
  const { line: _line, email: _email, ...columns } = entry
  const email = person?.email ?? entry.email
  return { id: person?.id ?? randomUUID(), email, change, pseudonym: null, fields: Object.keys(columns) }
}

async function plan(trx: Queryable, entries: readonly PersonEntry[]): Promise<PlannedPerson[]> {
  const people = new Map<string, StoredPerson>()
  for (const batch of batches(entries.map((it) => emailKeyOf(it.email)))) {
    const rows = await trx.selectFrom('person').selectAll().where('email_key', 'in', batch).execute()
    for (const it of rows) people.set(it.email_key, it)
  }
  const memberships = await mapMemberships(trx, [...people.values()])
  return entries.map((entry) => {
    const person = people.get(emailKeyOf(entry.email))
    const own = person === undefined ? [] : (memberships.get(person.id) ?? [])
    return { entry, person, memberships: own, change: changeOf(entry, person, own) }
  })
}

async function mapMemberships(trx: Queryable, people: readonly StoredPerson[]): Promise<Map<string, Membership[]>> {
  const all: Membership[] = []
  for (const batch of batches(people.map((it) => it.id))) {
    const rows = await trx
      .selectFrom('user_group_member')
      .innerJoin('user_group', 'user_group.id', 'group_id')
      .select(['person_id', 'user_group.id', 'user_group.name', 'user_group.origin'])
      .where('person_id', 'in', batch)
      .execute()
    for (const { person_id, ...group } of rows) all.push({ person_id, group })
  }
  return Map.groupBy(all, (it) => it.person_id)
}

function changeOf(
  entry: PersonEntry,
  person: StoredPerson | undefined,
  memberships: readonly Membership[],
): ImportedPerson['change'] {
  if (person === undefined) return 'created'
  const isSame =
    (entry.name === undefined || entry.name === person.name) &&
    (entry.role === undefined || entry.role === person.role) &&
    (entry.is_active === undefined || toSqlFlag(entry.is_active) === person.is_active) &&
    missingGroups(entry, memberships).length === 0 &&
    surplusGroups(entry, memberships).length === 0
  return isSame ? 'unchanged' : 'updated'
}

const missingGroups = ({ groups = [] }: PersonEntry, memberships: readonly Membership[]): string[] =>
  groups.filter((name) => !memberships.some((it) => it.group.name === name))

const surplusGroups = ({ groups }: PersonEntry, memberships: readonly Membership[]): Membership['group'][] =>
  groups === undefined
    ? []
    : memberships.map((it) => it.group).filter((it) => it.origin === MANUAL_ORIGIN && !groups.includes(it.name))

async function explainProblems(
  trx: Queryable,
  planned: readonly PlannedPerson[],
  importer: string | null,
): Promise<ImportResult['problems']> {
  const missing = new Set(planned.flatMap(({ entry, memberships }) => missingGroups(entry, memberships)))
  const known = new Map<string, string>()
  for (const batch of batches([...missing])) {
    const rows = await trx.selectFrom('user_group').select(['name', 'origin']).where('name', 'in', batch).execute()
    for (const it of rows) known.set(it.name, it.origin)
  }
  return planned.flatMap(({ entry, person, memberships }) => {
    const isOwn = importer !== null && person?.id === importer
    const losesOwn = (entry.role !== undefined && entry.role !== person?.role) || entry.is_active === false
    const reasons = missingGroups(entry, memberships).flatMap((name) => explainGroup(name, known.get(name)))
    if (isOwn && losesOwn) reasons.push('Nobody changes their own role or suspends themselves.')
    return reasons.map((reason) => ({ line: entry.line, reason }))
  })
}

function explainGroup(name: string, origin: string | undefined): string[] {
  if (origin === MANUAL_ORIGIN) return []
  if (origin !== undefined) return [`The members of the group "${name}" are managed by its origin: ${origin}.`]
  return isDefaultGroupName(name) ? [`The group "${name}" follows from the role. Change the role.`] : []
}

async function write(
  trx: Queryable,
  planned: readonly PlannedPerson[],
  ids: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  const idOf = ({ email }: PersonEntry): string => ids.get(emailKeyOf(email)) ?? ''
  const created = planned.filter((it) => it.change === 'created').map(({ entry }) => newRow(entry, idOf(entry), now))
  for (const batch of batches(created)) await trx.insertInto('person').values(batch).execute()
  const changed = planned.filter((it) => it.change !== 'unchanged')
  for (const { entry, person } of changed) if (person !== undefined) await updatePerson(trx, person, entry, now)
  const names = changed.flatMap(({ entry, memberships }) => missingGroups(entry, memberships))
  const groups = await getOrCreateGroups(trx, names, now)
  const added = changed.flatMap(({ entry, memberships }) =>
    missingGroups(entry, memberships).flatMap((name) => {
      const group = groups.get(name)
      return group === undefined ? [] : [{ group_id: group.id, person_id: idOf(entry), is_curator: toSqlFlag(false) }]
    }),
  )
  for (const batch of batches(added)) await trx.insertInto('user_group_member').values(batch).execute()
  for (const { entry, memberships } of changed) {
    const surplus = surplusGroups(entry, memberships).map((it) => it.id)
    if (surplus.length === 0) continue
    const ofPerson = trx.deleteFrom('user_group_member').where('person_id', '=', idOf(entry))
    await ofPerson.where('group_id', 'in', surplus).execute()
  }
}

const newRow = ({ email, name = null, role = 'basic', is_active = true }: PersonEntry, id: string, now: number) => ({
  ...{
    id,
    email,
    email_key: emailKeyOf(email),
    name,
    role,
    is_active: toSqlFlag(is_active),
    is_verified: toSqlFlag(false),
  },
  ...{ password_hash: null, password_changed_at: null, time_created: now, time_updated: now, last_seen_at: null },
})

async function updatePerson(
  trx: Queryable,
  { id, is_active: wasActive }: StoredPerson,
  { name, role, is_active: isActive }: PersonEntry,
  now: number,
): Promise<void> {
  await trx
    .updateTable('person')
    .set({ time_updated: now, ...(name !== undefined && { name }), ...(role !== undefined && { role }) })
    .where('id', '=', id)
    .execute()
  // A table that was exported and not changed decides nothing.
  if (isActive !== undefined && toSqlFlag(isActive) !== wasActive)
    await setActive(trx, id, { isActive, removalId: null }, now)
}
