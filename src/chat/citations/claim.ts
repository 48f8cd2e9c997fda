// Finds the text that a citation marker supports: the words before it, or those after it if the marker comes first.
import { detectLanguage } from '../../text/language.ts'
import { findSentences } from '../../text/sentences.ts'
import { findQuotations, informativeWords } from './evidence.ts'
import type { ScannedPiece } from './marker-scanner.ts'

/** The text since the last blank line, without markers. */
export interface Paragraph {
  text: string
  /** The offset of the last marker. */
  markedAt: number
}
export const emptyParagraph: Paragraph = { text: '', markedAt: 0 }
const MAX_PARAGRAPH = 2_000

export function appendToParagraph({ text, markedAt }: Paragraph, more: string): Paragraph {
  const whole = text + more
  const blank = /\n[ \t]*\n(?!.*\n[ \t]*\n)/s.exec(whole)
  const start = Math.max(blank === null ? 0 : blank.index + blank[0].length, whole.length - MAX_PARAGRAPH)
  return { text: whole.slice(start), markedAt: Math.max(0, markedAt - start) }
}

/** Whether the sentence continues. */
export const isSentenceOpen = ({ text }: Paragraph): boolean => !/[.!?…。！？]["'”’»)*_\]]*\s*$/.test(text)

const MAX_REST = 400
export const piecesText = (pieces: readonly ScannedPiece[]) =>
  pieces.map((it) => (it.type === 'marker' ? '' : it.text)).join('')

/** The text up to the end of the sentence, or null while the end is unknown. */
export function restOfSentence(pieces: readonly ScannedPiece[]): string | null {
  const text = piecesText(pieces)
  const end = /\n|[.!?…](?=\s)|[。！？]/.exec(text)
  const length = Math.min(end === null ? text.length : end.index + 1, MAX_REST)
  return end === null && text.length < MAX_REST ? null : text.slice(0, length)
}

export interface Claim {
  /** The texts that the marker may support; each has enough informative words, if there are any. */
  readings: readonly string[]
  /** Whether the sentence contains any informative word. */
  isInformative: boolean
  /** The text between this marker and the previous one. */
  ownText: string
  quotations: readonly string[]
  question: string
}

const MIN_WORDS = 3

export function extractClaim({ text, markedAt }: Paragraph, ahead: string, question: string): Claim {
  const starts = findSentences(text, 'en').map((it) => it.start)
  const sentenceStart = starts.at(-1) ?? 0
  const sentence = text.slice(sentenceStart) + ahead
  const isMarkedBefore = markedAt > sentenceStart && text.slice(markedAt).trim() !== ''
  const ownStart = isMarkedBefore ? markedAt : sentenceStart
  const ownText = text.slice(ownStart) + ahead
  const readings = [ownText, sentence].filter(hasEnoughWords)
  if (readings.length === 0) readings.push(extendBackwards(text, starts, ahead) ?? `${question}\n${text}${ahead}`)
  const isInformative = informativeWordsOf(sentence).length > 0
  const quotations = findQuotations(text + ahead).flatMap((it) => (it.end > ownStart ? [it.text] : []))
  return { readings, isInformative, ownText, quotations, question }
}

/** Prepends as many previous sentences as needed. */
function extendBackwards(text: string, starts: readonly number[], ahead: string): string | null {
  const start = starts.findLast((it) => hasEnoughWords(text.slice(it) + ahead))
  return start === undefined ? null : text.slice(start) + ahead
}

const informativeWordsOf = (text: string) => informativeWords(text, detectLanguage(text))
const hasEnoughWords = (text: string): boolean => informativeWordsOf(text).length >= MIN_WORDS
