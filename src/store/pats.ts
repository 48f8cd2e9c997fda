import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Database, Queries } from './database.ts'
import type { PatRow } from './tables.ts'

export type StoredPat = Selectable<PatRow>
export type NewPat = Omit<StoredPat, 'id' | 'last_used_at'>

export const insertPat = (db: Database, pat: NewPat): Promise<StoredPat> =>
  db
    .insertInto('pat')
    .values({ ...pat, last_used_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Expired ones too, so that their owner sees why they fail, and can delete them. */
export const listPats = (db: Queries, ownerKid: string, { after, limit }: Page): Promise<StoredPat[]> =>
  db
    .selectFrom('pat')
    .selectAll()
    .where('owner_kid', '=', ownerKid)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Somebody else's is PAT_NOT_FOUND, as one that is not there. */
export async function deletePat(db: Database, ownerKid: string, id: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('pat')
    .where('id', '=', id)
    .where('owner_kid', '=', ownerKid)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new AppError('PAT_NOT_FOUND')
}

/** Asked at every request, so it is compiled once. */
export function patFinder(db: Queries): (kid: string) => Promise<StoredPat | undefined> {
  const query = db.selectFrom('pat').selectAll().where('kid', '=', '').compile()
  return async (kid) => (await db.executeQuery<StoredPat>({ ...query, parameters: [kid] })).rows[0]
}

export async function touchPats(db: Database, used: ReadonlyMap<number, number>): Promise<void> {
  await db.commit(
    [...used].map(([id, last_used_at]) => [db.updateTable('pat').set({ last_used_at }).where('id', '=', id).compile()]),
  )
}
