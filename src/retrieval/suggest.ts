// What may somebody mean who has typed so far? Titles and words of what they may read, and what they looked for before.
import { type Access, mayRead, tokensOf } from '../domain/access.ts'
import { DAY_MS } from '../domain/date-time.ts'
import type { Subject } from '../domain/subject.ts'
import type { Hit, SearchIndex } from '../search-index/search-index.ts'
import type { Queries } from '../store/database.ts'
import { listPairsOfSets } from '../store/document-sets.ts'
import { type DocumentSummary, findDocuments } from '../store/documents.ts'
import { listRecentQueries } from '../store/recent-queries.ts'
import { getSettings } from '../store/settings.ts'
import { queryTerms } from '../text/query-terms.ts'
import type { Asked } from './candidates.ts'
import { narrowed } from './narrow.ts'
import { parseSearch } from './parse.ts'

export interface SuggestNeeds {
  searchIndex: SearchIndex
  db: Queries
  now: () => number
}

export interface Typed {
  query: string
  access: Access
  subject: Subject
}

export interface Suggestions {
  titles: DocumentSummary[]
  /** The query with its last word completed. */
  terms: string[]
  /** Own ones that begin so, the newest first. */
  recent: string[]
}

const TITLES = 5
const TERMS = 5
const RECENT = 5
/** A single letter is the beginning of half of the dictionary. */
const MIN_PREFIX = 2
/** Completions whose titles are looked for. */
const COMPLETIONS = 3
export async function suggest(needs: SuggestNeeds, typed: Typed): Promise<Suggestions> {
  const { db, searchIndex, now } = needs
  const understood = parseSearch(typed.query, { now: now(), tz: 'UTC' })
  const { document_sets: sets } = understood
  const ofSets = sets.length === 0 ? undefined : await listPairsOfSets(db, typed.subject, sets)
  const asked = narrowed(understood, { access: typed.access, filters: {} }, ofSets)
  const [completions, recent] = await Promise.all([
    completionsOf(searchIndex, asked, typed.query),
    recentOf(needs, typed),
  ])
  const { last } = completions
  const texts = completions.words.map((it) => replacedEnd(asked.text, last, it))
  const titles = await titlesOf(needs, asked, texts.length > 0 ? texts : [asked.text])
  const terms = completions.words.map((it) => replacedEnd(typed.query, last, it))
  return { titles, terms: terms.filter((it) => it !== typed.query), recent }
}

/** Nothing where the last thing typed is no word, or belongs to an operator. */
async function completionsOf(searchIndex: SearchIndex, asked: Asked, query: string) {
  const last = /[\p{L}\p{M}\p{N}]+$/u.exec(query)?.[0] ?? ''
  if (last.length < MIN_PREFIX || !asked.text.endsWith(last)) return { last: '', words: [] }
  const { access, filters } = asked
  const found = await searchIndex.terms({ prefix: last, access, filters, limit: TERMS })
  return { last, words: found.map((it) => it.spelling) }
}

const replacedEnd = (text: string, end: string, by: string): string => text.slice(0, text.length - end.length) + by

/** Those of the first text come first: where they are enough, the others are not looked for. */
async function titlesOf(needs: SuggestNeeds, asked: Asked, texts: readonly string[]): Promise<DocumentSummary[]> {
  const first = await titlesWith(needs, asked, texts.slice(0, 1))
  if (first.length >= TITLES) return first.slice(0, TITLES)
  const others = await titlesWith(needs, asked, texts.slice(1, COMPLETIONS))
  const ids = new Set(first.map((it) => it.id))
  return [...first, ...others.filter((it) => !ids.has(it.id))].slice(0, TITLES)
}

async function titlesWith(
  { searchIndex, db }: SuggestNeeds,
  asked: Asked,
  texts: readonly string[],
): Promise<DocumentSummary[]> {
  const found = await Promise.all(texts.map((it) => withTitle(searchIndex, asked, it)))
  const ids = [...new Set(found.flat().map((it) => it.document_id))]
  const documents = await findDocuments(db, ids)
  const byId = new Map(documents.map((it) => [it.id, it]))
  return ids
    .flatMap((id) => byId.get(id) ?? [])
    .filter((it) => mayRead(asked.access, tokensOf(it.external_access, it.cc_pair_ids)))
}

async function withTitle(searchIndex: SearchIndex, asked: Asked, text: string): Promise<Hit[]> {
  const words = queryTerms(text).map((it) => it.word)
  if (words.length === 0) return []
  const titleWords = [...(asked.titleWords ?? []), ...words]
  return (await searchIndex.search({ ...asked, text, titleWords, offset: 0, limit: TITLES, texts: 0 })).hits
}

async function recentOf({ db, now }: SuggestNeeds, { query, subject }: Typed): Promise<string[]> {
  const { recent_query_retention_days: days } = await getSettings(db)
  const all = await listRecentQueries(db, subject.user_id, now() - days * DAY_MS)
  const begun = query.trimStart().toLowerCase()
  return all.filter((it) => it !== query && it.toLowerCase().startsWith(begun)).slice(0, RECENT)
}
