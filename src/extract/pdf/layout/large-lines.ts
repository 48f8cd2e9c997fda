// Finds headings by their font. A wrong heading is worse than none.
import type { PageLine } from './page-lines.ts'

export interface SectionStart {
  /** The place of the line. */
  at: number
  heading: string
  /** Lines that are the heading itself. Those of the outline stay in the text, which has their number. */
  skipped: number
}

/** In sizes of the text. */
const LARGE = 1.15
const MAX_LINES = 3
const MAX_LENGTH = 120
const MIN_LETTERS = 3
/** A page of larger text has no headings. The share of its lines. */
const MAX_SHARE = 0.3
const SAME_SIZE = 0.05
/** In sizes of the heading. */
const MAX_FALL = 1.6

/** Lines one below the other in the same size are one heading. */
export function findLargeLines(lines: readonly PageLine[], usualSize: number): SectionStart[] {
  const starts: SectionStart[] = []
  let count = 0
  for (let at = 0; at < lines.length; ) {
    const length = largeLength(lines, at, usualSize)
    const texts = lines.slice(at, at + length).map((it) => it.text)
    count += length
    if (length > 0 && length <= MAX_LINES && isTitle(texts.join(' ')))
      starts.push({ at, heading: texts.join(' '), skipped: length })
    at += Math.max(1, length)
  }
  return count > lines.length * MAX_SHARE ? [] : starts
}

function largeLength(lines: readonly PageLine[], from: number, usualSize: number): number {
  let at = from
  let last: PageLine | undefined
  for (const line of lines.slice(from, from + MAX_LINES + 1)) {
    if (line.isTurned || line.hasFixedWidth || line.size < usualSize * LARGE) break
    if (last !== undefined && !goesOn(last, line)) break
    last = line
    at++
  }
  return at - from
}

const goesOn = (last: PageLine, line: PageLine): boolean => {
  const fall = last.baseline - line.baseline
  return Math.abs(line.size - last.size) <= last.size * SAME_SIZE && fall >= 0 && fall <= last.size * MAX_FALL
}

/** A title begins with a capital letter or a number, or is in a script without capitals, and is no sentence. */
const isTitle = (text: string): boolean =>
  text.length <= MAX_LENGTH &&
  !/^\p{Ll}/u.test(text) &&
  !/[.,;:]$/.test(text) &&
  (text.match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS &&
  !/[\ufffe\x02]/.test(text)
