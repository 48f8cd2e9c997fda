// Lists the queries that a ranking change affects most, limited to what the caller may see.
import type { Access } from '../domain/access.ts'
import { explainWithheldQueries } from '../domain/search/relevance.ts'
import { minQueryPeople } from '../domain/settings.ts'
import type { Queryable } from '../store/database/database.ts'
import { countPeopleWhoAsked } from '../store/search/recorded-queries.ts'
import { getSettings } from '../store/settings/settings.ts'
import { type Comparison, hasMoved, ndcgGain } from './compare-rankings.ts'
import { findReadableDocuments } from './readable-documents.ts'
import type { ReplayQuery } from './replay-queries.ts'

export interface ReplayedQuery {
  replayQuery: ReplayQuery
  comparison: Comparison
}

export interface ChangedQueryDocument {
  document_id: string
  semantic_identifier: string
  /** Null when there is no judgement or feedback. */
  grade: number | null
}

export interface ChangedQuery extends Pick<Comparison, 'ndcg' | 'overlap' | 'difference'> {
  query: string
  current: ChangedQueryDocument[]
  changed: ChangedQueryDocument[]
}

export interface ChangedQueries {
  worse_queries: ChangedQuery[]
  better_queries: ChangedQuery[]
  /** Queries without known relevant documents, largest change first. */
  moved_queries: ChangedQuery[]
  /** The number of queries withheld because too few people asked them. */
  withheld: number
  withheld_reason: string | null
}

/** The maximum length of each list. */
const MAX_SHOWN = 20

/** `access` is the access of the caller. */
export async function listChangedQueries(
  db: Queryable,
  replayed: readonly ReplayedQuery[],
  access: Access,
): Promise<ChangedQueries> {
  const minPeople = minQueryPeople(await getSettings(db))
  const showable = async (candidates: readonly ReplayedQuery[]) => {
    const shown: ChangedQuery[] = []
    let withheld = 0
    for (const it of candidates) {
      const isShown =
        it.replayQuery.isSentOrJudged || (await countPeopleWhoAsked(db, it.replayQuery.query_key)) >= minPeople
      if (!isShown) withheld += 1
      else if (shown.length < MAX_SHOWN) shown.push(await toChangedQuery(db, it, access))
    }
    return { shown, withheld }
  }
  const gained = replayed.map((it) => ({ it, gain: ndcgGain(it.comparison) })).sort((a, b) => a.gain - b.gain)
  const worse = await showable(gained.filter(({ gain }) => gain < 0).map(({ it }) => it))
  const better = await showable(
    gained
      .filter(({ gain }) => gain > 0)
      .map(({ it }) => it)
      .reverse(),
  )
  const moved = await showable(
    replayed
      .filter(({ comparison }) => comparison.ndcg === null && hasMoved(comparison))
      .sort((a, b) => b.comparison.difference - a.comparison.difference),
  )
  const withheld = worse.withheld + better.withheld + moved.withheld
  return {
    worse_queries: worse.shown,
    better_queries: better.shown,
    moved_queries: moved.shown,
    withheld,
    withheld_reason: explainWithheldQueries(withheld, minPeople),
  }
}

/** Removes documents that the caller may not read from both rankings. */
async function toChangedQuery(
  db: Queryable,
  { replayQuery, comparison }: ReplayedQuery,
  access: Access,
): Promise<ChangedQuery> {
  const { rankings, grades, ndcg, overlap, difference } = comparison
  const documents = await findReadableDocuments(db, [...new Set([...rankings.current, ...rankings.changed])], access)
  const listOf = (ids: readonly string[]) =>
    ids.flatMap((id): ChangedQueryDocument[] => {
      const document = documents.get(id)
      if (document === undefined) return []
      const { semantic_identifier } = document
      return [{ document_id: id, semantic_identifier, grade: grades.get(id) ?? null }]
    })
  const { query } = replayQuery
  return { query, ndcg, overlap, difference, current: listOf(rankings.current), changed: listOf(rankings.changed) }
}
