// Decides whether a sentence is supported by a passage: by its words, its numbers, and its quotations.

import type { Passage } from '../../domain/chat/passage.ts'
import { trimCharacters } from '../../domain/values/trim.ts'
import { extractTerms } from '../../text/analyze.ts'
import { detectLanguage, type Language } from '../../text/language.ts'
import { queryTerms } from '../../text/query-terms.ts'
import { findSentences } from '../../text/sentences.ts'

/** The content of a passage, indexed for lookup. Title and date count, because the model sees them, too. */
export interface Evidence {
  language: Language
  terms: ReadonlySet<string>
  /** Prefixes of the terms that are long enough. */
  prefixes: ReadonlySet<string>
  numbers: readonly NumberInContext[]
  normalizedText: string
}

const PREFIX_LENGTH = 5

export function createEvidence({ text, document }: Pick<Passage, 'text' | 'document'>): Evidence {
  const language = detectLanguage(text)
  const head = `${document.semantic_identifier}\n${document.updated_at?.slice(0, 10) ?? ''}`
  const whole = `${head}\n${text}`
  const terms = new Set(extractTerms(whole, language))
  return {
    language,
    terms,
    prefixes: new Set([...terms].filter((it) => it.length >= PREFIX_LENGTH).map((it) => it.slice(0, PREFIX_LENGTH))),
    numbers: [...numbersInContext(head, null), ...sentenceNumbers(text, language)],
    normalizedText: normalizeForComparison(whole),
  }
}

export interface InformativeWord {
  terms: readonly string[]
}

/** The informative words of a text, each once, analysed in the language of the passage. */
export function informativeWords(text: string, language: Language): InformativeWord[] {
  const words = queryTerms(text, [language]).filter((it) => /\p{L}/u.test(it.word) || it.word.length > 1)
  return [...new Map(words.map((it) => [it.terms.join(' '), it])).values()]
}

/** Another form of a word ("infect", "infection") counts nearly as much. */
const PREFIX_MATCH_SCORE = 0.8
/** A word that no passage contains carries little weight: the model may have paraphrased. */
const UNSEEN_WORD_WEIGHT = 0.7

/** The share of the words that the passage contains; words that few passages contain weigh most. */
export function coverage(words: readonly InformativeWord[], evidence: Evidence, all: readonly Evidence[]): number {
  let held = 0
  let sum = 0
  for (const word of words) {
    const holders = all.filter((it) => matchScore(word, it) > 0).length
    const weight = holders === 0 ? UNSEEN_WORD_WEIGHT : Math.log(1 + all.length / holders)
    sum += weight
    held += weight * matchScore(word, evidence)
  }
  return sum === 0 ? 0 : held / sum
}

function matchScore({ terms }: InformativeWord, evidence: Evidence): number {
  if (terms.some((it) => evidence.terms.has(it))) return 1
  return terms.some((it) => it.length >= PREFIX_LENGTH && evidence.prefixes.has(it.slice(0, PREFIX_LENGTH)))
    ? PREFIX_MATCH_SCORE
    : 0
}

/** A number in a passage and the terms near it; null if it belongs to the whole passage. */
interface NumberInContext {
  value: number
  nearbyTerms: ReadonlySet<string> | null
}

const numbersInContext = (text: string, nearbyTerms: NumberInContext['nearbyTerms']): NumberInContext[] =>
  parseNumbers(text).flatMap(({ values }) => values.map((value) => ({ value, nearbyTerms })))

/** A table cell or list item is described by its neighbours. */
const FRAGMENT_WORDS = 6

function sentenceNumbers(text: string, language: Language): NumberInContext[] {
  const all = findSentences(text, language).map((it) => text.slice(it.start, it.end))
  return all.flatMap((sentence, at) => {
    if (!/\d/.test(sentence)) return []
    const own = extractTerms(sentence, language)
    const isLone = own.length < FRAGMENT_WORDS
    const around = isLone ? extractTerms(all.slice(Math.max(0, at - 2), at + 3).join('\n'), language) : own
    return numbersInContext(sentence, new Set(around))
  })
}

interface ParsedNumber {
  /** All possible readings: "1.234" can be two numbers. */
  values: readonly number[]
  decimals: number
}

function parseNumbers(text: string): ParsedNumber[] {
  return [...text.normalize('NFKC').matchAll(/\d[\d.,'’]*\d|\d/g)].flatMap(([digits]) => parseNumber(digits))
}

function parseNumber(digits: string): ParsedNumber[] {
  if (/^\d+$/.test(digits)) return [{ values: [Number(digits)], decimals: 0 }]
  const plain = Number(digits.replace(/[.,'’]/g, ''))
  const decimal = /^\d+[.,]\d+$/.test(digits) ? Number(digits.replace(',', '.')) : null
  const isGrouped = /^\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*$/.test(digits)
  if (isGrouped) return [{ values: decimal === null ? [plain] : [plain, decimal], decimals: 0 }]
  if (decimal !== null) return [{ values: [decimal], decimals: digits.length - digits.search(/[.,]/) - 1 }]
  const [, whole, fraction] = /^([\d,'’]+)\.(\d+)$/.exec(digits) ?? /^([\d.'’]+),(\d+)$/.exec(digits) ?? []
  if (whole !== undefined && fraction !== undefined && /^\d{1,3}(?:[.,'’]\d{3})+$/.test(whole)) {
    return [{ values: [Number(`${whole.replace(/\D/g, '')}.${fraction}`)], decimals: fraction.length }]
  }
  // A date or a version: each part by itself.
  return digits.split(/\D/).map((it) => ({ values: [Number(it)], decimals: 0 }))
}

/** Small counts such as "three steps" need no evidence. */
const MAX_UNCHECKED_NUMBER = 10

/**
 * Whether each number of the sentence occurs in one of the passages near another word of the sentence. Numbers may be
 * rounded to the digits shown, and scaled to thousands, millions or percent. Numbers in `also` need no evidence.
 */
export function areNumbersSupported(sentence: string, evidences: readonly Evidence[], also: string): boolean {
  const known = [...numbersInContext(also, null), ...evidences.flatMap((it) => relevantNumbers(sentence, it))]
  return parseNumbers(withoutOrdinals(sentence)).every(({ values, decimals }) =>
    values.some(
      (value) =>
        (value <= MAX_UNCHECKED_NUMBER && decimals === 0) || known.some((it) => isRounded(it.value, value, decimals)),
    ),
  )
}

function relevantNumbers(sentence: string, { numbers, language, terms }: Evidence): NumberInContext[] {
  const words = informativeWords(sentence, language).filter(({ terms: own }) => own.some((it) => terms.has(it)))
  const spoken = words.flatMap((it) => it.terms).filter((it) => /\p{L}/u.test(it))
  // A sentence that shares no word with the whole passage is in another language.
  if (spoken.length === 0) return [...numbers]
  return numbers.filter(({ nearbyTerms }) => nearbyTerms === null || spoken.some((it) => nearbyTerms.has(it)))
}

const withoutOrdinals = (text: string): string => text.replace(/^[ \t]*\d{1,3}[.)](?=\s)/gm, '')

const SCALES = [1, 1e3, 1e6, 1e9]
/** 0.25 is 25 %. */
const PERCENT = 0.01

function isRounded(exact: number, shown: number, decimals: number): boolean {
  if (exact === shown) return true
  const half = 0.5 * 10 ** -decimals * (1 + 1e-9)
  const scales = Number.isInteger(exact) ? SCALES : [...SCALES, PERCENT]
  return scales.some((scale) => Math.abs(exact / scale - shown) <= half)
}

const QUOTED = [
  /“([^“”]{2,1000})”/g,
  /„([^„“”]{2,1000})[“”]/g,
  /«([^«»]{2,1000})»/g,
  /[「『]([^「」『』]{2,1000})[」』]/g,
]

export interface Quotation {
  text: string
  end: number
}

/** Quotations of more than one word. */
export function findQuotations(text: string): Quotation[] {
  const quoted = QUOTED.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: quotation, 1: quoted = '', index }) => ({
      text: quoted,
      end: index + quotation.length,
    })),
  )
  return [...quoted, ...findStraightQuotations(text)].filter(
    (it) =>
      normalizeForComparison(it.text).includes(' ') ||
      /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]{6}/u.test(it.text),
  )
}

/** A straight quotation mark opens where no word ends, and closes where no word begins. */
function findStraightQuotations(text: string): Quotation[] {
  const found: Quotation[] = []
  let from = 0
  for (const { 0: part, index } of text.matchAll(/"[^"\n]*(?=")/g)) {
    const [inside, end] = [part.slice(1), index + part.length + 1]
    const isOpen = /[\s([—–-]/.test(text[index - 1] ?? ' ') && /[\s.,;:!?)\]—–-]/.test(text[end] ?? ' ')
    const isOne = inside.length >= 2 && inside.length <= 1_000 && inside.trim() === inside
    if (index < from || !isOpen || !isOne) continue
    found.push({ text: inside, end })
    from = end
  }
  return found
}

/** Whether the passage contains the quotation verbatim; "…" marks an omission. */
export function containsQuotation(quoted: string, { normalizedText }: Evidence): boolean {
  let from = 0
  for (const part of quoted.split(/\[?(?:…|\.{3})\]?/).map(normalizeForComparison)) {
    const at = normalizedText.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return true
}

/** Ignores differences in case, dashes, quotation marks, emphasis, and punctuation at the ends. */
const normalizeForComparison = (text: string): string =>
  trimCharacters(
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .toLowerCase()
      .replace(/[*_`\\]/g, '')
      .replace(/\[|\(/g, '(')
      .replace(/\]|\)/g, ')')
      .replace(/[‐-―−]/g, '-')
      .replace(/["'‘’‚“”„«»]/g, "'")
      .replace(/\s+/g, ' '),
    ' .,;:!?',
  )

const MAX_QUOTE = 400

/** The sentence of the passage that contains most of these words; the first one on a tie. */
export function bestSentence(words: readonly InformativeWord[], text: string, language: Language): string {
  let best = { text: '', score: -1 }
  for (const { start, end } of findSentences(text, language)) {
    const sentence = text.slice(start, end)
    const terms = new Set(extractTerms(sentence, language))
    const held = words.filter((it) => it.terms.some((term) => terms.has(term))).length
    const score = held / Math.sqrt(8 + terms.size)
    if (score > best.score) best = { text: sentence, score }
  }
  return truncateText(best.text, MAX_QUOTE)
}

/** Cuts at a space and appends an ellipsis. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text
  const space = text.lastIndexOf(' ', max - 1)
  return `${text
    .slice(0, space > max / 2 ? space : max - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}
