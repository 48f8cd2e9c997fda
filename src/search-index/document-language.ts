// The language by whose rules a document is analyzed, and the number of documents in each.
import { detectLanguage, type Language } from '../text/language.ts'
import type { IndexDocument, LanguageCount } from './search-index.ts'

/** A title block alone is too short to tell the language, so chunks are added until there is this much text. */
const ENOUGH = 500

export function detectDocumentLanguage({ title, chunks }: Pick<IndexDocument, 'title' | 'chunks'>): Language {
  let sample = title
  for (const { content } of chunks) {
    if (sample.length > ENOUGH) break
    sample += `\n${content}`
  }
  return detectLanguage(sample)
}

/** Most documents first, then by code. */
export const sortLanguages = (counts: ReadonlyMap<Language, number>): LanguageCount[] =>
  [...counts]
    .map(([language, documents]) => ({ language, documents }))
    .sort((one, other) => other.documents - one.documents || (one.language < other.language ? -1 : 1))
