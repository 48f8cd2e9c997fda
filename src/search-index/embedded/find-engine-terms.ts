// Word lookup in the embedded index: candidates come from the engine's dictionaries and are verified in texts that the
// caller may read.
import type { TermsQuery } from '../../domain/search/query.ts'
import type { LiveSegment } from '../../engine/segment/live-segment.ts'
import { findWords, type WordQuery } from '../../engine/terms/find-words.ts'
import { eachWordForm } from '../../text/analyze.ts'
import { createFirstLetterFilter } from '../../text/first-letter-filter.ts'
import { normalizeAndFold, normalizeWord } from '../../text/normalize.ts'
import type { WordForms } from '../../text/word-forms.ts'
import type { TermSuggestion } from '../search-index.ts'
import { toEngineFilter } from './engine-mapping.ts'
import { storedTexts } from './stored-passage.ts'

export function findEngineTerms(segments: readonly LiveSegment[], query: TermsQuery): TermSuggestion[] {
  const { access, filters, limit } = query
  const match: WordQuery['match'] =
    'prefix' in query
      ? { prefix: normalizeAndFold(query.prefix) }
      : { near: normalizeAndFold(query.near), maxEdits: query.max_edits }
  const found = findWords(segments, { match, filter: toEngineFilter(access, filters), limit, wordsFor })
  return found.map(({ word, spelling, edits, groups }) => ({ term: word, spelling, edits, documents: groups }))
}

const wordsFor: WordQuery['wordsFor'] = (stored, language, term) => {
  const words: { word: string; spelling: string }[] = []
  const mayStart = createFirstLetterFilter([term], language)
  for (const text of storedTexts(stored)) {
    const visit = ({ word, terms }: WordForms, written: string) => {
      if (terms.includes(term)) words.push({ word, spelling: normalizeWord(written) })
    }
    eachWordForm(text, language, visit, mayStart)
  }
  return words
}
