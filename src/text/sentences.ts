// Splits a text into sentences.
import type { Language } from './language.ts'

export interface Sentence {
  /** UTF-16 offsets without surrounding space; the end is exclusive. */
  start: number
  end: number
}

/** The segmenter gets this much text at once. A longer sentence is cut here, so that no text can block the thread. */
const WINDOW = 4096

/** Kept, because creating one takes longer than segmenting a paragraph. */
const segmenters = new Map<Language, Intl.Segmenter>()

export function findSentences(text: string, language: Language): Sentence[] {
  const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'sentence' })
  segmenters.set(language, segmenter)
  const found: Sentence[] = []
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + WINDOW)
    const ends = sentenceEnds(segmenter, text.slice(at, end)).map((it) => at + it)
    // The last sentence of a window may continue in the next one, unless it is the only one.
    if (end < text.length && ends.length > 1) ends.pop()
    for (const sentenceEnd of ends) {
      addTrimmed(found, text, at, sentenceEnd)
      at = sentenceEnd
    }
  }
  return found
}

const sentenceEnds = (segmenter: Intl.Segmenter, text: string): number[] =>
  [...segmenter.segment(text)].map(({ segment, index }) => index + segment.length)

function addTrimmed(found: Sentence[], text: string, from: number, to: number): void {
  const sentence = text.slice(from, to)
  const start = from + (sentence.length - sentence.trimStart().length)
  const end = from + sentence.trimEnd().length
  if (start < end) found.push({ start, end })
}
