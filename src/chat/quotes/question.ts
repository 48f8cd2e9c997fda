// A question, read once: its kind, its language and the words that its answer should have.
import { detectLanguage, type Language } from '../../text/language.ts'
import { queryTerms } from '../../text/query-terms.ts'
import {
  isAskingWord,
  type QuestionKind,
  type QuestionLanguage,
  questionLanguages,
  readForms,
} from './question-forms.ts'

export interface Question {
  kind: QuestionKind
  language: Language
  /** Whether the kinds of questions are known in its language. */
  hasForms: boolean
  /** A sentence that asks nothing, such as one that is to be checked. */
  isClaim: boolean
  /** In lower case. */
  text: string
  /** As the words occur in texts of the language. */
  wordsIn(language: Language): readonly QuestionWord[]
}

export interface QuestionWord {
  word: string
  /** Each of them matches. */
  terms: readonly string[]
  /** The terms of the parts of a compound. */
  parts: readonly (readonly string[])[]
  /** Less than 1 for words that ask ("how many") and say little about the subject. */
  weight: number
}

const ASKING_WEIGHT = 0.3
/** A few words without a question ask what the thing is. */
const MAX_TOPIC_WORDS = 4

/** Longer questions describe a subject in more words than their answers. */
const LONG_QUESTION = 5

/** The number of words that say something about the subject. */
export const countSubjectWords = (words: readonly QuestionWord[]): number =>
  words.filter((it) => it.weight === 1).length

export const isLongQuestion = (words: number): boolean => words >= LONG_QUESTION

export function readQuestion(text: string): Question {
  const detected = detectLanguage(text)
  const { kind, language: shown } = readForms(text, detected)
  const isTopic = kind === 'other' && text.trim().split(/\s+/).length <= MAX_TOPIC_WORDS && !text.includes('?')
  const language = shown ?? detected
  const asking = questionLanguages.find((it) => it === language) ?? null
  const cache = new Map<Language, readonly QuestionWord[]>()
  const wordsIn = (own: Language): readonly QuestionWord[] => {
    const words = cache.get(own) ?? questionWords(text, [...new Set([own, language])], asking)
    cache.set(own, words)
    return words
  }
  return {
    kind: isTopic ? 'definition' : kind,
    language,
    hasForms: asking !== null,
    isClaim: kind === 'other' && text.trim().endsWith('.'),
    text: text.toLowerCase(),
    wordsIn,
  }
}

function questionWords(text: string, languages: readonly Language[], asking: QuestionLanguage | null): QuestionWord[] {
  const words: (QuestionWord & { end: number })[] = []
  for (const { word, terms, start, end } of queryTerms(text, languages)) {
    const whole = words.at(-1)
    // The parts of a compound stand for it together.
    if (whole !== undefined && start < whole.end) whole.parts = [...whole.parts, terms]
    else
      words.push({
        word,
        terms,
        end,
        parts: [],
        weight: asking !== null && isAskingWord(word, asking) ? ASKING_WEIGHT : 1,
      })
  }
  return [...new Map(words.map((it) => [it.terms.join(' '), it])).values()]
}
