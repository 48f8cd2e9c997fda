// Where the sentences are.
import type { Language } from './language.ts'

export interface Sentence {
  /** UTF-16 offsets, end exclusive, without the space around. */
  start: number
  end: number
}

/** The segmenter sees so much at once; a longer sentence is cut here, so that no text can hold it up. */
const WINDOW = 4096

export function sentences(text: string, language: Language): Sentence[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' })
  const found: Sentence[] = []
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + WINDOW)
    const ends = sentenceEnds(segmenter, text.slice(at, end)).map((it) => at + it)
    // The last sentence of a window may go on in the next, unless it is all there is.
    if (end < text.length && ends.length > 1) ends.pop()
    for (const sentenceEnd of ends) {
      add(found, text, at, sentenceEnd)
      at = sentenceEnd
    }
  }
  return found
}

const sentenceEnds = (segmenter: Intl.Segmenter, text: string): number[] =>
  [...segmenter.segment(text)].map(({ segment, index }) => index + segment.length)

function add(found: Sentence[], text: string, from: number, to: number): void {
  const sentence = text.slice(from, to)
  const start = from + (sentence.length - sentence.trimStart().length)
  const end = from + sentence.trimEnd().length
  if (start < end) found.push({ start, end })
}
