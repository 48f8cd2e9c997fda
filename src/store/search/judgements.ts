// Relevance judgements of documents for queries: clicks and ratings of users, and grades set by hand.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import {
  type Feedback,
  type FeedbackKind,
  normalizeQuery,
  type RelevanceJudgement,
  type Thumb,
} from '../../domain/search/relevance.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { JudgementRow } from '../database/tables.ts'
import { deleteClickCountsOfUsers } from '../popularity/click-counts.ts'
import { queryKey, type StoredQuery } from './recorded-queries.ts'

export type StoredJudgement = Omit<Selectable<JudgementRow>, 'query_key'>

/** Clicks accumulate; the last rating counts. Repeating a call is harmless. */
export const saveFeedback = (
  db: Database,
  { search_id, user_id, query_key, asked_at }: StoredQuery,
  document_id: string,
  kind: FeedbackKind,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const feedbackColumns = kind === 'click' ? { clicked: 1 as const } : { thumb: kind }
    const known = await trx
      .selectFrom('search_feedback')
      .select('id')
      .where('search_id', '=', search_id)
      .where('document_id', '=', document_id)
      .executeTakeFirst()
    if (known !== undefined) {
      await trx.updateTable('search_feedback').set(feedbackColumns).where('id', '=', known.id).execute()
      return
    }
    const row = {
      search_id,
      user_id,
      query_key,
      document_id,
      asked_at,
      clicked: 0 as const,
      thumb: null,
      ...feedbackColumns,
    }
    await trx.insertInto('search_feedback').values(row).execute()
  })

/** Clicks and thumbs of the user. The ranking no longer learns from them. */
export const deleteFeedbackOfUser = (db: Database, userId: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await deleteClickCountsOfUsers(trx, [userId])
    await trx.deleteFrom('search_feedback').where('user_id', '=', userId).execute()
  })

/** Lists the feedback of these users, oldest first. */
export async function listFeedbackByUsers(
  db: Queryable,
  userIds: readonly string[],
): Promise<{ search_id: string; document_id: string; clicked: boolean; thumb: Thumb | null }[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .selectFrom('search_feedback')
    .select(['search_id', 'document_id', 'clicked', 'thumb'])
    .where('user_id', 'in', userIds)
    .orderBy('id')
    .execute()
  return rows.map((it) => ({ ...it, clicked: it.clicked === 1 }))
}

/** Lists the documents that were opened or rated positively, with their searches. */
export async function listOpenedDocuments(
  db: Queryable,
  searchIds: readonly string[],
): Promise<{ search_id: string; document_id: string }[]> {
  if (searchIds.length === 0) return []
  return db
    .selectFrom('search_feedback')
    .select(['search_id', 'document_id'])
    .where('search_id', 'in', searchIds)
    .where((it) => it.or([it('clicked', '=', 1), it('thumb', '=', 'up')]))
    .execute()
}

/** Lists queries with grades set by hand, most recently graded first. */
export const listJudgedQueries = (db: Queryable, limit: number): Promise<{ query: string; query_key: string }[]> =>
  db
    .selectFrom('judgement')
    .select(['query', 'query_key'])
    .groupBy(['query', 'query_key'])
    .orderBy((it) => it.fn.max('id'), 'desc')
    .limit(limit)
    .execute()

/** Lists keys of queries with feedback, most recent feedback first. */
export async function listQueryKeysWithFeedback(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('search_feedback')
    .select('query_key')
    .groupBy('query_key')
    .orderBy((it) => it.fn.max('id'), 'desc')
    .limit(limit)
    .execute()
  return rows.map((it) => it.query_key)
}

/** Sets the grade of a document for a query and replaces an earlier one. */
export const saveJudgement = (
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
    const row = { ...judged, query: normalizeQuery(query), query_key }
    return trx.insertInto('judgement').values(row).returning(JUDGEMENT_COLUMNS).executeTakeFirstOrThrow()
  })

const JUDGEMENT_COLUMNS = ['id', 'query', 'document_id', 'grade', 'user_id', 'judged_at'] as const

/** Lists judgements in order of creation, of one query if it is given. */
export const listJudgements = (
  db: Queryable,
  { query, after, limit }: KeysetPage & { query: string | null },
): Promise<StoredJudgement[]> =>
  db
    .selectFrom('judgement')
    .select(JUDGEMENT_COLUMNS)
    .where('id', '>', after)
    .$if(query !== null, (it) => it.where('query_key', '=', queryKey(query ?? '')))
    .orderBy('id')
    .limit(limit)
    .execute()

/** JUDGEMENT_NOT_FOUND: there is none. */
export async function deleteJudgement(db: Database, id: number): Promise<void> {
  const row = await db.deleteFrom('judgement').where('id', '=', id).returning('id').executeTakeFirst()
  if (row === undefined) throw new AppError('JUDGEMENT_NOT_FOUND', { id })
}

/** Returns all judgements and feedback of a query, oldest feedback first. */
export async function findQueryJudgements(
  db: Queryable,
  query_key: string,
): Promise<{ byHand: RelevanceJudgement[]; feedback: Feedback[] }> {
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
  return { byHand, feedback: rows.map((it) => ({ ...it, clicked: it.clicked === 1 })) }
}
