import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { PatRow } from '../database/identity-tables.ts'

export type StoredPat = Selectable<PatRow>
export type NewPat = Omit<StoredPat, 'id' | 'last_used_at'>

export const insertPat = (db: Database, pat: NewPat): Promise<StoredPat> =>
  db
    .insertInto('pat')
    .values({ ...pat, last_used_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

/** A page of a list, newest first: at most `limit` items with an id below `before`. */
export interface NewestPage {
  before: number | null
  limit: number
}

/**
 * Returns the newest first. Expired tokens are included, so that their owner sees why they fail and can delete them.
 */
export const listPats = (
  db: Queryable,
  ownerKids: readonly string[],
  { before, limit }: NewestPage,
): Promise<StoredPat[]> =>
  db
    .selectFrom('pat')
    .selectAll()
    .where('owner_kid', 'in', ownerKids)
    .$call((it) => (before === null ? it : it.where('id', '<', before)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** PAT_NOT_FOUND: it does not exist or belongs to another user. */
export async function deletePat(db: Database, ownerKids: readonly string[], id: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('pat')
    .where('id', '=', id)
    .where('owner_kid', 'in', ownerKids)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new AppError('PAT_NOT_FOUND')
}

/** Runs on every request, so the query is compiled once. */
export function patFinder(db: Queryable): (kid: string) => Promise<StoredPat | undefined> {
  const query = db.selectFrom('pat').selectAll().where('kid', '=', '').compile()
  return async (kid) => (await db.executeQuery<StoredPat>({ ...query, parameters: [kid] })).rows[0]
}

export async function touchPats(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  await db.commit(
    [...used].map(([id, last_used_at]) => [db.updateTable('pat').set({ last_used_at }).where('id', '=', id).compile()]),
  )
}
