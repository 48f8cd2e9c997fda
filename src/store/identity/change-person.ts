// Changes the role of people, and suspends them. Both take effect with the next request.
import { AppError } from '../../domain/errors.ts'
import { PERSON_PREFIX, type Role } from '../../domain/subject.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import { getOrCreatePseudonym } from './audit.ts'
import { findPersonByEmail, type StoredPerson, setActive } from './people.ts'

export type PersonChange = { role: Role } | { is_active: boolean }

/**
 * Returns the pseudonym of the person in the audit. PERSON_NOT_FOUND: nobody has this address. LAST_ADMIN: nobody else who can sign in would be an
 * administrator.
 */
export const changePerson = (db: Database, email: string, change: PersonChange, now: number): Promise<string> =>
  db.transaction().execute(async (trx) => {
    await applyChange(trx, email, change, now)
    return getOrCreatePseudonym(trx, email)
  })

/**
 * Suspends the person as the removal of a directory says, and ends the sessions too: should they come back, old sessions
 * stay ended. Throws what `changePerson` throws.
 */
export async function suspendByRemoval(trx: Queryable, email: string, removalId: number, now: number): Promise<void> {
  const person = await applyChange(trx, email, { is_active: false }, now)
  await setActive(trx, person.id, { isActive: false, removalId }, now)
  const keys = trx.selectFrom('api_key').select('kid').where('person_id', '=', person.id)
  await trx
    .deleteFrom('session')
    .where((it) => it.or([it('owner_kid', '=', PERSON_PREFIX + person.id), it('owner_kid', 'in', keys)]))
    .execute()
}

async function applyChange(trx: Queryable, email: string, change: PersonChange, now: number): Promise<StoredPerson> {
  await lockAdministrators(trx)
  const person = await findPersonByEmail(trx, email)
  if (person === undefined) throw new AppError('PERSON_NOT_FOUND')
  const losesAdmin = 'role' in change ? change.role !== 'admin' : !change.is_active
  if (losesAdmin) await requireOtherAdmin(trx, person)
  if ('is_active' in change) {
    await setActive(trx, person.id, { isActive: change.is_active, removalId: null }, now)
    return person
  }
  await trx
    .updateTable('person')
    .set({ ...change, time_updated: now })
    .where('id', '=', person.id)
    .execute()
  if (NEVER_CURATES.includes(change.role)) await endCuration(trx, person.id)
  return person
}

/** Otherwise a person with a lower role would curate the old groups again with the next one that they curate. */
const NEVER_CURATES: readonly Role[] = ['basic', 'limited']

async function endCuration(trx: Queryable, personId: string): Promise<void> {
  await trx
    .updateTable('user_group_member')
    .set({ is_curator: toSqlFlag(false) })
    .where('person_id', '=', personId)
    .execute()
}

/** Two administrators who demote each other at the same time must wait for each other. */
export async function lockAdministrators(trx: Queryable): Promise<void> {
  await trx.updateTable('person').set({ role: 'admin' }).where('role', '=', 'admin').execute()
}

export async function hasAdminWhoSignsIn(db: Queryable): Promise<boolean> {
  const admins = await db.selectFrom('person').selectAll().where('role', '=', 'admin').execute()
  return admins.some(isAdminWhoSignsIn)
}

async function requireOtherAdmin(trx: Queryable, person: StoredPerson): Promise<void> {
  if (await isLastAdmin(trx, person)) throw new AppError('LAST_ADMIN')
}

/** A person who is known by keys alone is never the last administrator: the maker of the keys has a way in. */
export async function isLastAdmin(trx: Queryable, person: StoredPerson): Promise<boolean> {
  if (!isAdminWhoSignsIn(person)) return false
  const admins = await trx.selectFrom('person').selectAll().where('role', '=', 'admin').execute()
  return !admins.some((it) => it.id !== person.id && isAdminWhoSignsIn(it))
}

const isAdminWhoSignsIn = ({ role, is_active, is_verified, password_hash }: StoredPerson): boolean =>
  role === 'admin' && is_active === 1 && (is_verified === 1 || password_hash !== null)
