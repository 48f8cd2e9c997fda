// Replays past queries with the current and with changed ranking settings. Nothing is switched, and the caller sees only
// documents that their own search would show.
import { setTimeout as delay } from 'node:timers/promises'
import type { Access } from '../domain/access.ts'
import { applyRankingUpdate, type RankingSettings, type RankingUpdate } from '../domain/search/ranking.ts'
import type { Subject } from '../domain/subject.ts'
import { findPage, type RetrievalDeps } from '../retrieval/retrieve.ts'
import type { Queryable } from '../store/database/database.ts'
import { getRankingSettings } from '../store/settings/ranking-settings.ts'
import { type ChangedQueries, listChangedQueries, type ReplayedQuery } from './changed-queries.ts'
import {
  type ComparisonSummary,
  compareRankings,
  DEPTH,
  type RankingPair,
  summarizeComparisons,
} from './compare-rankings.ts'
import { findGrades } from './find-grades.ts'
import type { QueryLog } from './query-log.ts'
import { listRecordedReplayQueries, type ReplayQuery, toReplayQueries } from './replay-queries.ts'

export interface ReplayRequest {
  settings: RankingUpdate
  queries: readonly string[]
  /** The number of recorded queries to add. */
  last: number
  /** `people`: each query as the user who asked it last. `me`: all queries as the caller. */
  as: 'people' | 'me'
}

export interface ReplayDeps extends RetrievalDeps {
  queryLog: Pick<QueryLog, 'flush'>
  findSubject: (userId: string) => Promise<Subject | null>
  getAccess: (subject: Subject) => Promise<Access>
}

export interface ReplayReport extends ComparisonSummary, ChangedQueries {
  /** The number of queries ranked both ways. */
  tried: number
  /** The number of queries whose user no longer has a key. */
  without_asker: number
  /** The number of queries where only one ranking used vectors, so that a comparison would be meaningless. */
  without_meaning: number
  /** False if the time limit was reached first. */
  is_complete: boolean
}

/** The time limit of the whole replay. */
const TIME_LIMIT_MS = 30_000
/** Longer than in a search, because a ranking without vectors would not be the one that users get. */
export const EMBED_TIMEOUT_MS = 5_000

export async function replay(
  deps: ReplayDeps,
  asker: Subject,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<ReplayReport> {
  const { db, now, queryLog } = deps
  await queryLog.flush()
  const current = await getRankingSettings(db)
  const rankings = { current, changed: applyRankingUpdate(current, request.settings) }
  const queries = await listReplayQueries(db, request)
  const searchers = createSearchers(deps, asker, request.as)
  const until = now() + TIME_LIMIT_MS
  const replayed: ReplayedQuery[] = []
  const skipped = { without_asker: 0, without_meaning: 0 }
  let isComplete = true
  for (const query of queries) {
    const began = now()
    if (began >= until) {
      isComplete = false
      break
    }
    signal.throwIfAborted()
    const outcome = await runReplayQuery(deps, query, rankings, searchers)
    if (typeof outcome === 'string') skipped[outcome] += 1
    else replayed.push(outcome)
    // Pauses as long as it worked, so that users' searches have priority.
    await delay(now() - began, undefined, { signal })
  }
  const lists = await listChangedQueries(db, replayed, (await searchers.caller()).access)
  const counts = { tried: replayed.length, ...skipped, is_complete: isComplete }
  return { ...summarizeComparisons(replayed.map((it) => it.comparison)), ...counts, ...lists }
}

async function listReplayQueries(db: Queryable, { queries, last }: ReplayRequest): Promise<ReplayQuery[]> {
  const sent = toReplayQueries(queries)
  const keys = new Set(sent.map((it) => it.query_key))
  const recorded = last === 0 ? [] : await listRecordedReplayQueries(db, last)
  return [...sent, ...recorded.filter((it) => !keys.has(it.query_key))]
}

interface Searcher {
  subject: Subject
  access: Access
}

interface Searchers {
  caller(): Promise<Searcher>
  /** Null when the key no longer exists. */
  searcherOf(question: ReplayQuery): Promise<Searcher | null>
}

/** Looks up the access of each user once. */
function createSearchers({ findSubject, getAccess }: ReplayDeps, asker: Subject, as: ReplayRequest['as']): Searchers {
  const known = new Map<string, Promise<Searcher | null>>()
  const searcherFor = async (subject: Subject): Promise<Searcher> => ({ subject, access: await getAccess(subject) })
  const findSearcher = async (userId: string) => {
    const subject = await findSubject(userId)
    return subject && searcherFor(subject)
  }
  let caller: Promise<Searcher> | undefined
  const getCaller = () => {
    caller ??= searcherFor(asker)
    return caller
  }
  return {
    caller: getCaller,
    searcherOf({ user_id }) {
      if (as === 'me' || user_id === null) return getCaller()
      const person = known.get(user_id) ?? findSearcher(user_id)
      known.set(user_id, person)
      return person
    },
  }
}

async function runReplayQuery(
  deps: ReplayDeps,
  replayQuery: ReplayQuery,
  rankings: { current: RankingSettings; changed: RankingSettings },
  searchers: Searchers,
): Promise<ReplayedQuery | 'without_asker' | 'without_meaning'> {
  const person = await searchers.searcherOf(replayQuery)
  if (person === null) return 'without_asker'
  const pageOf = async (ranking: RankingSettings) => {
    const { query, filters } = replayQuery
    const search = { query, filters, ...person, offset: 0, limit: DEPTH, ranking, embedTimeoutMs: EMBED_TIMEOUT_MS }
    return (await findPage(deps, search)).page
  }
  const [one, other] = [await pageOf(rankings.current), await pageOf(rankings.changed)]
  if (one.ranked_by !== other.ranked_by) return 'without_meaning'
  const idsOf = ({ hits }: typeof one) => hits.map((it) => it.document_id)
  const lists: RankingPair = { current: idsOf(one), changed: idsOf(other) }
  const grades = await findGrades(deps.db, replayQuery.query_key, person.access)
  return { replayQuery, comparison: compareRankings(lists, grades) }
}
