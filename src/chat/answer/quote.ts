// Selects the sentences for an extractive answer: those that match the question best, verbatim.
import type { Passage } from '../../domain/chat/passage.ts'
import { extractTerms } from '../../text/analyze.ts'
import { detectLanguage, type Language } from '../../text/language.ts'
import { type QueryWord, queryTerms } from '../../text/query-terms.ts'
import { findSentences } from '../../text/sentences.ts'

export interface Quote<P> {
  passage: P
  /** A sentence of the passage with its lines joined; the title of a document that has no text. */
  text: string
}

type QuotablePassage = Pick<Passage, 'text' | 'document'>

export const MAX_QUOTES = 5
const MIN_QUOTES = 2

/** `passages` come best first. Quotes of one document stay together, the best document first. */
export function selectQuotes<P extends QuotablePassage>(question: string, passages: readonly P[]): Quote<P>[] {
  const candidates = scoreCandidates(question, passages)
  const chosen: QuoteCandidate<P>[] = []
  while (chosen.length < MAX_QUOTES) {
    const next = bestAddition(candidates, chosen)
    if (next === undefined) break
    const [best = next] = chosen
    if (chosen.length >= MIN_QUOTES && next.score < MIN_RELATIVE_SCORE * best.score) break
    chosen.push(next)
  }
  return groupByDocument(chosen).map(({ passage, text }) => ({ passage, text }))
}

interface QuoteCandidate<P> extends Quote<P> {
  start: number
  /** The rank of the passage. */
  rank: number
  terms: ReadonlySet<string>
  score: number
}

/** Weights of the score components, all between 0 and 1; tuned by `npm run eval -- answers`, see docs/answers.md. */
const WEIGHTS = { words: 1, pairs: 0.3, surroundings: 0.5, place: 1, beginning: 0.05 }
/** Shorter sentences are headings and captions, longer ones tables and lists. */
const READABLE_WORDS = { least: 5, most: 60 }
/** A quote that scores less than this share of the best one is dropped. */
const MIN_RELATIVE_SCORE = 0.35
/** A sentence must match at least this share of what the best sentence of its passage matches. */
const MIN_SHARE_OF_BEST = 0.5
/** The factor for each further sentence of one document: several documents are more reliable than one. */
const REPEATED_DOCUMENT_FACTOR = 0.6
/** The largest overlap with a quote that is already chosen. */
const MAX_TERM_OVERLAP = 0.7

function scoreCandidates<P extends QuotablePassage>(question: string, passages: readonly P[]): QuoteCandidate<P>[] {
  const questions = new Map<Language, QueryWord[]>()
  const wordsIn = (language: Language): QueryWord[] => {
    const words = questions.get(language) ?? distinctWords(queryTerms(question, [language]))
    questions.set(language, words)
    return words
  }
  const groups = passages.map((passage, rank) => {
    const language = detectLanguage(passage.text)
    return { passage, rank, language, candidates: sentenceCandidates(passage, rank, language) }
  })
  const weigh = inverseFrequency(groups.flatMap((it) => it.candidates))
  return groups.flatMap(({ passage, rank, language, candidates }) => {
    const words = wordsIn(language)
    const titleTerms = extractTerms(passage.document.semantic_identifier, language)
    const around = new Set([...titleTerms, ...candidates.flatMap((it) => [...it.terms])])
    const whole = WEIGHTS.surroundings * matchedShare(words, around, weigh)
    const place = WEIGHTS.place / (1 + rank)
    const matched = candidates.map((candidate) => ({ candidate, share: matchedShare(words, candidate.terms, weigh) }))
    const least = MIN_SHARE_OF_BEST * Math.max(...matched.map((it) => it.share))
    return matched.flatMap(({ candidate, share }) => {
      if (share < least) return []
      const own = WEIGHTS.words * share
      const pairs = WEIGHTS.pairs * matchedPairShare(words, candidate.terms)
      const beginning = candidate.start === 0 ? WEIGHTS.beginning : 0
      return [{ ...candidate, score: place + (own + pairs + whole + beginning) * readability(candidate) }]
    })
  })
}

const distinctWords = (words: readonly QueryWord[]): QueryWord[] => [
  ...new Map(words.map((it) => [it.terms.join(' '), it])).values(),
]

function sentenceCandidates<P extends QuotablePassage>(
  passage: P,
  rank: number,
  language: Language,
): QuoteCandidate<P>[] {
  const text = passage.text.trim() === '' ? passage.document.semantic_identifier : joinWrappedLines(passage.text)
  return findSentences(text, language).map(({ start, end }) => {
    const sentence = text.slice(start, end).replace(/\s+/g, ' ')
    return { passage, text: sentence, start, rank, terms: new Set(extractTerms(sentence, language)), score: 0 }
  })
}

/** Joins a line that was wrapped in the middle of a sentence with the next one. */
const joinWrappedLines = (text: string): string => text.replace(/(?<=[\p{L}\p{N},;–-])\n(?=\p{Ll})/gu, ' ')

/** A word that few sentences contain weighs more. */
function inverseFrequency(all: readonly QuoteCandidate<QuotablePassage>[]): (terms: readonly string[]) => number {
  const counts = new Map<string, number>()
  for (const { terms } of all) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return (terms) => Math.log(1 + all.length / (1 + Math.max(...terms.map((it) => counts.get(it) ?? 0))))
}

function matchedShare(
  words: readonly QueryWord[],
  terms: ReadonlySet<string>,
  weigh: (terms: readonly string[]) => number,
): number {
  let sum = 0
  let held = 0
  for (const word of words) {
    const weight = weigh(word.terms)
    sum += weight
    if (word.terms.some((it) => terms.has(it))) held += weight
  }
  return sum === 0 ? 0 : held / sum
}

/** The share of word pairs of the question whose words both occur. */
function matchedPairShare(words: readonly QueryWord[], terms: ReadonlySet<string>): number {
  const holds = (it: QueryWord | undefined) => it?.terms.some((term) => terms.has(term)) === true
  const pairs = words.slice(1).filter((it, at) => holds(it) && holds(words[at]))
  return words.length < 2 ? 0 : pairs.length / (words.length - 1)
}

function readability({ terms }: QuoteCandidate<QuotablePassage>): number {
  const { least, most } = READABLE_WORDS
  if (terms.size < least) return (1 + terms.size) / (2 + least)
  return terms.size > most ? most / terms.size : 1
}

/** The best candidate that adds something to the chosen ones. */
function bestAddition<P extends QuotablePassage>(
  candidates: readonly QuoteCandidate<P>[],
  chosen: readonly QuoteCandidate<P>[],
): QuoteCandidate<P> | undefined {
  let best: QuoteCandidate<P> | undefined
  const counts = new Map<string, number>()
  for (const { passage } of chosen) {
    const id = passage.document.document_id
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  for (const it of candidates) {
    const score = it.score * REPEATED_DOCUMENT_FACTOR ** (counts.get(it.passage.document.document_id) ?? 0)
    if (it.terms.size === 0 || (best !== undefined && score <= best.score)) continue
    if (chosen.every((other) => termOverlap(it.terms, other.terms) < MAX_TERM_OVERLAP)) best = { ...it, score }
  }
  return best
}

function termOverlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = one.intersection(other).size
  return shared / Math.max(1, Math.min(one.size, other.size))
}

function groupByDocument<P extends QuotablePassage>(chosen: readonly QuoteCandidate<P>[]): QuoteCandidate<P>[] {
  const groups = Map.groupBy(chosen, (it) => it.passage.document.document_id)
  return [...groups.values()].flatMap((it) => it.sort((a, b) => a.rank - b.rank || a.start - b.start))
}
