// Words of the embedded index: found in the dictionaries of the engine, seen in what the asker may read.
import type { TermsQuery } from '../domain/query.ts'
import type { LiveSegment } from '../engine/live-segment.ts'
import { findWords, type WordQuery } from '../engine/word-search.ts'
import { eachForm } from '../text/analyze.ts'
import { firstLetters } from '../text/first-letters.ts'
import { folded, normalized } from '../text/fold.ts'
import type { WordForms } from '../text/forms.ts'
import type { Language } from '../text/language.ts'
import { storedTextsOf } from './embedded-conditions.ts'
import { filterOf } from './embedded-group.ts'
import type { FoundTerm } from './search-index.ts'

export function findTerms(segments: readonly LiveSegment[], query: TermsQuery): FoundTerm[] {
  const { access, filters, limit } = query
  const match: WordQuery['match'] =
    'prefix' in query ? { prefix: folded(query.prefix) } : { near: folded(query.near), maxEdits: query.max_edits }
  const found = findWords(segments, { match, filter: filterOf(access, filters), limit, wordsFor })
  return found.map(({ word, spelling, edits, groups }) => ({ term: word, spelling, edits, documents: groups }))
}

const wordsFor: WordQuery['wordsFor'] = (stored, language, term) => {
  const words: { word: string; spelling: string }[] = []
  const mayStart = firstLetters([term], language as Language)
  for (const text of storedTextsOf(stored)) {
    const visit = ({ word, terms }: WordForms, written: string) => {
      if (terms.includes(term)) words.push({ word, spelling: normalized(written) })
    }
    eachForm(text, language as Language, visit, mayStart)
  }
  return words
}
