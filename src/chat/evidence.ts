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
  /** Of those terms that are long enough. */
  beginnings: ReadonlySet<string>
  numbers: readonly Known[]
  plain: string
}

const BEGINNING = 5

export function evidenceOf({ text, document }: Pick<Passage, 'text' | 'document'>): Evidence {
  const language = detectLanguage(text)
  const head = `${document.semantic_identifier}\n${document.updated_at?.slice(0, 10) ?? ''}`
  const whole = `${head}\n${text}`
  const terms = new Set(termsOf(whole, language))
  return {
    language,
    terms,
    beginnings: new Set([...terms].filter((it) => it.length >= BEGINNING).map((it) => it.slice(0, BEGINNING))),
    numbers: [...knownIn(head, null), ...sentenceNumbers(text, language)],
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

/** What is told in other forms of a word ("infect", "infection") tells nearly as much. */
const KINDRED = 0.8
/** A word that no passage holds tells little: the writer chose another one. */
const UNKNOWN = 0.7

/** The share of the words that the passage holds, the ones that few of the passages hold counting most. */
export function coverage(words: readonly Word[], evidence: Evidence, all: readonly Evidence[]): number {
  let held = 0
  let sum = 0
  for (const word of words) {
    const holders = all.filter((it) => likeness(word, it) > 0).length
    const weight = holders === 0 ? UNKNOWN : Math.log(1 + all.length / holders)
    sum += weight
    held += weight * likeness(word, evidence)
  }
  return sum === 0 ? 0 : held / sum
}

function likeness({ terms }: Word, evidence: Evidence): number {
  if (terms.some((it) => evidence.terms.has(it))) return 1
  return terms.some((it) => it.length >= BEGINNING && evidence.beginnings.has(it.slice(0, BEGINNING))) ? KINDRED : 0
}

/** A number of a passage, and the words among which it stands; null: it is of all of them. */
interface Known {
  value: number
  around: ReadonlySet<string> | null
}

const knownIn = (text: string, around: Known['around']): Known[] =>
  numbersIn(text).flatMap(({ values }) => values.map((value) => ({ value, around })))

/** A cell of a table or a line of a list is told about by its neighbours. */
const LONE_WORDS = 6

function sentenceNumbers(text: string, language: Language): Known[] {
  const all = sentences(text, language).map((it) => text.slice(it.start, it.end))
  return all.flatMap((sentence, at) => {
    if (!/\d/.test(sentence)) return []
    const own = termsOf(sentence, language)
    const isLone = own.length < LONE_WORDS
    const around = isLone ? termsOf(all.slice(Math.max(0, at - 2), at + 3).join('\n'), language) : own
    return knownIn(sentence, new Set(around))
  })
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
 * Whether each number of the sentence stands in one of the passages, beside another word of the sentence; exact or
 * rounded to the digits that are shown, in thousands, millions or percent too. `also`: text whose numbers need no passage.
 */
export function numbersHold(sentence: string, evidences: readonly Evidence[], also: string): boolean {
  const known = [...knownIn(also, null), ...evidences.flatMap((it) => knownBeside(sentence, it))]
  return numbersIn(withoutOrdinals(sentence)).every(({ values, decimals }) =>
    values.some(
      (value) => (value <= COUNTED && decimals === 0) || known.some((it) => isRounded(it.value, value, decimals)),
    ),
  )
}

function knownBeside(sentence: string, { numbers, language, terms }: Evidence): Known[] {
  const words = tellingWords(sentence, language).filter(({ terms: own }) => own.some((it) => terms.has(it)))
  const spoken = words.flatMap((it) => it.terms).filter((it) => /\p{L}/u.test(it))
  // Where the sentence shares no word with the whole passage, it is of another language.
  if (spoken.length === 0) return [...numbers]
  return numbers.filter(({ around }) => around === null || spoken.some((it) => around.has(it)))
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
