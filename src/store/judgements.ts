// How well documents fit queries: what people did with what they were shown, and what somebody judged by hand.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import { type Feedback, type FeedbackKind, type Judged, plainQuery, type Thumb } from '../domain/relevance.ts'
import type { Database, Queries } from './database.ts'
import { queryKey, type StoredQuery } from './recorded-queries.ts'
import type { JudgementRow } from './tables.ts'

export type StoredJudgement = Omit<Selectable<JudgementRow>, 'query_key'>

/** A click stays; the last thumb counts. Again is fine. */
export const putFeedback = (
  db: Database,
  { search_id, user_id, query_key, asked_at }: StoredQuery,
  document_id: string,
  kind: FeedbackKind,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const said = kind === 'click' ? { clicked: 1 as const } : { thumb: kind }
    const known = await trx
      .selectFrom('search_feedback')
      .select('id')
      .where('search_id', '=', search_id)
      .where('document_id', '=', document_id)
      .executeTakeFirst()
    if (known !== undefined) {
      await trx.updateTable('search_feedback').set(said).where('id', '=', known.id).execute()
      return
    }
    const row = { search_id, user_id, query_key, document_id, asked_at, clicked: 0 as const, thumb: null, ...said }
    await trx.insertInto('search_feedback').values(row).execute()
  })

/** Of these keys, the oldest first. */
export async function listFeedbackOf(
  db: Queries,
  userIds: readonly string[],
): Promise<{ search_id: string; document_id: string; clicked: boolean; thumb: Thumb | null }[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('search_feedback')
    .select(['search_id', 'document_id', 'clicked', 'thumb'])
    .where('user_id', 'in', userIds)
    .orderBy('id')
    .execute()
  return rows.map((it) => ({ ...it, ...said(it) }))
}

/** Those of these searches of which something that they showed was opened or given a thumb up. */
export async function listAnswered(db: Queries, searchIds: readonly string[]): Promise<string[]> {
  if (searchIds.length === 0) return []
  const rows = await db
    .selectFrom('search_feedback')
    .select('search_id')
    .distinct()
    .where('search_id', 'in', searchIds)
    .where((it) => it.or([it('clicked', '=', 1), it('thumb', '=', 'up')]))
    .execute()
  return rows.map((it) => it.search_id)
}

/** Queries that a hand has judged documents for, the one that was judged last first. */
export const listJudgedQueries = (db: Queries, limit: number): Promise<{ query: string; query_key: string }[]> =>
  db
    .selectFrom('judgement')
    .select(['query', 'query_key'])
    .groupBy(['query', 'query_key'])
    .orderBy((it) => it.fn.max('id'), 'desc')
    .limit(limit)
    .execute()

/** Keys of queries of which somebody said something, the one that was asked last first. */
export async function listKeysWithFeedback(db: Queries, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('search_feedback')
    .select('query_key')
    .groupBy('query_key')
    .orderBy((it) => it.fn.max('id'), 'desc')
    .limit(limit)
    .execute()
  return rows.map((it) => it.query_key)
}

/** The judgement of a document for a query, whatever it was before. */
export const putJudgement = (
  db: Database,
  { query, ...judged }: Omit<StoredJudgement, 'id'>,
): Promise<StoredJudgement> =>
  db.transaction().execute(async (trx) => {
    const query_key = queryKey(query)
    await trx
      .deleteFrom('judgement')
      .where('query_key', '=', query_key)
      .where('document_id', '=', judged.document_id)
      .execute()
    const row = { ...judged, query: plainQuery(query), query_key }
    return trx.insertInto('judgement').values(row).returning(COLUMNS).executeTakeFirstOrThrow()
  })

const COLUMNS = ['id', 'query', 'document_id', 'grade', 'user_id', 'judged_at'] as const

/** In the order in which they were made; of one query if it is given. */
export const listJudgements = (
  db: Queries,
  { query, after, limit }: Page & { query: string | null },
): Promise<StoredJudgement[]> =>
  db
    .selectFrom('judgement')
    .select(COLUMNS)
    .where('id', '>', after)
    .$if(query !== null, (it) => it.where('query_key', '=', queryKey(query ?? '')))
    .orderBy('id')
    .limit(limit)
    .execute()

/** One that is not there is JUDGEMENT_NOT_FOUND. */
export async function deleteJudgement(db: Database, id: number): Promise<void> {
  const row = await db.deleteFrom('judgement').where('id', '=', id).returning('id').executeTakeFirst()
  if (row === undefined) throw new AppError('JUDGEMENT_NOT_FOUND', { id })
}

/** All that is known of how well documents fit a query; feedback the oldest first. */
export async function findJudged(db: Queries, query_key: string): Promise<{ byHand: Judged[]; feedback: Feedback[] }> {
  const byHand = await db
    .selectFrom('judgement')
    .select(['document_id', 'grade'])
    .where('query_key', '=', query_key)
    .execute()
  const rows = await db
    .selectFrom('search_feedback')
    .select(['user_id', 'document_id', 'clicked', 'thumb'])
    .where('query_key', '=', query_key)
    .orderBy('asked_at')
    .orderBy('id')
    .execute()
  return { byHand, feedback: rows.map((it) => ({ ...it, ...said(it) })) }
}

const said = ({ clicked, thumb }: { clicked: 0 | 1; thumb: string | null }) => ({
  clicked: clicked === 1,
  thumb: thumb as Thumb | null,
})
