// Reports search usage: frequent queries, queries without results, with results that are rarely opened, and slow ones.
import { setImmediate as turn } from 'node:timers/promises'
import { minQueryPeople } from '../domain/settings.ts'
import type { Database, Queryable } from '../store/database/database.ts'
import { mapDocumentSources } from '../store/documents/lists.ts'
import { mapGroupsOfUsers } from '../store/identity/groups.ts'
import { listOpenedDocuments } from '../store/search/judgements.ts'
import { listRecordedQueries, type QueryPeriod, type StoredQuery } from '../store/search/recorded-queries.ts'
import { getSettings } from '../store/settings/settings.ts'
import { DAY_MS } from '../wire/date-time.ts'
import type { QueryLog } from './query-log.ts'
import { type QueryLists, type ReportedGroup, reportGroups, reportLists } from './report-lists.ts'
import { createSearchTally, type DailySearches, type SearchCounts } from './search-tally.ts'
import { createSourceTally, type ReportedSource } from './source-tally.ts'

export interface SearchReportRequest {
  days: number
  /** The maximum number of queries in each list. */
  limit: number
}

export interface SearchReport extends SearchCounts, QueryLists {
  /** Epoch milliseconds. */
  from: number
  until: number
  /** False when there were too many searches; the report then covers the newest. */
  is_complete: boolean
  latency_ms: { p50: number; p95: number; p99: number } | null
  days: DailySearches[]
  sources: ReportedSource[]
  groups: ReportedGroup[]
  /** The number of groups of which too few people searched. */
  withheld_groups: number
}

/** The maximum number of searches evaluated. They take about half a second, in small slices. */
const MAX_SEARCHES = 100_000
const PAGE_SIZE = 500

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
  const sources = createSourceTally((ids) => mapDocumentSources(db, ids))
  const isComplete = await readSearches(db, period, signal, async (page, openedIn) => {
    for (const it of page) tally.add(it, openedIn.has(it.search_id))
    await sources.add(
      page.map(({ document_ids, search_id }) => ({ document_ids, opened: openedIn.get(search_id) ?? [] })),
    )
  })
  const users = tally.users()
  return {
    ...period,
    is_complete: isComplete,
    ...tally.figures(),
    ...reportLists(tally.queries(), minPeople, limit),
    sources: sources.sources(),
    ...reportGroups(users, await mapGroupsOfUsers(db, [...users.keys()]), minPeople),
  }
}

/** Documents that were opened or rated positively, by search. */
type OpenedDocuments = ReadonlyMap<string, readonly string[]>

/** Calls back with pages of searches, newest first. Returns false if there were more than the maximum. */
async function readSearches(
  db: Queryable,
  period: QueryPeriod,
  signal: AbortSignal,
  onPage: (page: readonly StoredQuery[], opened: OpenedDocuments) => Promise<void>,
): Promise<boolean> {
  let before: StoredQuery | null = null
  for (let read = 0; read < MAX_SEARCHES; read += PAGE_SIZE) {
    signal.throwIfAborted()
    const page: StoredQuery[] = await listRecordedQueries(db, period, { before, limit: PAGE_SIZE })
    await onPage(page, await findOpenedDocuments(db, page))
    before = page.at(-1) ?? before
    if (page.length < PAGE_SIZE) return true
    await turn()
  }
  return (await listRecordedQueries(db, period, { before, limit: 1 })).length === 0
}

async function findOpenedDocuments(db: Queryable, page: readonly StoredQuery[]): Promise<OpenedDocuments> {
  const ids = page.map((it) => it.search_id)
  const opened = Map.groupBy(await listOpenedDocuments(db, ids), (it) => it.search_id)
  return new Map([...opened].map(([id, of]) => [id, of.map((it) => it.document_id)]))
}
