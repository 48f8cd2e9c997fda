// The lists of the report: queries and groups, without those that could reveal a person.
import { explainWithheldQueries } from '../domain/search/relevance.ts'
import { NO_COUNTS, type QueryCounts, type SearchCounts } from './search-tally.ts'

export interface ReportedQuery extends SearchCounts {
  query: string
  people: number
  /** The mean number of documents found. */
  mean_total: number
  mean_ms: number
  slowest_ms: number
}

export interface QueryLists {
  top: ReportedQuery[]
  zero_results: ReportedQuery[]
  low_click: ReportedQuery[]
  slow_queries: ReportedQuery[]
  /** Distinct queries, and their searches, that are withheld because too few people asked them. */
  withheld: { queries: number; searches: number; min_people: number | null; reason: string | null }
}

export interface ReportedGroup extends SearchCounts {
  /** Null for the people who are in no group. */
  group: string | null
  people: number
}

/** A query is rarely opened when it was shown at least this often and answered in less than this share of searches. */
const MIN_SHOWN = 5
const LOW_CLICK_RATE = 0.2

/** Queries that too few people asked are in no list, because they could identify the people. */
export function reportLists(counted: readonly QueryCounts[], minPeople: number, limit: number): QueryLists {
  const shown = counted.filter((it) => it.people.size >= minPeople)
  const rows = shown.map(toReportedQuery).sort((a, b) => b.searches - a.searches || (a.query < b.query ? -1 : 1))
  const missed = ({ searches, answered, empty }: ReportedQuery) => searches - empty - answered
  const isRare = (it: ReportedQuery) => {
    const full = it.searches - it.empty
    return full >= MIN_SHOWN && it.answered < LOW_CLICK_RATE * full
  }
  const listOf = (isListed: (it: ReportedQuery) => boolean, rank: (it: ReportedQuery) => number) =>
    rows
      .filter(isListed)
      .sort((a, b) => rank(b) - rank(a))
      .slice(0, limit)
  const hidden = counted.filter((it) => it.people.size < minPeople)
  return {
    top: rows.slice(0, limit),
    zero_results: listOf(
      (it) => it.empty > 0,
      (it) => it.empty,
    ),
    low_click: listOf(isRare, missed),
    slow_queries: listOf(
      (it) => it.slow > 0,
      (it) => it.slow,
    ),
    withheld: {
      queries: hidden.length,
      searches: hidden.reduce((sum, it) => sum + it.searches, 0),
      min_people: Number.isFinite(minPeople) ? minPeople : null,
      reason: explainWithheldQueries(hidden.length, minPeople),
    },
  }
}

const toReportedQuery = ({ people, found, took_ms, ...it }: QueryCounts): ReportedQuery => ({
  ...it,
  people: people.size,
  mean_total: Math.round((found / it.searches) * 10) / 10,
  mean_ms: Math.round(took_ms / it.searches),
})

/** A person counts in each of their groups. Groups of which too few people searched are withheld. */
export function reportGroups(
  users: ReadonlyMap<string, SearchCounts>,
  groupsOf: ReadonlyMap<string, readonly string[]>,
  minPeople: number,
): { groups: ReportedGroup[]; withheld_groups: number } {
  const byGroup = new Map<string | null, ReportedGroup>()
  for (const [user, counts] of users) {
    for (const group of groupsOf.get(user) ?? [null]) {
      const known = byGroup.get(group) ?? { group, people: 0, ...NO_COUNTS }
      byGroup.set(group, { group, people: known.people + 1, ...addCounts(known, counts) })
    }
  }
  const groups = [...byGroup.values()].filter((it) => it.people >= minPeople)
  return {
    groups: groups.sort((a, b) => b.searches - a.searches || ((a.group ?? '') < (b.group ?? '') ? -1 : 1)),
    withheld_groups: byGroup.size - groups.length,
  }
}

const addCounts = (one: SearchCounts, other: SearchCounts): SearchCounts => ({
  searches: one.searches + other.searches,
  empty: one.empty + other.empty,
  answered: one.answered + other.answered,
  slow: one.slow + other.slow,
})
