// Does a sentence rest on a passage? By its words, its numbers, and what it puts into quotation marks.
import type { Passage } from '../domain/passage.ts'
import { termsOf } from '../text/analyze.ts'
import { detectLanguage, type Language } from '../text/language.ts'
import { queryTerms } from '../text/query-terms.ts'
import { sentences } from '../text/sentences.ts'

/** What a passage says, looked up quickly. Title and date count: a model is shown them, too. */
export interface Evidence {
  language: Language
  terms: ReadonlySet<string>
  numbers: readonly number[]
  plain: string
}

export function evidenceOf({ text, document }: Pick<Passage, 'text' | 'document'>): Evidence {
  const language = detectLanguage(text)
  const whole = [document.semantic_identifier, document.updated_at ?? '', text].join('\n')
  return {
    language,
    terms: new Set(termsOf(whole, language)),
    numbers: numbersIn(whole).flatMap((it) => it.values),
    plain: plainText(whole),
  }
}

export interface Word {
  terms: readonly string[]
}

/** The telling words of a text, each once, by which a passage in that language is looked at. */
export function tellingWords(text: string, language: Language): Word[] {
  const words = queryTerms(text, [language]).filter((it) => /\p{L}/u.test(it.word) || it.word.length > 1)
  return [...new Map(words.map((it) => [it.terms.join(' '), it])).values()]
}

/** The share of the words that the passage holds, the ones that few of the passages hold counting most. */
export function coverage(words: readonly Word[], evidence: Evidence, all: readonly Evidence[]): number {
  let held = 0
  let sum = 0
  for (const { terms } of words) {
    const holds = (it: Evidence) => terms.some((term) => it.terms.has(term))
    const weight = Math.log(1 + all.length / Math.max(1, all.filter(holds).length))
    sum += weight
    if (holds(evidence)) held += weight
  }
  return sum === 0 ? 0 : held / sum
}

interface Figure {
  /** As it may be read: "1.234" is two numbers. */
  values: readonly number[]
  decimals: number
}

function numbersIn(text: string): Figure[] {
  return [...text.normalize('NFKC').matchAll(/\d[\d.,'’]*\d|\d/g)].flatMap(([digits]) => figuresOf(digits))
}

function figuresOf(digits: string): Figure[] {
  if (/^\d+$/.test(digits)) return [{ values: [Number(digits)], decimals: 0 }]
  const plain = Number(digits.replace(/[.,'’]/g, ''))
  const decimal = /^\d+[.,]\d+$/.test(digits) ? Number(digits.replace(',', '.')) : null
  const isGrouped = /^\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*$/.test(digits)
  if (isGrouped) return [{ values: decimal === null ? [plain] : [plain, decimal], decimals: 0 }]
  if (decimal !== null) return [{ values: [decimal], decimals: digits.length - digits.search(/[.,]/) - 1 }]
  const mixed = /^([\d,'’]+)\.(\d+)$|^([\d.'’]+),(\d+)$/.exec(digits)
  if (mixed !== null && /^\d{1,3}(?:[.,'’]\d{3})+$/.test(mixed[1] ?? mixed[3]!)) {
    const fraction = mixed[2] ?? mixed[4]!
    return [
      { values: [Number(`${(mixed[1] ?? mixed[3]!).replace(/\D/g, '')}.${fraction}`)], decimals: fraction.length },
    ]
  }
  // A date or a version: each part by itself.
  return digits.split(/\D/).map((it) => ({ values: [Number(it)], decimals: 0 }))
}

/** Nobody copies these: "three steps", "the first two". */
const COUNTED = 10

/**
 * Whether each number of the sentence stands in one of the passages, exact or rounded to the digits that are shown, in
 * thousands, millions or percent too. `also`: text whose numbers need no passage.
 */
export function numbersHold(sentence: string, evidences: readonly Evidence[], also: string): boolean {
  const known = [...evidences.flatMap((it) => it.numbers), ...numbersIn(also).flatMap((it) => it.values)]
  return numbersIn(withoutOrdinals(sentence)).every(({ values, decimals }) =>
    values.some((value) => (value <= COUNTED && decimals === 0) || known.some((it) => isRounded(it, value, decimals))),
  )
}

const withoutOrdinals = (text: string): string => text.replace(/^[ \t]*\d{1,3}[.)](?=\s)/gm, '')

const SCALES = [1, 1e3, 1e6, 1e9, 0.01]

function isRounded(exact: number, shown: number, decimals: number): boolean {
  if (exact === shown) return true
  const half = 0.5 * 10 ** -decimals * (1 + 1e-9)
  return SCALES.some((scale) => Math.abs(exact / scale - shown) <= half)
}

const QUOTED = [
  /“([^“”]{2,1000})”/g,
  /„([^„“”]{2,1000})[“”]/g,
  /«([^«»]{2,1000})»/g,
  /[「『]([^「」『』]{2,1000})[」』]/g,
  /(?<=^|[\s([—–-])"(?=\S)([^"\n]{2,1000})(?<=\S)"(?=$|[\s.,;:!?)\]—–-])/gm,
]

export interface Quoted {
  text: string
  end: number
}

/** What stands in quotation marks and is more than a word. */
export function quotedIn(text: string): Quoted[] {
  return QUOTED.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((it) => ({ text: it[1]!, end: it.index + it[0].length })),
  ).filter(
    (it) => plainText(it.text).includes(' ') || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]{6}/u.test(it.text),
  )
}

/** Whether the passage says it word for word; "…" leaves something out. */
export function isQuoteOf(quoted: string, { plain }: Evidence): boolean {
  let from = 0
  for (const part of quoted.split(/\[?(?:…|\.{3})\]?/).map(plainText)) {
    const at = plain.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return true
}

/** As people take two spellings for the same: case, kinds of dashes and quotes, marks of emphasis, punctuation at the ends. */
const plainText = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
    .replace(/[*_`\\]/g, '')
    .replace(/\[|\(/g, '(')
    .replace(/\]|\)/g, ')')
    .replace(/[‐-―−]/g, '-')
    .replace(/["'‘’‚“”„«»]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^[\s.,;:!?]+|[\s.,;:!?]+$/g, '')

const MAX_QUOTE = 400

/** The sentence of the passage that holds most of these words; of equals, the first. */
export function bestSentence(words: readonly Word[], text: string, language: Language): string {
  let best = { text: '', score: -1 }
  for (const { start, end } of sentences(text, language)) {
    const sentence = text.slice(start, end)
    const terms = new Set(termsOf(sentence, language))
    const held = words.filter((it) => it.terms.some((term) => terms.has(term))).length
    const score = held / Math.sqrt(8 + terms.size)
    if (score > best.score) best = { text: sentence, score }
  }
  return shortened(best.text, MAX_QUOTE)
}

/** Cut at a space, with a sign that it goes on. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  const space = text.lastIndexOf(' ', max - 1)
  return `${text
    .slice(0, space > max / 2 ? space : max - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}
