// People who use the service. Their e-mail address identifies them; it is compared in lower case.
import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import { emailKeyOf, type Role } from '../../domain/subject.ts'
import { NO_PREFERENCES, type Preferences, type PreferencesUpdate } from '../../domain/values/preferences.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { PersonRow } from '../database/identity-tables.ts'

export type StoredPerson = Selectable<PersonRow>

export interface NewPerson {
  email: string
  name: string | null
  role: Role
  is_verified: boolean
  password_hash: string | null
}

/** PERSON_EXISTS: a person has this address. */
export async function insertPerson(trx: Queryable, person: NewPerson, now: number): Promise<StoredPerson> {
  const inserted = await insertNewPerson(trx, person, now)
  if (inserted === undefined) throw new AppError('PERSON_EXISTS')
  return inserted
}

/** Undefined if a person has this address. Waits for a transaction that has just inserted one, whose rows it can read then. */
export const insertNewPerson = (trx: Queryable, person: NewPerson, now: number): Promise<StoredPerson | undefined> =>
  trx
    .insertInto('person')
    .values({
      ...person,
      id: randomUUID(),
      email_key: emailKeyOf(person.email),
      is_active: 1,
      is_verified: toSqlFlag(person.is_verified),
      password_changed_at: person.password_hash === null ? null : now,
      time_created: now,
      time_updated: now,
      last_seen_at: null,
    })
    .onConflict((it) => it.column('email_key').doNothing())
    .returningAll()
    .executeTakeFirst()

/** Takes back `insertNewPerson` within its transaction. */
export async function deleteNewPerson(trx: Queryable, id: string): Promise<void> {
  await trx.deleteFrom('person').where('id', '=', id).execute()
}

export const findPersonByEmail = (db: Queryable, email: string): Promise<StoredPerson | undefined> =>
  db.selectFrom('person').selectAll().where('email_key', '=', emailKeyOf(email)).executeTakeFirst()

export async function hasPeople(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('person').select('id').limit(1).executeTakeFirst()) !== undefined
}

export const findPerson = (db: Queryable, id: string): Promise<StoredPerson | undefined> =>
  selectPerson(db, id).executeTakeFirst()

export const selectPerson = (db: Queryable, id: string) => db.selectFrom('person').selectAll().where('id', '=', id)

/** The addresses of the people among these ids. */
export async function mapPersonEmails(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('person').select(['id', 'email']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** False if nobody has the id. */
export async function setPersonName(db: Queryable, id: string, name: string | null, now: number): Promise<boolean> {
  const changed = db.updateTable('person').set({ name, time_updated: now }).where('id', '=', id).returning('id')
  return (await changed.executeTakeFirst()) !== undefined
}

/**
 * The only place that activates and suspends people. A directory undoes its own suspension, which names its removal in
 * effect. Every other decision, for which `removalId` is null, is one of an administrator: the directory never undoes it.
 */
export async function setActive(
  trx: Queryable,
  id: string,
  { isActive, removalId }: { isActive: boolean; removalId: number | null },
  now: number,
): Promise<void> {
  const is_active = toSqlFlag(isActive)
  await trx.updateTable('person').set({ is_active, time_updated: now }).where('id', '=', id).execute()
  await trx.updateTable('scim_removal').set({ is_in_effect: 0 }).where('person_id', '=', id).execute()
  if (removalId !== null)
    await trx.updateTable('scim_removal').set({ is_in_effect: 1 }).where('id', '=', removalId).execute()
}

/** Undefined if nobody has the id. */
export async function findPreferences(db: Queryable, personId: string): Promise<Preferences | undefined> {
  const row = await db.selectFrom('person').select('preferences').where('id', '=', personId).executeTakeFirst()
  return row && readPreferences(row.preferences)
}

export const readPreferences = (text: string | null): Preferences => ({
  ...NO_PREFERENCES,
  ...(text !== null && JSON.parse(text)),
})

/** Absent fields are left unchanged. Undefined if nobody has the id. */
export const changePreferences = (
  db: Database,
  personId: string,
  change: PreferencesUpdate,
  now: number,
): Promise<Preferences | undefined> =>
  db.transaction().execute(async (trx) => {
    const before = await findPreferences(trx, personId)
    if (before === undefined) return undefined
    const given = Object.fromEntries(Object.entries(change).filter(([, it]) => it !== undefined))
    const after = { ...before, ...given }
    await trx
      .updateTable('person')
      .set({ preferences: JSON.stringify(after), time_updated: now })
      .where('id', '=', personId)
      .execute()
    return after
  })
