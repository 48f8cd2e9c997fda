// Reports search usage: frequent queries, queries without results, and queries whose results are rarely opened.
import { setImmediate as turn } from 'node:timers/promises'
import { percentile } from '../domain/search/ranking-metrics.ts'
import { explainWithheldQueries, normalizeQuery } from '../domain/search/relevance.ts'
import { minQueryPeople } from '../domain/settings.ts'
import type { Database, Queryable } from '../store/database/database.ts'
import { listSuccessfulSearches } from '../store/search/judgements.ts'
import { listRecordedQueries, type QueryPeriod, type StoredQuery } from '../store/search/recorded-queries.ts'
import { getSettings } from '../store/settings/settings.ts'
import { DAY_MS } from '../wire/date-time.ts'
import type { QueryLog } from './query-log.ts'

export interface SearchReportRequest {
  days: number
  /** The maximum number of queries in each list. */
  limit: number
}

export interface ReportedQuery {
  query: string
  searches: number
  people: number
  /** Searches without results. */
  empty: number
  /** Searches with a click or a thumb up. */
  answered: number
  /** The mean number of documents found. */
  mean_total: number
}

export interface DailySearches {
  /** In UTC. */
  day: string
  searches: number
  empty: number
  answered: number
}

export interface SearchReport {
  /** Epoch milliseconds. */
  from: number
  until: number
  searches: number
  empty: number
  answered: number
  /** False when there were too many searches; the report then covers the newest. */
  is_complete: boolean
  latency_ms: { p50: number; p95: number; p99: number } | null
  days: DailySearches[]
  top: ReportedQuery[]
  zero_results: ReportedQuery[]
  low_click: ReportedQuery[]
  /** Distinct queries, and their searches, that are withheld because too few people asked them. */
  withheld: { queries: number; searches: number; min_people: number | null; reason: string | null }
}

/** The maximum number of searches evaluated. They take about half a second, in small slices. */
const MAX_SEARCHES = 100_000
const PAGE_SIZE = 500
/** A query is rarely opened when it was shown at least this often and answered in less than this share of searches. */
const MIN_SHOWN = 5
const LOW_CLICK_RATE = 0.2

export async function reportSearches(
  { db, now, queryLog }: { db: Database; now: () => number; queryLog: Pick<QueryLog, 'flush'> },
  { days, limit }: SearchReportRequest,
  signal: AbortSignal,
): Promise<SearchReport> {
  await queryLog.flush()
  const until = now() + 1
  const period = { from: until - days * DAY_MS, until }
  const minPeople = minQueryPeople(await getSettings(db))
  const tally = createSearchTally()
  const isComplete = await readSearches(db, period, tally.add, signal)
  return {
    ...period,
    is_complete: isComplete,
    ...tally.figures(),
    ...reportLists(tally.queries(), minPeople, limit),
  }
}

/** Calls back with each search, newest first. Returns false if there were more than the maximum. */
async function readSearches(
  db: Queryable,
  period: QueryPeriod,
  onSearch: (search: StoredQuery, isAnswered: boolean) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let before: StoredQuery | null = null
  for (let read = 0; read < MAX_SEARCHES; read += PAGE_SIZE) {
    signal.throwIfAborted()
    const page: StoredQuery[] = await listRecordedQueries(db, period, { before, limit: PAGE_SIZE })
    const answered = new Set(
      await listSuccessfulSearches(
        db,
        page.map((it) => it.search_id),
      ),
    )
    for (const it of page) {
      onSearch(it, answered.has(it.search_id))
      before = it
    }
    if (page.length < PAGE_SIZE) return true
    await turn()
  }
  return (await listRecordedQueries(db, period, { before, limit: 1 })).length === 0
}

interface QueryCounts {
  query: string
  people: Set<string>
  searches: number
  empty: number
  answered: number
  found: number
}

const NO_COUNTS = { searches: 0, empty: 0, answered: 0 }

/** Counts searches one by one. All keys of one person count as one person. */
export function createSearchTally() {
  const totals = { ...NO_COUNTS }
  const byDay = new Map<string, DailySearches>()
  const byQuery = new Map<string, QueryCounts>()
  const times: number[] = []
  return {
    add({ query, query_key, user_id, total, took_ms, asked_at }: StoredQuery, isAnswered: boolean): void {
      const day = new Date(asked_at).toISOString().slice(0, 10)
      const ofDay = byDay.get(day) ?? { day, ...NO_COUNTS }
      const ofQuery = byQuery.get(query_key) ?? {
        query: normalizeQuery(query),
        people: new Set(),
        found: 0,
        ...NO_COUNTS,
      }
      for (const it of [totals, ofDay, ofQuery]) {
        it.searches += 1
        it.empty += total === 0 ? 1 : 0
        it.answered += isAnswered ? 1 : 0
      }
      ofQuery.people.add(user_id)
      ofQuery.found += total
      byDay.set(day, ofDay)
      byQuery.set(query_key, ofQuery)
      times.push(took_ms)
    },
    figures: () => ({
      ...totals,
      latency_ms:
        times.length === 0
          ? null
          : { p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) },
      days: [...byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1)),
    }),
    queries: (): QueryCounts[] => [...byQuery.values()],
  }
}

/** Queries that too few people asked are in no list, because they could identify the people. */
export function reportLists(
  counted: readonly QueryCounts[],
  minPeople: number,
  limit: number,
): Pick<SearchReport, 'top' | 'zero_results' | 'low_click' | 'withheld'> {
  const shown = counted.filter((it) => it.people.size >= minPeople)
  const rows = shown.map(toReportedQuery).sort((a, b) => b.searches - a.searches || (a.query < b.query ? -1 : 1))
  const missed = ({ searches, answered, empty }: ReportedQuery) => searches - empty - answered
  const isRare = (it: ReportedQuery) => {
    const full = it.searches - it.empty
    return full >= MIN_SHOWN && it.answered < LOW_CLICK_RATE * full
  }
  const hidden = counted.filter((it) => it.people.size < minPeople)
  return {
    top: rows.slice(0, limit),
    zero_results: rows
      .filter((it) => it.empty > 0)
      .sort((a, b) => b.empty - a.empty)
      .slice(0, limit),
    low_click: rows
      .filter(isRare)
      .sort((a, b) => missed(b) - missed(a))
      .slice(0, limit),
    withheld: {
      queries: hidden.length,
      searches: hidden.reduce((sum, it) => sum + it.searches, 0),
      min_people: Number.isFinite(minPeople) ? minPeople : null,
      reason: explainWithheldQueries(hidden.length, minPeople),
    },
  }
}

const toReportedQuery = ({ people, found, ...it }: QueryCounts): ReportedQuery => ({
  ...it,
  people: people.size,
  mean_total: Math.round((found / it.searches) * 10) / 10,
})
