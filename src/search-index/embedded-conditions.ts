// What the engine keeps so that conditions on words can be checked: titles marked in the first entry, and its text.
import type { Chunk } from '../domain/chunk.ts'
import type { Condition, Conditions } from '../engine/conditions.ts'
import type { Language } from '../text/language.ts'
import { holdsPhrase, type Phrase } from '../text/phrase.ts'
import type { WordConditions } from './word-conditions.ts'

/** No term of a text has this character. */
const TITLE_MARK = '\u0001'

export const marksOf = (titleTerms: readonly string[]): string[] => titleTerms.map((it) => TITLE_MARK + it)

/** What the engine keeps of a chunk. */
interface Stored extends Chunk {
  title: string
}

export const storedOf = (chunk: Chunk, title: string): string => JSON.stringify({ ...chunk, title } satisfies Stored)

/** What is stored is what `storedOf` wrote. */
export const storedChunkOf = (stored: string): Stored => JSON.parse(stored) as Stored

export function chunkOf(stored: string): Chunk {
  const { title, ...chunk } = storedChunkOf(stored)
  return chunk
}

/** What is written in an entry. */
export function storedTextsOf(stored: string): string[] {
  const { title, content } = storedChunkOf(stored)
  return [title, content]
}

export const conditionsOf = ({ phrases, required, excluded, titleWords }: WordConditions): Conditions => ({
  phrases: phrases.map(anywhere),
  required: [...required.map(anywhere), ...titleWords.map(inTitle)],
  excluded: excluded.map(anywhere),
})

/** Every entry holds the words of the title too, so that one word needs no look at the marks. */
const anywhere = (phrase: Phrase): Condition => ({
  entry: phrase,
  ...(phrase.words.length > 1 && { head: marked(phrase) }),
  isInEntry: (stored, language) => holdsPhrase(phrase, storedChunkOf(stored).content, language as Language),
  isInHead: isInTitle(phrase),
})

const inTitle = (phrase: Phrase): Condition => ({
  head: marked(phrase),
  isInEntry: () => false,
  isInHead: isInTitle(phrase),
})

const isInTitle = (phrase: Phrase) => (stored: string, language: string) =>
  holdsPhrase(phrase, storedChunkOf(stored).title, language as Language)

const marked = ({ words, first }: Phrase): Phrase => ({
  words: words.map(({ terms, next }) => ({ terms: marksOf(terms), next })),
  first,
})
