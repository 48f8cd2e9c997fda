// The words and terms that a query searches for.

import { type Language, otherLatinLanguages } from './language.ts'
import { foldDiacritics, normalizeWord } from './normalize.ts'
import stopWords from './stop-words.json' with { type: 'json' }
import { wordFormLookups } from './word-forms.ts'
import { eachWord } from './words.ts'

export interface QueryWord {
  /** The word as typed. */
  word: string
  /** The possible terms of `analyze` for the word in any of the languages. Each of the terms matches the word. */
  terms: string[]
  /** UTF-16 offsets in the query; the end is exclusive. */
  start: number
  end: number
}

/** Limits a query that was pasted from a page; further words are ignored. */
const MAX_QUERY_WORDS = 512

/**
 * Returns the words to search for in an index with texts in these languages, in any order. Repeated words are returned
 * repeatedly, and a compound comes before its parts. Stop words and elided articles ("l'équipe") are dropped unless
 * there is nothing else.
 */
export function queryTerms(text: string, languages: readonly Language[] = ['en']): QueryWord[] {
  const all = queryWords(text, languages)
  const articles = new Set(languages.flatMap((it) => ELIDED[it] ?? []))
  const isElided = ({ word, end }: QueryWord) =>
    articles.has(stopWordKey(word)) && /^['’ʼ]\p{L}/u.test(text.slice(end, end + 2))
  const whole = articles.size === 0 ? all : all.filter((it) => !isElided(it))
  const informative = withoutStopWords(whole, text, languages)
  return informative.length > 0 ? informative : all
}

/** Returns the words to search for in a text of this language. English words occur in texts of any language. */
export const queryTermsFor = (query: string, language: Language): QueryWord[] =>
  queryTerms(query, [...new Set<Language>(['en', language])])

/** A compound such as "os.path" counts as one word. */
export function countInformativeWords(query: string): number {
  let count = 0
  let end = 0
  for (const it of queryTerms(query)) {
    if (it.start >= end) count++
    end = Math.max(end, it.end)
  }
  return count
}

/** Like `queryTerms`, but includes stop words. The words are in order of their start. */
export function queryWords(text: string, languages: readonly Language[]): QueryWord[] {
  const all: QueryWord[] = []
  const formsOfEach = languages.map(wordFormLookups)
  eachWord(text, (start, end, kind) => {
    if (all.length === MAX_QUERY_WORDS) return
    const word = text.slice(start, end)
    const terms = [...new Set(formsOfEach.flatMap((it) => it[kind](text, start, end).terms))]
    if (terms.length > 0) all.push({ word, terms, start, end })
  })
  return all
}

/** Words that lose their last vowel before another word, as in Lucene's analyzers. */
const ELIDED: Partial<Record<Language, readonly string[]>> = {
  ca: ['d', 'l', 'm', 'n', 's', 't'],
  fr: ['c', 'd', 'j', 'jusqu', 'l', 'lorsqu', 'm', 'n', 'puisqu', 'qu', 'quoiqu', 's', 't'],
  it: [
    ...['agl', 'all', 'c', 'coll', 'd', 'dagl', 'dall', 'degl', 'dell', 'gl', 'l', 'm'],
    ...['negl', 'nell', 'pell', 's', 'sugl', 'sull', 't', 'un', 'v'],
  ],
}

const wordsByLanguage: Partial<Record<Language, string>> = stopWords
const stopWordLists = new Map<Language, ReadonlySet<string>>()

/** A list is folded on first use: all of them take 40 ms in each thread. */
function stopWordList(language: Language): ReadonlySet<string> | undefined {
  const known = stopWordLists.get(language)
  const words = wordsByLanguage[language]
  if (known !== undefined || words === undefined) return known
  const list = new Set(words.split(' ').map(foldDiacritics))
  stopWordLists.set(language, list)
  return list
}

/** A query is read several times, for each language of the documents, so the last answer is kept. */
let lastOwn: { text: string; lists: ReadonlySet<string>[] } = { text: '', lists: [] }

function ownStopWords(text: string): readonly ReadonlySet<string>[] {
  if (lastOwn.text !== text) {
    lastOwn = { text, lists: otherLatinLanguages(text).flatMap((it) => stopWordList(it) ?? []) }
  }
  return lastOwn.lists
}

/**
 * The stop words of the query's own language are dropped for texts in every language: "comment" asks in French, and is a
 * statement of SQL in an English text.
 */
function withoutStopWords(all: QueryWord[], text: string, languages: readonly Language[]): QueryWord[] {
  const isQueryAllCaps = isAllCaps(text)
  const keyOf = ({ word }: QueryWord) => (isQueryAllCaps || !isAllCaps(word) ? stopWordKey(word) : '')
  const keyed = all.map((word) => ({ word, key: keyOf(word) }))
  const stopLists = [...applicableStopWords([...new Set(keyed.map((it) => it.key))], languages), ...ownStopWords(text)]
  let stoppedUntil = 0
  return keyed.flatMap(({ word, key }) => {
    // The parts of a stop word such as "e.g." are dropped with it.
    if (stopLists.some((list) => list.has(key))) stoppedUntil = word.end
    return word.start >= stoppedUntil ? word : []
  })
}

/** Words in capitals are kept, as in "US economy" and "IT support", unless the whole query is in capitals. */
export const isAllCaps = (word: string): boolean =>
  word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()

const MAX_STOP_WORD = 32
const stopWordKey = (word: string): string =>
  word.length > MAX_STOP_WORD ? '' : foldDiacritics(normalizeWord(word)).replaceAll('.', '')

/**
 * If the index contains English text, another language's stop words apply only if the query has at least two of them,
 * and more than English ones. Otherwise a single Polish document would make "pod", a Polish stop word, unsearchable for
 * everybody.
 */
function applicableStopWords(words: readonly string[], languages: readonly Language[]): ReadonlySet<string>[] {
  const candidates = languages.flatMap((it) => stopWordList(it) ?? [])
  const english = languages.includes('en') ? stopWordList('en') : undefined
  if (english === undefined) return candidates
  const countMatches = (list: ReadonlySet<string>) => words.filter((it) => list.has(it)).length
  return candidates.filter(
    (it) => it === english || (countMatches(it) >= 2 && countMatches(it) > countMatches(english)),
  )
}
