// Which words does a query look for?
import { fold, normalized } from './fold.ts'
import { formsOf } from './forms.ts'
import type { Language } from './language.ts'
import stopWords from './stop-words.json' with { type: 'json' }
import { eachWord } from './words.ts'

export interface QueryWord {
  /** As it was typed. */
  word: string
  /** What `analyze` may have made of the word, in whichever of the languages: any of them is the word. */
  terms: string[]
  /** UTF-16 offsets in the query, end exclusive. */
  start: number
  end: number
}

/** Somebody may paste a page; what comes after so many words is left out. */
const MAX_QUERY_WORDS = 512

/**
 * The words to look for in an index with texts in these languages, whose order does not matter. A repeated word comes as
 * often as it is repeated, a compound before its parts. Stop words stay only where there is nothing else.
 */
export function queryTerms(text: string, languages: readonly Language[] = ['en']): QueryWord[] {
  const all = queryWords(text, languages)
  const telling = withoutStopWords(all, isShouted(text), languages)
  return telling.length > 0 ? telling : all
}

/** What is looked for in a text of that language; English words stand in texts of any. */
export const queryTermsIn = (query: string, language: Language): QueryWord[] =>
  queryTerms(query, [...new Set<Language>(['en', language])])

/** The same as `queryTerms` with the stop words, in order of their start. */
export function queryWords(text: string, languages: readonly Language[]): QueryWord[] {
  const all: QueryWord[] = []
  const formsOfEach = languages.map(formsOf)
  eachWord(text, (start, end, kind) => {
    if (all.length === MAX_QUERY_WORDS) return
    const word = text.slice(start, end)
    const terms = [...new Set(formsOfEach.flatMap((it) => it[kind](text, start, end).terms))]
    if (terms.length > 0) all.push({ word, terms, start, end })
  })
  return all
}

const lists = new Map(
  Object.entries(stopWords).map(([language, words]) => [language, new Set(words.split(' ').map(fold))]),
)

function withoutStopWords(all: QueryWord[], isAllShouted: boolean, languages: readonly Language[]): QueryWord[] {
  const plain = new Map(all.map((it) => [it, isAllShouted || !isShouted(it.word) ? bare(it.word) : '']))
  const spoken = spokenLists([...new Set(plain.values())], languages)
  const isStopWord = (it: QueryWord) => spoken.some((list) => list.has(plain.get(it)!))
  let stoppedUntil = 0
  return all.filter((it) => {
    // The parts of "e.g." go with it.
    if (isStopWord(it)) stoppedUntil = it.end
    return it.start >= stoppedUntil
  })
}

/** "US economy" and "IT support" mean what they shout; a query all in capitals does not. */
const isShouted = (word: string): boolean =>
  word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()

const MAX_STOP_WORD = 32
const bare = (word: string): string => (word.length > MAX_STOP_WORD ? '' : fold(normalized(word)).replaceAll('.', ''))

/**
 * Where there is English text, another language must show in two words, more than English does: "pod" is a stop word in
 * Polish, and one Polish document must not take it from everybody.
 */
function spokenLists(words: readonly string[], languages: readonly Language[]): ReadonlySet<string>[] {
  const held = languages.flatMap((it) => lists.get(it) ?? [])
  const english = languages.includes('en') ? lists.get('en') : undefined
  if (english === undefined) return held
  const matches = (list: ReadonlySet<string>) => words.filter((it) => list.has(it)).length
  return held.filter((it) => it === english || (matches(it) >= 2 && matches(it) > matches(english)))
}
