// Which words does a query look for?
import { fold, normalized } from './fold.ts'
import { formsIn } from './forms.ts'
import type { Language } from './language.ts'
import stopWords from './stop-words.json' with { type: 'json' }
import { eachWord } from './words.ts'

export interface QueryWord {
  /** As it was typed. */
  word: string
  /** What `analyze` may have made of the word in one of the languages: any of them is the word. */
  terms: string[]
  start: number
  end: number
}

/** The words to look for in an index with texts in these languages. Stop words stay only where there is nothing else. */
export function queryTerms(text: string, languages: readonly Language[] = ['en']): QueryWord[] {
  const all: QueryWord[] = []
  const telling: QueryWord[] = []
  const isStopWord = stopWordsOf(text, languages)
  eachWord(text, (start, end, kind) => {
    const word = text.slice(start, end)
    const terms = [...new Set(languages.flatMap((language) => formsIn(language, kind)(word)))]
    if (terms.length === 0) return
    all.push({ word, terms, start, end })
    if (!isStopWord(word)) telling.push({ word, terms, start, end })
  })
  return telling.length > 0 ? telling : all
}

const lists = new Map(
  Object.entries(stopWords).map(([language, words]) => [language, new Set(words.split(' ').map(fold))]),
)

/** "US economy" and "IT support" mean what they shout; a query in capitals does not. */
function stopWordsOf(text: string, languages: readonly Language[]): (word: string) => boolean {
  const isShouted = text === text.toUpperCase()
  return (word) => {
    if (!isShouted && word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()) return false
    const plain = fold(normalized(word)).replaceAll('.', '')
    return languages.some((language) => lists.get(language)?.has(plain))
  }
}
