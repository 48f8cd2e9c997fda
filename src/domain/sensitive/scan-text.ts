// Finds sensitive content in a text, in linear time.
import { ASSIGNMENT_ANCHOR, assignedSecretAt } from './assignments.ts'
import type { SensitiveSpan } from './kinds.ts'
import { addNumbersAt, NUMBER_ANCHOR } from './numbers.ts'
import { TOKEN_ANCHOR, tokenAt } from './tokens.ts'

/** In order of their starts, none within another. Lists of addresses and phone numbers are not among them. */
export function findSensitive(text: string): SensitiveSpan[] {
  const spans: SensitiveSpan[] = []
  addMatches(text, TOKEN_ANCHOR, (start, anchor) => {
    const found = tokenAt(text, start, anchor)
    if (found !== undefined) spans.push(found)
    return found?.end
  })
  addMatches(text, ASSIGNMENT_ANCHOR, (start) => {
    const found = assignedSecretAt(text, start)
    if (found !== undefined) spans.push(found)
    return found?.end
  })
  addMatches(text, NUMBER_ANCHOR, (start) => addNumbersAt(text, start, spans))
  return withoutOverlaps(spans)
}

/** Calls `read` at each match; reading continues after the match, or at the end that it returns. */
function addMatches(text: string, anchor: RegExp, read: (start: number, match: string) => number | undefined): void {
  anchor.lastIndex = 0
  for (let match = anchor.exec(text); match !== null; match = anchor.exec(text)) {
    const [found] = match
    anchor.lastIndex = Math.max(read(match.index, found) ?? 0, match.index + 1)
  }
}

/** A token with a prefix says more than the assignment in which it stands. */
function withoutOverlaps(spans: SensitiveSpan[]): SensitiveSpan[] {
  const rank = (it: SensitiveSpan) => (it.kind === 'assigned_secret' ? 1 : 0)
  const kept: SensitiveSpan[] = []
  const ends = spans.filter((it) => rank(it) === 0).sort((a, b) => a.start - b.start)
  let next = 0
  for (const span of spans.toSorted((a, b) => a.start - b.start || rank(a) - rank(b))) {
    if (rank(span) === 1) {
      while (next < ends.length && (ends[next]?.end ?? 0) <= span.start) next++
      if ((ends[next]?.start ?? Number.POSITIVE_INFINITY) < span.end) continue
    }
    if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span)
  }
  return kept
}

const MASK = '•••'

/** The text with `•••` in the place of each finding. */
export function maskSensitive(text: string): string {
  let masked = ''
  let at = 0
  for (const { start, end } of findSensitive(text)) {
    masked += text.slice(at, start) + MASK
    at = end
  }
  return masked + text.slice(at)
}
