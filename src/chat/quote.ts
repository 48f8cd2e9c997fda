// An answer without a language model: the sentences that fit the question best, word for word.
import type { Passage } from '../domain/passage.ts'
import { termsOf } from '../text/analyze.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { type QueryWord, queryTerms } from '../text/query-terms.ts'
import { sentences } from '../text/sentences.ts'

export interface Quote<P> {
  passage: P
  /** A sentence of the passage, lines joined; of a document that has nothing else, its title. */
  text: string
}

type Quotable = Pick<Passage, 'text' | 'document'>

export const MOST_QUOTES = 5
const LEAST_QUOTES = 2

/** `passages` best first. Those of one document come together, the best document first. */
export function quotesFor<P extends Quotable>(question: string, passages: readonly P[]): Quote<P>[] {
  const candidates = scored(question, passages)
  const chosen: Candidate<P>[] = []
  while (chosen.length < MOST_QUOTES) {
    const next = bestBeside(candidates, chosen)
    if (next === undefined) break
    if (chosen.length >= LEAST_QUOTES && next.score < WORTH_SAYING * chosen[0]!.score) break
    chosen.push(next)
  }
  return byDocument(chosen).map(({ passage, text }) => ({ passage, text }))
}

interface Candidate<P> extends Quote<P> {
  start: number
  /** Of its passage. */
  rank: number
  terms: ReadonlySet<string>
  score: number
}

/** What each of these is worth, all between 0 and 1; tuned by `npm run eval -- answers`, see docs/answers.md. */
const WEIGHTS = { words: 1, pairs: 0.3, surroundings: 0.5, place: 1, beginning: 0.05 }
/** Shorter ones are headings and captions, longer ones tables and lists. */
const READABLE_WORDS = { least: 5, most: 60 }
/** A quote that is worth less beside the best one is not shown. */
const WORTH_SAYING = 0.35
/** A sentence that holds less of the question than this share of what the passage's best one holds says something else. */
const ANSWERING = 0.5
/** What another sentence of the same document is worth: several documents answer more surely than one. */
const SECOND_OF_DOCUMENT = 0.6
/** How much of what a sentence says may have been said. */
const SAME = 0.7

function scored<P extends Quotable>(question: string, passages: readonly P[]): Candidate<P>[] {
  const languages = passages.map((it) => detectLanguage(it.text))
  const questions = new Map([...new Set(languages)].map((it) => [it, distinct(queryTerms(question, [it]))]))
  const groups = passages.map((passage, rank) => candidatesOf(passage, rank, languages[rank]!))
  const weigh = rarity(groups.flat())
  return groups.flatMap((candidates, rank) => {
    const words = questions.get(languages[rank]!)!
    const titleTerms = termsOf(passages[rank]!.document.semantic_identifier, languages[rank]!)
    const around = new Set([...titleTerms, ...candidates.flatMap((it) => [...it.terms])])
    const whole = WEIGHTS.surroundings * share(words, around, weigh)
    const place = WEIGHTS.place / (1 + rank)
    const shares = candidates.map((it) => share(words, it.terms, weigh))
    const least = ANSWERING * Math.max(...shares)
    return candidates.flatMap((candidate, at) => {
      if (shares[at]! < least) return []
      const own = WEIGHTS.words * shares[at]!
      const pairs = WEIGHTS.pairs * pairShare(words, candidate.terms)
      const beginning = candidate.start === 0 ? WEIGHTS.beginning : 0
      return [{ ...candidate, score: place + (own + pairs + whole + beginning) * readability(candidate) }]
    })
  })
}

const distinct = (words: readonly QueryWord[]): QueryWord[] => [
  ...new Map(words.map((it) => [it.terms.join(' '), it])).values(),
]

function candidatesOf<P extends Quotable>(passage: P, rank: number, language: Language): Candidate<P>[] {
  const text = passage.text.trim() === '' ? passage.document.semantic_identifier : unwrapped(passage.text)
  return sentences(text, language).map(({ start, end }) => {
    const sentence = text.slice(start, end).replace(/\s+/g, ' ')
    return { passage, text: sentence, start, rank, terms: new Set(termsOf(sentence, language)), score: 0 }
  })
}

/** A line that was broken in the middle of a sentence goes on in the next one. */
const unwrapped = (text: string): string => text.replace(/(?<=[\p{L}\p{N},;–-])\n(?=\p{Ll})/gu, ' ')

/** A word that few sentences hold tells more. */
function rarity(all: readonly Candidate<Quotable>[]): (terms: readonly string[]) => number {
  const counts = new Map<string, number>()
  for (const { terms } of all) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return (terms) => Math.log(1 + all.length / (1 + Math.max(...terms.map((it) => counts.get(it) ?? 0))))
}

function share(
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

/** Words that stand beside each other in the question and are both there. */
function pairShare(words: readonly QueryWord[], terms: ReadonlySet<string>): number {
  const holds = (it: QueryWord | undefined) => it?.terms.some((term) => terms.has(term)) === true
  const pairs = words.slice(1).filter((it, at) => holds(it) && holds(words[at]))
  return words.length < 2 ? 0 : pairs.length / (words.length - 1)
}

function readability({ terms }: Candidate<Quotable>): number {
  const { least, most } = READABLE_WORDS
  if (terms.size < least) return (1 + terms.size) / (2 + least)
  return terms.size > most ? most / terms.size : 1
}

/** The best one that says something beside what is chosen. */
function bestBeside<P extends Quotable>(
  candidates: readonly Candidate<P>[],
  chosen: readonly Candidate<P>[],
): Candidate<P> | undefined {
  let best: Candidate<P> | undefined
  const counts = new Map<string, number>()
  for (const { passage } of chosen) {
    const id = passage.document.document_id
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  for (const it of candidates) {
    const score = it.score * SECOND_OF_DOCUMENT ** (counts.get(it.passage.document.document_id) ?? 0)
    if (it.terms.size === 0 || (best !== undefined && score <= best.score)) continue
    if (chosen.every((other) => sameness(it.terms, other.terms) < SAME)) best = { ...it, score }
  }
  return best
}

function sameness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = one.intersection(other).size
  return shared / Math.max(1, Math.min(one.size, other.size))
}

function byDocument<P extends Quotable>(chosen: readonly Candidate<P>[]): Candidate<P>[] {
  const groups = Map.groupBy(chosen, (it) => it.passage.document.document_id)
  return [...groups.values()].flatMap((it) => it.sort((a, b) => a.rank - b.rank || a.start - b.start))
}
