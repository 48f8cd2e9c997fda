// On which queries is a change tried? Those of which it is known what fits come first, then the newest.
import { setImmediate as turn } from 'node:timers/promises'
import type { Filters } from '../domain/query.ts'
import type { Queries } from '../store/database.ts'
import { listJudgedQueries, listKeysWithFeedback } from '../store/judgements.ts'
import { findNewestRanked, listRecordedQueries, queryKey, type StoredQuery } from '../store/recorded-queries.ts'

export interface Question {
  query: string
  query_key: string
  filters: Filters
  /** Of the key that asked it last; null for whoever tries the change. */
  user_id: string | null
  /** It was sent, or a hand has judged it: then an administrator may read it, however few people asked it. */
  isKnown: boolean
}

/** How many recorded searches are looked through for different ones. */
const LOOKED_THROUGH = 20_000
const AT_ONCE = 500

/** As they were sent. */
export const questionsOf = (queries: readonly string[]): Question[] =>
  distinct(queries.map((query) => questionOf(query, queryKey(query))))

/** Each query once, as it was asked last. */
export async function recordedQuestions(db: Queries, limit: number): Promise<Question[]> {
  const found = new Map<string, Question>()
  for (const { query, query_key } of await listJudgedQueries(db, limit)) {
    const asked = await findNewestRanked(db, query_key)
    found.set(query_key, { ...(asked ? recorded(asked) : questionOf(query, query_key)), isKnown: true })
  }
  for (const key of found.size < limit ? await listKeysWithFeedback(db, limit) : []) {
    const asked = found.has(key) ? undefined : await findNewestRanked(db, key)
    if (asked !== undefined) found.set(key, recorded(asked))
  }
  await addNewest(db, found, limit)
  return [...found.values()].slice(0, limit)
}

async function addNewest(db: Queries, found: Map<string, Question>, limit: number): Promise<void> {
  let before: StoredQuery | null = null
  for (let looked = 0; looked < LOOKED_THROUGH && found.size < limit; looked += AT_ONCE) {
    const page: StoredQuery[] = await listRecordedQueries(db, ALWAYS, { before, limit: AT_ONCE })
    for (const it of page) {
      if (it.ranked_by !== 'date' && !found.has(it.query_key)) found.set(it.query_key, recorded(it))
    }
    if (page.length < AT_ONCE) return
    before = page.at(-1)!
    await turn()
  }
}

const ALWAYS = { from: 0, until: Number.MAX_SAFE_INTEGER }

const questionOf = (query: string, query_key: string): Question => ({
  query,
  query_key,
  filters: {},
  user_id: null,
  isKnown: true,
})

const recorded = ({ query, query_key, filters, user_id }: StoredQuery): Question => ({
  query,
  query_key,
  filters,
  user_id,
  isKnown: false,
})

const distinct = (questions: readonly Question[]): Question[] => [
  ...new Map(questions.map((it) => [it.query_key, it])).values(),
]
