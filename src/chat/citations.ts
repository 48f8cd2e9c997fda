// The guard: what a model cites is shown only if it was given, may be read by who asks, and carries the sentence.
import type { Passage } from '../domain/passage.ts'
import { detectLanguage } from '../text/language.ts'
import { sentences } from '../text/sentences.ts'
import {
  bestSentence,
  coverage,
  type Evidence,
  evidenceOf,
  isQuoteOf,
  numbersHold,
  quotedIn,
  tellingWords,
} from './evidence.ts'
import { createScanner, type Piece } from './markers.ts'

export interface Citation {
  citation_number: number
  passage: Passage
  /** Words of the passage on which the sentence rests. */
  quote: string
}

export type Guarded = { type: 'text'; text: string } | { type: 'citation'; citation: Citation }

export interface Guard {
  /** What of the text is certain by now, citations numbered in the order of their first use; each is told of once. */
  write(text: string): Promise<Guarded[]>
  /** The rest of this text; another one may follow. */
  end(): Promise<Guarded[]>
  counts(): { kept: number; removed: number }
}

interface GuardNeeds {
  /** What was given so far, by its number. */
  given: () => ReadonlyMap<number, Passage>
  /** Asked at each citation. */
  isReadable: (passage: Passage) => Promise<boolean>
  question: string
  /** None is shown otherwise. */
  isCiting: boolean
  numbering: Numbering
}

/** The number by which a passage is cited in this answer, and whether this is the first time. */
export type Numbering = (passage: Passage) => { citation_number: number; isNew: boolean }

export function createNumbering(): Numbering {
  const numbers = new Map<string, number>()
  return ({ document, chunk_inds }) => {
    const key = `${chunk_inds.join()} ${document.document_id}`
    const known = numbers.get(key)
    const citation_number = known ?? numbers.size + 1
    numbers.set(key, citation_number)
    return { citation_number, isNew: known === undefined }
  }
}

export const markerOf = (citation_number: number, { link }: Passage): string =>
  `[[${citation_number}]](${addressOf(link)})`

export function createGuard(needs: GuardNeeds): Guard {
  const scanner = createScanner()
  const library = createLibrary(needs.given)
  const counts = { kept: 0, removed: 0 }
  const output = createOutput()
  let paragraph = emptyParagraph
  /** A marker that stands before the words it is about, and all that came after it. */
  let waiting: { numbers: readonly number[]; pieces: Piece[] } | null = null

  const take = async (piece: Piece): Promise<void> => {
    if (waiting !== null) {
      waiting.pieces.push(piece)
      const ahead = sentenceAhead(waiting.pieces)
      if (ahead !== null) await settle(ahead)
      return
    }
    if (piece.type !== 'marker') {
      output.text(piece.text)
      paragraph = grown(paragraph, piece.text)
      return
    }
    if (!needs.isCiting) return output.removed()
    const verdict = await judge(piece.numbers, '')
    const isClear = verdict.claim.isTelling && verdict.held.length === verdict.real.length
    if (!isClear && verdict.real.length > 0 && isOpen(paragraph)) {
      waiting = { numbers: piece.numbers, pieces: [] }
    } else show(piece.numbers, verdict)
  }

  /** The sentence is known, and what was waited with it goes its way. */
  const settle = async (ahead: string): Promise<void> => {
    const { numbers, pieces } = waiting!
    waiting = null
    show(numbers, await judge(numbers, ahead))
    for (const piece of pieces) await take(piece)
  }

  const judge = async (numbers: readonly number[], ahead: string): Promise<Verdict> => {
    const real: number[] = []
    for (const number of numbers) {
      const passage = needs.given().get(number)
      if (passage !== undefined && (await needs.isReadable(passage))) real.push(number)
    }
    const claim = claimOf(paragraph, ahead, needs.question)
    return { real, held: real.filter((it) => library.holds(claim, it, real)), claim }
  }

  const show = (numbers: readonly number[], { held, claim }: Verdict): void => {
    counts.removed += numbers.length - held.length
    counts.kept += held.length
    if (held.length === 0) output.removed()
    for (const number of held) {
      const passage = needs.given().get(number)!
      const { citation_number, isNew } = needs.numbering(passage)
      output.text(markerOf(citation_number, passage))
      if (isNew) output.citation({ citation_number, passage, quote: library.quote(claim, number) })
    }
    paragraph = { ...paragraph, markedAt: paragraph.text.length }
  }

  return {
    async write(text) {
      for (const piece of scanner.write(text)) await take(piece)
      return output.flush()
    },
    async end() {
      for (const piece of scanner.end()) await take(piece)
      while (waiting !== null) await settle(textOf(waiting.pieces))
      paragraph = emptyParagraph
      return output.end()
    },
    counts: () => ({ ...counts }),
  }
}

interface Verdict {
  /** They were given and may be read. */
  real: readonly number[]
  /** Of those, the ones that carry the sentence. */
  held: readonly number[]
  claim: Claim
}

interface Paragraph {
  text: string
  /** Where the last marker stood. */
  markedAt: number
}
const emptyParagraph: Paragraph = { text: '', markedAt: 0 }
const MAX_PARAGRAPH = 2_000

function grown({ text, markedAt }: Paragraph, more: string): Paragraph {
  const whole = text + more
  const blank = /\n[ \t]*\n(?!.*\n[ \t]*\n)/s.exec(whole)
  const start = Math.max(blank === null ? 0 : blank.index + blank[0].length, whole.length - MAX_PARAGRAPH)
  return { text: whole.slice(start), markedAt: Math.max(0, markedAt - start) }
}

/** Whether the sentence goes on. */
const isOpen = ({ text }: Paragraph): boolean => !/[.!?…。！？]["'”’»)*_\]]*\s*$/.test(text)

const MAX_AHEAD = 400
const textOf = (pieces: readonly Piece[]) => pieces.map((it) => (it.type === 'marker' ? '' : it.text)).join('')

/** What comes up to the end of the sentence, or null while that is not seen. */
function sentenceAhead(pieces: readonly Piece[]): string | null {
  const text = textOf(pieces)
  const end = /\n|[.!?…](?=\s)|[。！？]/.exec(text)
  const length = Math.min(end === null ? text.length : end.index + 1, MAX_AHEAD)
  return end === null && text.length < MAX_AHEAD ? null : text.slice(0, length)
}

interface Claim {
  /** What the marker may be about; each has enough words to tell, if there are any. */
  readings: readonly string[]
  /** Whether there is a word to go by. */
  isTelling: boolean
  /** Between the marker and the one before it. */
  own: string
  quoted: readonly string[]
  question: string
}

const ENOUGH_WORDS = 3

function claimOf({ text, markedAt }: Paragraph, ahead: string, question: string): Claim {
  const starts = sentences(text, 'en').map((it) => it.start)
  const sentenceStart = starts.at(-1) ?? 0
  const sentence = text.slice(sentenceStart) + ahead
  const isMarkedBefore = markedAt > sentenceStart && text.slice(markedAt).trim() !== ''
  const ownStart = isMarkedBefore ? markedAt : sentenceStart
  const own = text.slice(ownStart) + ahead
  const readings = [own, sentence].filter(hasEnoughWords)
  if (readings.length === 0) readings.push(widened(text, starts, ahead) ?? `${question}\n${text}${ahead}`)
  const isTelling = wordsOf(sentence).length > 0
  const quoted = quotedIn(text + ahead).flatMap((it) => (it.end > ownStart ? [it.text] : []))
  return { readings, isTelling, own, quoted, question }
}

/** With as many sentences before it as it takes. */
function widened(text: string, starts: readonly number[], ahead: string): string | null {
  const start = starts.findLast((it) => hasEnoughWords(text.slice(it) + ahead))
  return start === undefined ? null : text.slice(start) + ahead
}

const wordsOf = (text: string) => tellingWords(text, detectLanguage(text))
const hasEnoughWords = (text: string): boolean => wordsOf(text).length >= ENOUGH_WORDS

/**
 * The share of a claim's words that a passage must hold, and that share beside the best passage's. Tuned on claims about
 * abstracts that experts wrote in their own words, see docs/answers.md: looser lets chance in, tighter loses good ones.
 */
const LEAST_COVERAGE = 0.25
const LEAST_BESIDE_BEST = 0.5
/** A shorter text does not tell its language. */
const SURE_OF_LANGUAGE = 60

function createLibrary(given: () => ReadonlyMap<number, Passage>) {
  const read = new Map<number, Evidence>()
  const evidence = (number: number): Evidence => {
    const known = read.get(number) ?? evidenceOf(given().get(number)!)
    read.set(number, known)
    return known
  }
  const all = () => [...given().keys()].map(evidence)
  return {
    /** `beside`: all that are cited in the same place; a number may stand in any of them. */
    holds(claim: Claim, number: number, beside: readonly number[]): boolean {
      const own = evidence(number)
      const isSaid = claim.quoted.every((it) => beside.some((other) => isQuoteOf(it, evidence(other))))
      if (!isSaid || !numbersHold(claim.own, beside.map(evidence), claim.question)) return false
      return claim.readings.some((it) => isAbout(it, own, all()))
    },
    quote({ own }: Claim, number: number): string {
      const { language } = evidence(number)
      return bestSentence(tellingWords(own, language), given().get(number)!.text, language)
    },
  }
}

function isAbout(reading: string, evidence: Evidence, all: readonly Evidence[]): boolean {
  const words = tellingWords(reading, evidence.language)
  const own = coverage(words, evidence, all)
  const best = Math.max(...all.map((it) => coverage(words, it, all)))
  if (own >= LEAST_COVERAGE && own >= LEAST_BESIDE_BEST * best) return true
  // Another language has other words: then numbers and quotes alone can be compared.
  return reading.length >= SURE_OF_LANGUAGE && own === best && detectLanguage(reading) !== evidence.language
}

/** As it may stand in a link of Markdown; nothing but what a person may open. */
function addressOf(link: string | null): string {
  if (link === null || !/^(?:https?|mailto):/i.test(link)) return ''
  const safe = link.toWellFormed().replace(/[\s\p{C}<>[\]\\"`|^{}]/gu, (it) => encodeURIComponent(it))
  return safe.replaceAll('(', '%28').replaceAll(')', '%29')
}

/** Puts the pieces together, and takes the space away that a removed marker would leave. */
function createOutput() {
  const done: Guarded[] = []
  let text = ''
  /** Spaces and an open bracket at the end: whether they stay depends on what follows. */
  let held = ''
  let isRemoved = false
  let isLineStart = true

  const put = (more: string): void => {
    const whole = held + more
    const rest = /[ \t]*\(?[ \t]*$/.exec(whole)![0]
    const certain = whole.slice(0, whole.length - rest.length)
    if (certain !== '') isLineStart = certain.endsWith('\n')
    text += certain
    held = rest
  }
  const flush = (): void => {
    if (text !== '') done.push({ type: 'text', text })
    text = ''
  }
  /** What is left of the text that follows a removed marker. */
  const closed = (more: string): string => {
    if (isLineStart && held.trim() === '') {
      held = ''
      return more.replace(/^[ \t]+/, '')
    }
    if (held.includes('(') && more.startsWith(')')) {
      held = held.slice(0, held.indexOf('(')).trimEnd()
      return more.slice(1)
    }
    if (/^[\s.,;:!?)\]。！？、，]/.test(more)) held = held.trimEnd()
    return more
  }
  return {
    text(more: string): void {
      const rest = isRemoved ? closed(more) : more
      if (rest === '') return
      isRemoved = false
      put(rest)
    },
    removed(): void {
      isRemoved = true
    },
    citation(citation: Citation): void {
      flush()
      done.push({ type: 'citation', citation })
    },
    flush(): Guarded[] {
      flush()
      return done.splice(0)
    },
    end(): Guarded[] {
      text += isRemoved ? held.trimEnd() : held
      held = ''
      isRemoved = false
      isLineStart = true
      flush()
      return done.splice(0)
    },
  }
}
