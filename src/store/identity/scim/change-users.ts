// Makes, changes and removes people as the directory says. Suspensions take effect with the next request.
import { AppError } from '../../../domain/errors.ts'
import type { ScimUserContent } from '../../../domain/scim/user.ts'
import { emailKeyOf } from '../../../domain/subject.ts'
import { toSqlFlag } from '../../database/column-types.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { getOrCreatePseudonym } from '../audit.ts'
import { suspendByRemoval } from '../change-person.ts'
import { findPerson, findPersonByEmail, insertPerson, type StoredPerson, setActive } from '../people.ts'
import {
  endHeldRemoval,
  isJustMade,
  isRemovedByScim,
  lockDirectory,
  type RemovalVerdict,
  recordRemoval,
} from './removals.ts'
import { removeFromScim } from './unlink.ts'
import { getScimUser } from './users.ts'

/** The words of the directory, with what follows for the person. */
export interface WantedUser {
  content: ScimUserContent
  email: string
  name: string | null
}

export interface ChangedUser {
  id: string
  /** The person in the audit. */
  pseudonym: string
}

/**
 * Makes the user. A person who exists and is not managed yet is taken over, unless that would be a way to the rights of
 * another person. SCIM_UNIQUENESS: the userName or the address is taken, or the person cannot be taken over.
 */
export async function insertScimUser(db: Database, wanted: WantedUser, now: number): Promise<ChangedUser> {
  const outcome = await db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    await requireFreeUserName(trx, wanted.content.userName, null)
    const found = await findPersonByEmail(trx, wanted.email)
    if (found !== undefined) await requireAdoptable(trx, found)
    const person =
      found ??
      (await insertPerson(
        trx,
        { email: wanted.email, name: wanted.name, role: 'basic', is_verified: true, password_hash: null },
        now,
      ))
    const user_name_key = emailKeyOf(wanted.content.userName)
    await trx
      .insertInto('scim_user')
      .values({
        person_id: person.id,
        user_name: wanted.content.userName,
        user_name_key,
        made_person: toSqlFlag(found === undefined),
        time_created: now,
        time_updated: now,
        external_id: null,
        formatted_name: null,
        display_name: null,
        given_name: null,
        family_name: null,
      })
      .execute()
    await writeContent(trx, person, wanted, now)
    if (!wanted.content.active && person.is_active === 1) {
      // The person is managed all the same: the next request of the directory finds them.
      const verdict = await remove(trx, person, 'suspend', now)
      if (verdict !== 'go') return verdict
    }
    if (wanted.content.active) await bringBack(trx, person, now)
    return { id: person.id, pseudonym: await getOrCreatePseudonym(trx, wanted.email) }
  })
  if (outcome === 'held' || outcome === 'discarded') throw refusal(outcome)
  return outcome
}

async function requireFreeUserName(trx: Queryable, userName: string, ownId: string | null): Promise<void> {
  const holder = await trx
    .selectFrom('scim_user')
    .select('person_id')
    .where('user_name_key', '=', emailKeyOf(userName))
    .executeTakeFirst()
  if (holder !== undefined && holder.person_id !== ownId)
    throw new AppError('SCIM_UNIQUENESS', { reason: 'Another user has this userName.' })
}

/**
 * An administrator is linked by an administrator only. A person who chose a password for an address that nobody has
 * verified may not be its owner: with the groups of the directory they would get the owner's rights.
 */
async function requireAdoptable(trx: Queryable, person: StoredPerson): Promise<void> {
  const link = await trx
    .selectFrom('scim_user')
    .select('user_name')
    .where('person_id', '=', person.id)
    .executeTakeFirst()
  const reason =
    link !== undefined
      ? 'Another user has this e-mail address.'
      : person.role === 'admin'
        ? 'This person is an administrator. An administrator can link them to the directory on the page /admin/scim.'
        : person.is_verified === 0 && person.password_hash !== null
          ? 'A person with this address has a password, but has not verified the address. An administrator must delete the person, or have them verify the address.'
          : null
  if (reason !== null) throw new AppError('SCIM_UNIQUENESS', { reason })
}

/**
 * Links an administrator to the directory under the userName by which it will find them: their address. Returns the
 * pseudonym. PERSON_NOT_FOUND; SCIM_UNIQUENESS: the directory manages them already.
 */
export const linkToScim = (db: Database, email: string, now: number): Promise<string> =>
  db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    const person = await findPersonByEmail(trx, email)
    if (person === undefined) throw new AppError('PERSON_NOT_FOUND')
    await requireFreeUserName(trx, person.email, null)
    const linked = await trx
      .insertInto('scim_user')
      .values({
        ...{ person_id: person.id, user_name: person.email, user_name_key: person.email_key, made_person: 0 },
        ...{ time_created: now, time_updated: now, external_id: null, formatted_name: null },
        ...{ display_name: person.name, given_name: null, family_name: null },
      })
      .onConflict((it) => it.column('person_id').doNothing())
      .returning('person_id')
      .executeTakeFirst()
    if (linked === undefined)
      throw new AppError('SCIM_UNIQUENESS', { reason: 'The directory already manages this person.' })
    return getOrCreatePseudonym(trx, person.email)
  })

/**
 * Changes the user; `change` gets the present content. SCIM_REMOVAL_HELD: nothing was changed, and the removal waits for
 * an administrator. LAST_ADMIN, SCIM_UNIQUENESS, SCIM_ADMIN_PROTECTED, SCIM_NOT_FOUND.
 */
export async function updateScimUser(
  db: Database,
  id: string,
  change: (content: ScimUserContent) => WantedUser,
  now: number,
): Promise<ChangedUser> {
  const outcome = await db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    const user = await getScimUser(trx, id)
    const person = await requirePerson(trx, id)
    const wanted = change(user)
    if (!wanted.content.active && person.is_active === 1) {
      const verdict = await remove(trx, person, 'suspend', now)
      if (verdict !== 'go') return verdict
    }
    await requireFreeUserName(trx, wanted.content.userName, id)
    await requireOwnAddress(trx, person, wanted.email)
    await writeContent(trx, person, wanted, now)
    if (wanted.content.active) await bringBack(trx, person, now)
    return { id, pseudonym: await getOrCreatePseudonym(trx, wanted.email) }
  })
  if (outcome === 'held' || outcome === 'discarded') throw refusal(outcome)
  return outcome
}

async function requirePerson(trx: Queryable, id: string): Promise<StoredPerson> {
  const person = await findPerson(trx, id)
  if (person === undefined) throw new AppError('SCIM_NOT_FOUND', { kind: 'user' })
  return person
}

/** With another address, another person would sign in: for an administrator, only administrators decide that. */
async function requireOwnAddress(trx: Queryable, person: StoredPerson, email: string): Promise<void> {
  if (emailKeyOf(email) === person.email_key) return
  if (person.role === 'admin') {
    const reason = 'The directory cannot change the e-mail address of an administrator.'
    throw new AppError('SCIM_ADMIN_PROTECTED', { reason })
  }
  if ((await findPersonByEmail(trx, email)) !== undefined)
    throw new AppError('SCIM_UNIQUENESS', { reason: 'Another person has this e-mail address.' })
}

async function writeContent(trx: Queryable, person: StoredPerson, wanted: WantedUser, now: number): Promise<void> {
  const { content, email, name } = wanted
  await trx
    .updateTable('person')
    .set({ email, email_key: emailKeyOf(email), name: name ?? person.name, is_verified: 1, time_updated: now })
    .where('id', '=', person.id)
    .execute()
  await trx
    .updateTable('scim_user')
    .set({
      user_name: content.userName,
      user_name_key: emailKeyOf(content.userName),
      external_id: content.externalId,
      display_name: content.displayName,
      formatted_name: content.name.formatted,
      given_name: content.name.givenName,
      family_name: content.name.familyName,
      time_updated: now,
    })
    .where('person_id', '=', person.id)
    .execute()
  await trx.deleteFrom('scim_email').where('person_id', '=', person.id).execute()
  const emails = content.emails.map(({ value, type, primary }, position) => ({
    ...{ person_id: person.id, position, value, value_key: emailKeyOf(value), type },
    is_primary: toSqlFlag(primary),
  }))
  if (emails.length > 0) await trx.insertInto('scim_email').values(emails).execute()
}

async function remove(
  trx: Queryable,
  person: StoredPerson,
  kind: 'suspend' | 'delete',
  now: number,
): Promise<RemovalVerdict['outcome']> {
  const user = await trx
    .selectFrom('scim_user')
    .select(['made_person', 'time_created'])
    .where('person_id', '=', person.id)
    .executeTakeFirstOrThrow()
  const verdict = await recordRemoval(trx, { id: person.id, isJustMade: isJustMade(user, now) }, kind, now)
  if (verdict.outcome === 'go') await suspendByRemoval(trx, person.email, verdict.removalId, now)
  return verdict.outcome
}

/** Undoes a suspension by the directory. One by an administrator stays; and nothing waits for a decision any more. */
async function bringBack(trx: Queryable, person: StoredPerson, now: number): Promise<void> {
  await endHeldRemoval(trx, person.id)
  if (person.is_active === 1 || !(await isRemovedByScim(trx, person.id))) return
  await setActive(trx, person.id, { isActive: true, removalId: null }, now)
}

/**
 * Suspends the person; the directory no longer manages them. Their chats and files remain until an administrator deletes
 * them. Throws what `updateScimUser` throws.
 */
export async function deleteScimUser(db: Database, id: string, now: number): Promise<ChangedUser> {
  const outcome = await db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    await getScimUser(trx, id)
    const person = await requirePerson(trx, id)
    if (person.is_active === 1) {
      const verdict = await remove(trx, person, 'delete', now)
      if (verdict !== 'go') return verdict
    }
    await removeFromScim(trx, id, now)
    return { id, pseudonym: await getOrCreatePseudonym(trx, person.email) }
  })
  if (outcome === 'held' || outcome === 'discarded') throw refusal(outcome)
  return outcome
}

const refusal = (verdict: 'held' | 'discarded') =>
  new AppError(verdict === 'held' ? 'SCIM_REMOVAL_HELD' : 'SCIM_REMOVAL_DISCARDED')
