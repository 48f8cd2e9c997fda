// Counts the people who opened documents from a search. The counts are made of the clicks again and again, so that they
// end with these.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { clickLevel } from '../../domain/search/popularity.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { ClickThreshold } from '../freshness/clicks.ts'

const BATCH = 200

/** Stands for all queries. */
export const ANY_QUERY = ''

/** Writes only what differs. `minPeople` is that of `MIN_PEOPLE` or more. */
export async function refreshClickCounts(db: Database, threshold: ClickThreshold): Promise<void> {
  const clicked = Number.isFinite(threshold.minPeople) ? await listClicked(db, threshold.from) : []
  const counted = await db.selectFrom('document_popularity').select('document_id').distinct().execute()
  const ids = [...new Set([...clicked, ...counted].map((it) => it.document_id))]
  for (let at = 0; at < ids.length; at += BATCH) {
    // Other work runs between the batches.
    await nextTurn()
    await refreshBatch(db, ids.slice(at, at + BATCH), threshold)
  }
}

const listClicked = (db: Queryable, from: number): Promise<{ document_id: string }[]> =>
  db
    .selectFrom('search_feedback')
    .select('document_id')
    .where('clicked', '=', 1)
    .where('asked_at', '>=', from)
    .distinct()
    .execute()

interface ClickCount {
  document_id: string
  query_key: string
  level: number
}

async function refreshBatch(db: Database, ids: readonly string[], threshold: ClickThreshold): Promise<void> {
  const known = new Map((await readCounts(db, ids)).map((it) => [textOf(it), it]))
  const found = new Map((await countClicks(db, ids, threshold)).map((it) => [textOf(it), it]))
  const changed = [...known, ...found].filter(([text]) => known.has(text) !== found.has(text)).map(([, it]) => it)
  if (changed.length === 0) return
  const documents = [...new Set(changed.map((it) => it.document_id))]
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('document_popularity').where('document_id', 'in', documents).execute()
    // Counted again, because clicks may have been deleted meanwhile.
    const rows = await countClicks(trx, documents, threshold)
    for (let at = 0; at < rows.length; at += BATCH) {
      await trx
        .insertInto('document_popularity')
        .values(rows.slice(at, at + BATCH))
        .execute()
    }
  })
}

const readCounts = (db: Queryable, ids: readonly string[]): Promise<ClickCount[]> =>
  db.selectFrom('document_popularity').selectAll().where('document_id', 'in', ids).execute()

const textOf = ({ document_id, query_key, level }: ClickCount): string =>
  JSON.stringify([document_id, query_key, level])

/** Keys that act for nobody are no people. All keys of one person, and all clicks, count once. */
async function countClicks(
  db: Queryable,
  ids: readonly string[],
  { from, minPeople }: ClickThreshold,
): Promise<ClickCount[]> {
  if (!Number.isFinite(minPeople)) return []
  const clicks = db
    .selectFrom('search_feedback')
    .where('document_id', 'in', ids)
    .where('clicked', '=', 1)
    .where('asked_at', '>=', from)
    .where('user_id', 'in', (it) => it.selectFrom('person').select('person.id'))
    .select((it) => ['document_id', it.fn.count<number>('user_id').distinct().as('people')])
    .having((it) => it(it.fn.count<number>('user_id').distinct(), '>=', minPeople))
  const ofAll = await clicks.groupBy('document_id').execute()
  const ofQueries = await clicks.select('query_key').groupBy(['document_id', 'query_key']).execute()
  return [...ofAll.map((it) => ({ ...it, query_key: ANY_QUERY })), ...ofQueries].map(({ people, ...it }) => ({
    ...it,
    level: clickLevel(people),
  }))
}

/** Deletes the counts to which these users contributed. Those that are still right come back with the next refresh. */
export const deleteClickCountsOfUsers = async (db: Queryable, userIds: readonly string[]): Promise<void> => {
  const clicked = db
    .selectFrom('search_feedback')
    .select('document_id')
    .where('user_id', 'in', userIds)
    .where('clicked', '=', 1)
  await db.deleteFrom('document_popularity').where('document_id', 'in', clicked).execute()
}
