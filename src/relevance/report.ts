// What is looked for, what finds nothing, and what is found and not opened?
import { setImmediate as turn } from 'node:timers/promises'
import { DAY_MS } from '../domain/date-time.ts'
import { percentile } from '../domain/measures.ts'
import { plainQuery } from '../domain/relevance.ts'
import { listPeopleOfKeys } from '../store/api-keys.ts'
import type { Database, Queries } from '../store/database.ts'
import { listAnswered } from '../store/judgements.ts'
import { listRecordedQueries, type Period, type StoredQuery } from '../store/recorded-queries.ts'
import { getSettings } from '../store/settings.ts'
import type { QueryLog } from './query-log.ts'

export interface ReportRequest {
  days: number
  /** Queries in each list. */
  limit: number
}

export interface ReportedQuery {
  query: string
  searches: number
  people: number
  /** Searches that found nothing. */
  empty: number
  /** Searches of which something was opened or given a thumb up. */
  answered: number
  /** Documents that it found, in the mean. */
  mean_total: number
}

export interface Day {
  /** In UTC. */
  day: string
  searches: number
  empty: number
  answered: number
}

export interface Report {
  /** Epoch milliseconds. */
  from: number
  until: number
  searches: number
  empty: number
  answered: number
  /** False where there were more searches than are looked at: then it is about the newest. */
  is_complete: boolean
  latency_ms: { p50: number; p95: number; p99: number } | null
  days: Day[]
  top: ReportedQuery[]
  zero_results: ReportedQuery[]
  low_click: ReportedQuery[]
  /** Different queries that are in no list because too few people asked them, and their searches. */
  withheld: { queries: number; searches: number }
}

/** Searches that are looked at; a hundred thousand are half a second of work, in small pieces. */
const MOST = 100_000
const AT_ONCE = 500
/** A query is opened rarely when it was shown so often, and answered in less than this share. */
const SHOWN_OFTEN = 5
const RARELY = 0.2

export async function report(
  { db, now, queryLog }: { db: Database; now: () => number; queryLog: Pick<QueryLog, 'flush'> },
  { days, limit }: ReportRequest,
  signal: AbortSignal,
): Promise<Report> {
  await queryLog.flush()
  const until = now() + 1
  const period = { from: until - days * DAY_MS, until }
  const { query_min_people } = await getSettings(db)
  const tally = createTally(await listPeopleOfKeys(db))
  const isComplete = await readSearches(db, period, tally.add, signal)
  return {
    ...period,
    is_complete: isComplete,
    ...tally.figures(),
    ...listsOf(tally.queries(), query_min_people, limit),
  }
}

/** Calls back with each search, the newest first; false if there were more than it looks at. */
async function readSearches(
  db: Queries,
  period: Period,
  onSearch: (search: StoredQuery, isAnswered: boolean) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let before: StoredQuery | null = null
  for (let read = 0; read < MOST; read += AT_ONCE) {
    signal.throwIfAborted()
    const page: StoredQuery[] = await listRecordedQueries(db, period, { before, limit: AT_ONCE })
    const answered = new Set(
      await listAnswered(
        db,
        page.map((it) => it.search_id),
      ),
    )
    for (const it of page) onSearch(it, answered.has(it.search_id))
    if (page.length < AT_ONCE) return true
    before = page.at(-1)!
    await turn()
  }
  return (await listRecordedQueries(db, period, { before, limit: 1 })).length === 0
}

interface Counted {
  query: string
  people: Set<string>
  searches: number
  empty: number
  answered: number
  found: number
}

const NOTHING = { searches: 0, empty: 0, answered: 0 }

/** Counts searches one by one; `people` by the `user_id` of their keys. */
export function createTally(people: ReadonlyMap<string, string>) {
  const all = { ...NOTHING }
  const byDay = new Map<string, Day>()
  const byQuery = new Map<string, Counted>()
  const times: number[] = []
  return {
    add({ query, query_key, user_id, total, took_ms, asked_at }: StoredQuery, isAnswered: boolean): void {
      const day = new Date(asked_at).toISOString().slice(0, 10)
      const ofDay = byDay.get(day) ?? { day, ...NOTHING }
      const ofQuery = byQuery.get(query_key) ?? { query: plainQuery(query), people: new Set(), found: 0, ...NOTHING }
      for (const it of [all, ofDay, ofQuery]) {
        it.searches += 1
        it.empty += total === 0 ? 1 : 0
        it.answered += isAnswered ? 1 : 0
      }
      ofQuery.people.add(people.get(user_id) ?? user_id)
      ofQuery.found += total
      byDay.set(day, ofDay)
      byQuery.set(query_key, ofQuery)
      times.push(took_ms)
    },
    figures: () => ({
      ...all,
      latency_ms:
        times.length === 0
          ? null
          : { p50: percentile(times, 0.5), p95: percentile(times, 0.95), p99: percentile(times, 0.99) },
      days: [...byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1)),
    }),
    queries: (): Counted[] => [...byQuery.values()],
  }
}

/** What too few people asked is in none of the lists: it could tell who they are. */
export function listsOf(
  counted: readonly Counted[],
  minPeople: number,
  limit: number,
): Pick<Report, 'top' | 'zero_results' | 'low_click' | 'withheld'> {
  const shown = counted.filter((it) => it.people.size >= minPeople)
  const rows = shown.map(reported).sort((a, b) => b.searches - a.searches || (a.query < b.query ? -1 : 1))
  const missed = ({ searches, answered, empty }: ReportedQuery) => searches - empty - answered
  const isRare = (it: ReportedQuery) => {
    const full = it.searches - it.empty
    return full >= SHOWN_OFTEN && it.answered < RARELY * full
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
    withheld: { queries: hidden.length, searches: hidden.reduce((sum, it) => sum + it.searches, 0) },
  }
}

const reported = ({ people, found, ...it }: Counted): ReportedQuery => ({
  ...it,
  people: people.size,
  mean_total: Math.round((found / it.searches) * 10) / 10,
})
