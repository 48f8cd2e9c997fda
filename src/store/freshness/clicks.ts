// When people last opened a document from a search. Fewer people than the threshold count as nobody.
import type { ExpressionBuilder } from 'kysely'
import type { Queryable } from '../database/database.ts'
import type { DatabaseTables } from '../database/tables.ts'

export interface ClickThreshold {
  /** Epoch milliseconds; older clicks do not count. */
  from: number
  /** How many different people must have opened a document; infinity if nobody may learn of it. */
  minPeople: number
}

/** Documents that enough people opened, with the number of people and the time of the last search. */
export const selectOpened = (db: Queryable, { from, minPeople }: ClickThreshold) =>
  db
    .selectFrom('search_feedback')
    .select((it) => ['document_id', it.fn.max('asked_at').as('last_click'), countPeople(it).as('people')])
    .where('clicked', '=', 1)
    .where('asked_at', '>=', from)
    .groupBy('document_id')
    // No table has more rows, so that a threshold of infinity is met by none.
    .having((it) => it(countPeople(it), '>=', Math.min(minPeople, Number.MAX_SAFE_INTEGER)))

const countPeople = (it: ExpressionBuilder<DatabaseTables, 'search_feedback'>) =>
  it.fn.count<number>('user_id').distinct()

/** The last click by document, of those that enough people opened. */
export async function mapLastClicks(
  db: Queryable,
  ids: readonly string[],
  threshold: ClickThreshold,
): Promise<Map<string, number>> {
  if (ids.length === 0 || !Number.isFinite(threshold.minPeople)) return new Map()
  const rows = await selectOpened(db, threshold).where('document_id', 'in', ids).execute()
  return new Map(rows.map((it) => [it.document_id, Number(it.last_click)]))
}
