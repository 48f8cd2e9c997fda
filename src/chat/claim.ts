// What does a marker speak of? The words before it, or those after it where it stands before them.
import { detectLanguage } from '../text/language.ts'
import { sentences } from '../text/sentences.ts'
import { quotedIn, tellingWords } from './evidence.ts'
import type { Piece } from './markers.ts'

/** What was said since the last blank line, without markers. */
export interface Paragraph {
  text: string
  /** Where the last marker stood. */
  markedAt: number
}
export const emptyParagraph: Paragraph = { text: '', markedAt: 0 }
const MAX_PARAGRAPH = 2_000

export function grown({ text, markedAt }: Paragraph, more: string): Paragraph {
  const whole = text + more
  const blank = /\n[ \t]*\n(?!.*\n[ \t]*\n)/s.exec(whole)
  const start = Math.max(blank === null ? 0 : blank.index + blank[0].length, whole.length - MAX_PARAGRAPH)
  return { text: whole.slice(start), markedAt: Math.max(0, markedAt - start) }
}

/** Whether the sentence goes on. */
export const isOpen = ({ text }: Paragraph): boolean => !/[.!?…。！？]["'”’»)*_\]]*\s*$/.test(text)

const MAX_AHEAD = 400
export const textOf = (pieces: readonly Piece[]) => pieces.map((it) => (it.type === 'marker' ? '' : it.text)).join('')

/** What comes up to the end of the sentence, or null while that is not seen. */
export function sentenceAhead(pieces: readonly Piece[]): string | null {
  const text = textOf(pieces)
  const end = /\n|[.!?…](?=\s)|[。！？]/.exec(text)
  const length = Math.min(end === null ? text.length : end.index + 1, MAX_AHEAD)
  return end === null && text.length < MAX_AHEAD ? null : text.slice(0, length)
}

export interface Claim {
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

export function claimOf({ text, markedAt }: Paragraph, ahead: string, question: string): Claim {
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
