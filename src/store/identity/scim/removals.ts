// Removals of people by the directory. One that goes too far waits for an administrator.
import { AppError } from '../../../domain/errors.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { ScimRemovalRow } from '../../database/identity-tables.ts'
import { getOrCreatePseudonym } from '../audit.ts'
import { suspendByRemoval } from '../change-person.ts'
import { removeFromScim } from './unlink.ts'

const REMOVAL_WINDOW_MS = 86_400_000
/** Fewer people may always be removed within a day. */
const FREE_REMOVALS = 4
/** At most one person in five is removed within a day. */
const SHARE = 5
const EXECUTED = ['done', 'uncounted', 'approved'] as const

type RemovalKind = ScimRemovalRow['kind']
/** `held` and `discarded`: the removal must not be done. */
export type RemovalVerdict = { outcome: 'go'; removalId: number } | { outcome: 'held' | 'discarded' }

/** Two removals wait for each other, so that each is counted. */
export async function lockDirectory(trx: Queryable): Promise<void> {
  await trx.updateTable('scim_token').set({ is_active: 1 }).where('is_active', '=', 1).execute()
}

/**
 * Records the removal of an active person and says whether it may be done. A person whom the directory made within the
 * last day counts neither as removed nor among all people: otherwise made-up people would make room for removals.
 */
export async function recordRemoval(
  trx: Queryable,
  person: { id: string; isJustMade: boolean },
  kind: RemovalKind,
  now: number,
): Promise<RemovalVerdict> {
  const latest = await trx
    .selectFrom('scim_removal')
    .selectAll()
    .where('person_id', '=', person.id)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  if (latest?.state === 'held') {
    await trx.updateTable('scim_removal').set({ kind }).where('id', '=', latest.id).execute()
    return { outcome: 'held' }
  }
  if (latest?.state === 'discarded' && (latest.decided_at ?? 0) > now - REMOVAL_WINDOW_MS)
    return { outcome: 'discarded' }
  const state = person.isJustMade ? 'uncounted' : (await isTooMany(trx, person.id, now)) ? 'held' : 'done'
  const { id: removalId } = await trx
    .insertInto('scim_removal')
    .values({ person_id: person.id, kind, state, asked_at: now, decided_at: null, is_in_effect: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return state === 'held' ? { outcome: 'held' } : { outcome: 'go', removalId }
}

export const isJustMade = (user: { made_person: number; time_created: number }, now: number): boolean =>
  user.made_person === 1 && user.time_created > now - REMOVAL_WINDOW_MS

async function isTooMany(trx: Queryable, personId: string, now: number): Promise<boolean> {
  const since = now - REMOVAL_WINDOW_MS
  const removed = await trx
    .selectFrom('scim_removal')
    .select('person_id')
    .distinct()
    .where('state', '=', 'done')
    .where('asked_at', '>', since)
    .where('person_id', '<>', personId)
    .execute()
  const asked = removed.length + 1
  if (asked <= FREE_REMOVALS) return false
  const { count } = await trx
    .selectFrom('person')
    .leftJoin('scim_user', 'scim_user.person_id', 'person.id')
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .where((it) =>
      it.or([
        it('is_active', '=', 1),
        it(
          'person.id',
          'in',
          it
            .selectFrom('scim_removal')
            .select('scim_removal.person_id')
            .where('state', '=', 'done')
            .where('asked_at', '>', since),
        ),
      ]),
    )
    .where((it) =>
      it.or([
        it('scim_user.person_id', 'is', null),
        it('made_person', '=', 0),
        it('scim_user.time_created', '<=', since),
      ]),
    )
    .executeTakeFirstOrThrow()
  return asked * SHARE > Number(count)
}

/** Whether the directory suspended the person, so that it may undo that. */
export async function isRemovedByScim(trx: Queryable, personId: string): Promise<boolean> {
  const removal = await trx
    .selectFrom('scim_removal')
    .select('id')
    .where('person_id', '=', personId)
    .where('is_in_effect', '=', 1)
    .executeTakeFirst()
  return removal !== undefined
}

export interface HeldRemoval {
  id: number
  person_id: string
  email: string
  name: string | null
  kind: RemovalKind
  asked_at: number
}

const heldRemovals = (db: Queryable) =>
  db
    .selectFrom('scim_removal')
    .innerJoin('person', 'person.id', 'person_id')
    .select(['scim_removal.id', 'person_id', 'email', 'name', 'kind', 'asked_at'])
    .where('state', '=', 'held')

/** Oldest first. */
export const listHeldRemovals = (
  db: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<HeldRemoval[]> =>
  heldRemovals(db).where('scim_removal.id', '>', after).orderBy('scim_removal.id').limit(limit).execute()

export async function countHeldRemovals(db: Queryable): Promise<number> {
  const { count } = await db
    .selectFrom('scim_removal')
    .select((it) => it.fn.countAll<number | string>().as('count'))
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Does or refuses a held removal, once. Returns the pseudonym of the person. HELD_REMOVAL_NOT_FOUND: no removal with the
 * id waits. LAST_ADMIN: nobody else who can sign in would be an administrator.
 */
export const decideHeldRemoval = (
  db: Database,
  id: number,
  state: 'approved' | 'discarded',
  now: number,
): Promise<string> =>
  db.transaction().execute(async (trx) => {
    await lockDirectory(trx)
    const held = await heldRemovals(trx).select('person.is_active').where('scim_removal.id', '=', id).executeTakeFirst()
    if (held === undefined) throw new AppError('HELD_REMOVAL_NOT_FOUND')
    const pseudonym = await getOrCreatePseudonym(trx, held.email)
    if (state === 'approved') {
      if (held.is_active === 1) await suspendByRemoval(trx, held.email, id, now)
      if (held.kind === 'delete') await removeFromScim(trx, held.person_id, now)
    }
    await trx.updateTable('scim_removal').set({ state, decided_at: now }).where('id', '=', id).execute()
    return pseudonym
  })

/** A removal in effect stays: with it, the directory may bring the person back. */
export async function endHeldRemoval(trx: Queryable, personId: string): Promise<void> {
  await trx.deleteFrom('scim_removal').where('person_id', '=', personId).where('state', '=', 'held').execute()
}

/** Removals that were done count for a day, and those in effect remain. Deletes all others. */
export async function expireRemovals(db: Database, now: number): Promise<void> {
  await db
    .deleteFrom('scim_removal')
    .where('state', 'in', [...EXECUTED, 'discarded'])
    .where('is_in_effect', '=', 0)
    .where('asked_at', '<=', now - REMOVAL_WINDOW_MS)
    .where((it) => it.or([it('decided_at', 'is', null), it('decided_at', '<=', now - REMOVAL_WINDOW_MS)]))
    .execute()
}
