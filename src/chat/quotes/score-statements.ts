// How well each statement of the found passages answers a question.
import type { Passage } from '../../domain/chat/passage.ts'
import { extractTerms } from '../../text/analyze.ts'
import { detectLanguage, type Language } from '../../text/language.ts'
import { addSimilarTerms } from './misspellings.ts'
import { countSubjectWords, isLongQuestion, type Question, type QuestionWord } from './question.ts'
import { fitOf, standsAlone } from './statement-fit.ts'
import { findStatements, type Statement } from './statements.ts'

export type QuotablePassage = Pick<Passage, 'text' | 'document'>

export interface ScoredStatement<P> extends Statement {
  passage: P
  terms: ReadonlySet<string>
  /** The share of the question's words that occur in the statement, in its lead, in the sentence before, or in the title. */
  covered: number
  /** How well its form fits the kind of question, from 0 to 1. */
  fit: number
  /** Whether its lead contains words of the question that it lacks itself. */
  needsLead: boolean
  score: number
}

/** How many words of a question the passages have, wherever they occur in them. */
export interface Support {
  /** The share of the words in the passage that has most of them. */
  whole: number
  /** The share of the words that any passage has. */
  seen: number
  /** The number of words that say something about the subject. */
  words: number
  /** The best passage is in another language than the question, so few words can be compared. */
  isForeign: boolean
}

/** Measured together on questions about manuals, encyclopaedias and our own pages: docs/decisions/0169-answers-that-quote.md. */
const WEIGHTS = { own: 0.4, covered: 1.3, pairs: 0.15, whole: 0.2, fit: 0.6, beginning: 0.1 }
/** The words of a long question are spread over a document, so the rank of the passage says more than one sentence. */
const PLACE = { short: 0.2, long: 0.7 }
/** A word that stands beside a statement, and not in it, counts less. */
const CREDIT = { lead: 0.9, before: 0.7, title: 0.6, parts: 0.9 }
/** Shorter sentences say little, longer ones are hard to read. */
const READABLE_WORDS = { least: 5, most: 45 }
const PAIR_FACTOR = 0.88
const MAX_PAIR_WORDS = 45

interface Candidate extends Statement {
  terms: ReadonlySet<string>
  leadTerms: ReadonlySet<string>
  beforeTerms: ReadonlySet<string>
  isPair: boolean
}

interface PassageStatements<P> {
  passage: P
  language: Language
  title: ReadonlySet<string>
  candidates: readonly Candidate[]
  all: ReadonlySet<string>
}

/** `passages` come best first, and so do the statements. */
export function scoreStatements<P extends QuotablePassage>(
  question: Question,
  passages: readonly P[],
): { statements: ScoredStatement<P>[]; support: Support } {
  const groups = passages.map(readPassage)
  const vocabulary = new Set(groups.flatMap(({ all }) => [...all]))
  const corrected = new Map<Language, readonly QuestionWord[]>()
  const wordsIn = (language: Language): readonly QuestionWord[] => {
    const words = corrected.get(language) ?? addSimilarTerms(question.wordsIn(language), vocabulary)
    corrected.set(language, words)
    return words
  }
  const weigh = inverseFrequency(groups.flatMap(({ candidates }) => candidates.map((it) => it.terms)))
  const statements = groups.flatMap((group, rank) =>
    scorePassage(question, group, rank, wordsIn(group.language), weigh),
  )
  return {
    statements: statements.sort((one, other) => other.score - one.score),
    support: measureSupport(question, groups, wordsIn),
  }
}

function readPassage<P extends QuotablePassage>(passage: P): PassageStatements<P> {
  const { text, document } = passage
  const language = detectLanguage(text)
  // A lead and a sentence before are those of several statements.
  const known = new Map<string, ReadonlySet<string>>()
  const termsOf = (part: string): ReadonlySet<string> => {
    const terms = known.get(part) ?? new Set(extractTerms(part, language))
    known.set(part, terms)
    return terms
  }
  const found = findStatements(text.trim() === '' ? document.semantic_identifier : text, language)
  const candidates = withPairs(found).map((it) => ({
    ...it,
    terms: termsOf(it.text),
    leadTerms: termsOf(it.lead),
    beforeTerms: termsOf(it.before),
  }))
  const title = termsOf(document.semantic_identifier)
  return { passage, language, title, candidates, all: new Set([...title, ...termsOf(text)]) }
}

/** Two sentences in a row may answer together what neither answers alone. */
function withPairs(statements: readonly Statement[]): (Statement & { isPair: boolean })[] {
  return statements.flatMap((it, at) => {
    const single = { ...it, isPair: false }
    const next = statements[at + 1]
    if (it.form !== 'sentence' || next?.form !== 'sentence' || next.before !== it.text) return [single]
    const text = `${it.text} ${next.text}`
    return text.split(' ').length > MAX_PAIR_WORDS ? [single] : [single, { ...it, text, isPair: true }]
  })
}

function scorePassage<P>(
  question: Question,
  { passage, title, candidates, all }: PassageStatements<P>,
  rank: number,
  words: readonly QuestionWord[],
  weigh: Weigh,
): ScoredStatement<P>[] {
  const ofPassage = WEIGHTS.whole * matchedShare(words, [[all, 1]], weigh)
  const place = (isLongQuestion(countSubjectWords(words)) ? PLACE.long : PLACE.short) / (1 + rank)
  return candidates.map(({ leadTerms, beforeTerms, isPair, ...statement }) => {
    const { terms } = statement
    const own = matchedShare(words, [[terms, 1]], weigh)
    const places: Place[] = [
      [terms, 1],
      [leadTerms, CREDIT.lead],
      [beforeTerms, CREDIT.before],
      [title, CREDIT.title],
    ]
    const covered = matchedShare(words, places, weigh)
    const fit = fitOf(question, statement)
    const content =
      WEIGHTS.own * own +
      (WEIGHTS.covered + WEIGHTS.fit * fit) * covered +
      WEIGHTS.pairs * matchedPairShare(words, terms) +
      ofPassage +
      (statement.start === 0 ? WEIGHTS.beginning : 0)
    const form = readability(statement) * standsAlone(question.kind, statement, fit) * (isPair ? PAIR_FACTOR : 1)
    const needsLead = words.some((it) => it.weight === 1 && matchOf(it, leadTerms) > matchOf(it, terms))
    return { ...statement, passage, covered, fit, needsLead, score: content * form + place }
  })
}

function measureSupport(
  question: Question,
  groups: readonly PassageStatements<unknown>[],
  wordsIn: (language: Language) => readonly QuestionWord[],
): Support {
  const first = groups[0]?.language ?? question.language
  const words = wordsIn(first).filter((it) => it.weight === 1)
  const seen = words.filter((word) => groups.some(({ all }) => matchOf(word, all) > 0)).length
  const shares = groups.map(({ all, language }) => matchedShare(wordsIn(language), [[all, 1]], (it) => it.weight))
  return {
    whole: Math.max(0, ...shares),
    seen: words.length === 0 ? 0 : seen / words.length,
    words: words.length,
    isForeign: first !== question.language,
  }
}

type Weigh = (word: QuestionWord) => number
type Place = readonly [terms: ReadonlySet<string>, credit: number]

/** A word that few statements contain weighs more. */
function inverseFrequency(all: readonly ReadonlySet<string>[]): Weigh {
  const counts = new Map<string, number>()
  for (const terms of all) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const mostFrequent = (terms: readonly string[]) => Math.max(0, ...terms.map((it) => counts.get(it) ?? 0))
  const weights = new Map<QuestionWord, number>()
  return (word) => {
    const known = weights.get(word)
    if (known !== undefined) return known
    const weight = word.weight * Math.log(1 + all.length / (1 + mostFrequent(word.terms)))
    weights.set(word, weight)
    return weight
  }
}

function matchedShare(words: readonly QuestionWord[], places: readonly Place[], weigh: Weigh): number {
  let sum = 0
  let held = 0
  for (const word of words) {
    const weight = weigh(word)
    sum += weight
    held += weight * Math.max(0, ...places.map(([terms, credit]) => credit * matchOf(word, terms)))
  }
  return sum === 0 ? 0 : held / sum
}

/** A compound that does not occur as such counts by its parts. */
function matchOf({ terms, parts }: QuestionWord, found: ReadonlySet<string>): number {
  if (terms.some((it) => found.has(it))) return 1
  const held = parts.filter((part) => part.some((it) => found.has(it)))
  return parts.length === 0 ? 0 : (CREDIT.parts * held.length) / parts.length
}

/** The share of neighbouring words of the question that both occur. */
function matchedPairShare(words: readonly QuestionWord[], terms: ReadonlySet<string>): number {
  const pairs = words.slice(1).filter((it, at) => holds(it, terms) && holds(words[at], terms))
  return words.length < 2 ? 0 : pairs.length / (words.length - 1)
}

const holds = (word: QuestionWord | undefined, terms: ReadonlySet<string>): boolean =>
  word?.terms.some((it) => terms.has(it)) === true

function readability({ form, text, terms }: Statement & { terms: ReadonlySet<string> }): number {
  if (form === 'row') return 1
  const { least, most } = READABLE_WORDS
  if (terms.size < least) return (1 + terms.size) / (2 + least)
  const length = text.split(' ').length
  return length > most ? most / length : 1
}
