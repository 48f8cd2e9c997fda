// Finds where the parts of a pattern follow each other; each part is searched once.
import type { InjectionPattern, PatternGap } from './injection-patterns.ts'

export interface PatternMatch {
  start: number
  end: number
}

/** The longest text that a gap expression is tested on. */
const MAX_GAP = 300

/** The match that ends first. */
export function findPattern([first, ...rest]: InjectionPattern, text: string): PatternMatch | undefined {
  let places = allMatches(first, text)
  for (let at = 0; at < rest.length && places.length > 0; at += 2) {
    // The rest of a pattern is pairs.
    const [gap, part] = rest.slice(at, at + 2) as [PatternGap, RegExp]
    const before = places
    places = allMatches(part, text).flatMap(({ start, end }) => {
      const lineStart = text.lastIndexOf('\n', start - 1)
      const found = before.find((it) => it.end <= start && fitsGap(gap, text, { from: it.end, to: start, lineStart }))
      return found === undefined ? [] : [{ start: found.start, end }]
    })
  }
  return places[0]
}

const allMatches = (part: RegExp, text: string): PatternMatch[] =>
  [...text.matchAll(part)].map((it) => ({ start: it.index, end: it.index + it[0].length }))

function fitsGap(
  gap: PatternGap,
  text: string,
  { from, to, lineStart }: { from: number; to: number; lineStart: number },
) {
  if (typeof gap === 'number') return to - from <= gap && lineStart < from
  return to - from <= MAX_GAP && gap.test(text.slice(from, to))
}
