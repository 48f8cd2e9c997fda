// What would a change of the ranking do? Queries of the past are ranked as it is set and as it would be; nothing is
// switched, and whoever tries it sees of no document more than a search of their own would show.
import { setTimeout as delay } from 'node:timers/promises'
import type { Access } from '../domain/access.ts'
import { changed, type RankingSettings, type RankingUpdate } from '../domain/ranking.ts'
import { gradesOf } from '../domain/relevance.ts'
import type { Subject } from '../domain/subject.ts'
import { findPage, type RetrieveNeeds } from '../retrieval/retrieve.ts'
import type { Queries } from '../store/database.ts'
import { findJudged } from '../store/judgements.ts'
import { getRankingSettings } from '../store/ranking-settings.ts'
import { compare, DEPTH, type Lists, type Summary, summary } from './compare.ts'
import { type Listed, listed, readable, type Tried } from './listed.ts'
import type { QueryLog } from './query-log.ts'
import { type Question, questionsOf, recordedQuestions } from './questions.ts'

export interface ReplayRequest {
  settings: RankingUpdate
  queries: readonly string[]
  /** How many recorded ones beside them. */
  last: number
  /** `people`: each as whoever asked it last. `me`: all of them as whoever tries the change. */
  as: 'people' | 'me'
}

export interface ReplayNeeds extends RetrieveNeeds {
  queryLog: Pick<QueryLog, 'flush'>
  findSubject: (userId: string) => Promise<Subject | null>
  readableBy: (subject: Subject) => Promise<Access>
}

export interface Replay extends Summary, Listed {
  /** Queries that were ranked both ways. */
  tried: number
  /** Those whose asker has no key any more. */
  without_asker: number
  /** Those of which one ranking had vectors and the other had not: their difference would say nothing. */
  without_meaning: number
  /** False where the time ended before the queries did. */
  is_complete: boolean
}

/** The whole of it takes no longer, whatever is asked. */
const TIME_LIMIT_MS = 30_000
/** A vector is waited for: a ranking without it would not be the one that people get. */
const PATIENCE_MS = 5_000

export async function replay(
  needs: ReplayNeeds,
  asker: Subject,
  request: ReplayRequest,
  signal: AbortSignal,
): Promise<Replay> {
  const { db, now, queryLog } = needs
  await queryLog.flush()
  const current = await getRankingSettings(db)
  const rankings = { current, changed: changed(current, request.settings) }
  const questions = await questionsIn(db, request)
  const people = createPeople(needs, asker, request.as)
  const until = now() + TIME_LIMIT_MS
  const tried: Tried[] = []
  const left = { without_asker: 0, without_meaning: 0 }
  let asked = 0
  for (; asked < questions.length && now() < until; asked++) {
    signal.throwIfAborted()
    const began = now()
    const outcome = await ask(needs, questions[asked]!, rankings, people)
    if (typeof outcome === 'string') left[outcome] += 1
    else tried.push(outcome)
    // What people look for goes first: it rests as long as it worked.
    await delay(now() - began, undefined, { signal })
  }
  const lists = await listed(db, tried, (await people.own()).access)
  const counts = { tried: tried.length, ...left, is_complete: asked === questions.length }
  return { ...summary(tried.map((it) => it.compared)), ...counts, ...lists }
}

async function questionsIn(db: Queries, { queries, last }: ReplayRequest): Promise<Question[]> {
  const sent = questionsOf(queries)
  const keys = new Set(sent.map((it) => it.query_key))
  const recorded = last === 0 ? [] : await recordedQuestions(db, last)
  return [...sent, ...recorded.filter((it) => !keys.has(it.query_key))]
}

interface Person {
  subject: Subject
  access: Access
}

interface People {
  own(): Promise<Person>
  /** Null where the key is gone. */
  of(question: Question): Promise<Person | null>
}

/** What each may read is looked up once. */
function createPeople({ findSubject, readableBy }: ReplayNeeds, asker: Subject, as: ReplayRequest['as']): People {
  const known = new Map<string, Promise<Person | null>>()
  const personOf = async (subject: Subject): Promise<Person> => ({ subject, access: await readableBy(subject) })
  const found = async (userId: string) => {
    const subject = await findSubject(userId)
    return subject && personOf(subject)
  }
  let own: Promise<Person> | undefined
  const ownOne = () => {
    own ??= personOf(asker)
    return own
  }
  return {
    own: ownOne,
    of({ user_id }) {
      if (as === 'me' || user_id === null) return ownOne()
      const person = known.get(user_id) ?? found(user_id)
      known.set(user_id, person)
      return person
    },
  }
}

async function ask(
  needs: ReplayNeeds,
  question: Question,
  rankings: { current: RankingSettings; changed: RankingSettings },
  people: People,
): Promise<Tried | 'without_asker' | 'without_meaning'> {
  const person = await people.of(question)
  if (person === null) return 'without_asker'
  const pageOf = async (ranking: RankingSettings) => {
    const { query, filters } = question
    const search = { query, filters, ...person, offset: 0, limit: DEPTH, ranking, patienceMs: PATIENCE_MS }
    return (await findPage(needs, search)).page
  }
  const [one, other] = [await pageOf(rankings.current), await pageOf(rankings.changed)]
  if (one.ranked_by !== other.ranked_by) return 'without_meaning'
  const idsOf = ({ hits }: typeof one) => hits.map((it) => it.document_id)
  const lists: Lists = { current: idsOf(one), changed: idsOf(other) }
  return { question, compared: compare(lists, await gradesFor(needs.db, question, person.access)) }
}

/** What the person cannot find cannot be missed. */
async function gradesFor(db: Queries, { query_key }: Question, access: Access): Promise<Map<string, number>> {
  const { byHand, feedback } = await findJudged(db, query_key)
  const grades = gradesOf(byHand, feedback)
  const documents = await readable(db, [...grades.keys()], access)
  return new Map([...grades].filter(([id]) => documents.has(id)))
}
