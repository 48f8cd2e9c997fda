// Counts searches one by one: all of them, by day, by query, and by person.
import { percentile } from '../domain/search/ranking-metrics.ts'
import { normalizeQuery } from '../domain/search/relevance.ts'
import type { StoredQuery } from '../store/search/recorded-queries.ts'

export interface SearchCounts {
  searches: number
  /** Searches without results. */
  empty: number
  /** Searches with a click or a thumb up. */
  answered: number
  /** Searches that took at least `SLOW_MS`. */
  slow: number
}

export interface DailySearches extends SearchCounts {
  /** In UTC. */
  day: string
}

export interface QueryCounts extends SearchCounts {
  query: string
  people: Set<string>
  found: number
  took_ms: number
  slowest_ms: number
}

/** A search waits up to 150 ms for the vector of its query, so a slower one waited for something else as well. */
export const SLOW_MS = 300

export const NO_COUNTS: SearchCounts = { searches: 0, empty: 0, answered: 0, slow: 0 }

/** All keys of one person count as one person. */
export function createSearchTally() {
  const totals = { ...NO_COUNTS }
  const byDay = new Map<string, DailySearches>()
  const byQuery = new Map<string, QueryCounts>()
  const byUser = new Map<string, SearchCounts>()
  const times: number[] = []
  return {
    add(search: StoredQuery, isAnswered: boolean): void {
      const { query_key, user_id, total, took_ms, asked_at } = search
      const day = new Date(asked_at).toISOString().slice(0, 10)
      const ofDay = byDay.get(day) ?? { day, ...NO_COUNTS }
      const ofQuery = byQuery.get(query_key) ?? noQueryCounts(search)
      const ofUser = byUser.get(user_id) ?? { ...NO_COUNTS }
      for (const it of [totals, ofDay, ofQuery, ofUser]) {
        it.searches += 1
        it.empty += total === 0 ? 1 : 0
        it.answered += isAnswered ? 1 : 0
        it.slow += took_ms >= SLOW_MS ? 1 : 0
      }
      ofQuery.people.add(user_id)
      ofQuery.found += total
      ofQuery.took_ms += took_ms
      ofQuery.slowest_ms = Math.max(ofQuery.slowest_ms, took_ms)
      byDay.set(day, ofDay)
      byQuery.set(query_key, ofQuery)
      byUser.set(user_id, ofUser)
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
    users: (): ReadonlyMap<string, SearchCounts> => byUser,
  }
}

const noQueryCounts = ({ query }: StoredQuery): QueryCounts => ({
  query: normalizeQuery(query),
  people: new Set(),
  ...{ found: 0, took_ms: 0, slowest_ms: 0 },
  ...NO_COUNTS,
})
