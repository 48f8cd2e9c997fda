// The texts that the engine stores to check conditions on words: the text of each passage, and the title terms in
// the first one.
import type { Chunk } from '../../domain/chunk.ts'
import type { Condition, Conditions } from '../../engine/query/conditions.ts'
import type { Language } from '../../text/language.ts'
import { containsPhrase, type Phrase } from '../../text/phrase.ts'
import type { StoredChunk } from '../search-index.ts'
import type { WordConditions } from '../word-conditions.ts'

/** Separates title terms from others. No term of a text contains this character. */
const TITLE_FIELD_PREFIX = '\u0001'

export const titleFieldTerms = (titleTerms: readonly string[]): string[] =>
  titleTerms.map((it) => TITLE_FIELD_PREFIX + it)

export const encodeStoredPassage = (
  chunk: Chunk,
  { title, page_kind }: Pick<StoredChunk, 'title' | 'page_kind'>,
): string => JSON.stringify({ ...chunk, title, ...(page_kind && { page_kind }) } satisfies StoredChunk)

/** `encodeStoredPassage` wrote the text. */
export const decodeStoredPassage = (stored: string): StoredChunk => JSON.parse(stored)

export const toChunk = ({ chunk_ind, content, link }: StoredChunk): Chunk => ({ chunk_ind, content, link })

/** The texts in a passage. */
export function storedTexts(stored: string): string[] {
  const { title, content } = decodeStoredPassage(stored)
  return [title, content]
}

export const toEngineConditions = ({ phrases, required, excluded, titleWords }: WordConditions): Conditions => ({
  phrases: phrases.map(inTitleOrContent),
  required: [...required.map(inTitleOrContent), ...titleWords.map(inTitle)],
  excluded: excluded.map(inTitleOrContent),
})

/** Every passage contains the words of the title too, so a single word needs no lookup of title terms. */
const inTitleOrContent = (phrase: Phrase): Condition => ({
  passage: phrase,
  ...(phrase.words.length > 1 && { head: asTitlePhrase(phrase) }),
  isInPassage: (stored, language) => containsPhrase(phrase, decodeStoredPassage(stored).content, language),
  isInHead: isInTitle(phrase),
})

const inTitle = (phrase: Phrase): Condition => ({
  head: asTitlePhrase(phrase),
  isInPassage: () => false,
  isInHead: isInTitle(phrase),
})

const isInTitle = (phrase: Phrase) => (stored: string, language: Language) =>
  containsPhrase(phrase, decodeStoredPassage(stored).title, language)

const asTitlePhrase = ({ words, first }: Phrase): Phrase => ({
  words: words.map(({ terms, next }) => ({ terms: titleFieldTerms(terms), next })),
  first,
})
