// The attempts of the clients, and the states of a document that they allow. No I/O; all times are of one clock.

/** One request that changes a document. It is recorded before it is sent, and the answer is added later. */
export interface Attempt {
  id: string
  /** A word that only this version contains; null deletes the document. */
  token: string | null
  start: number
  /** When the answer arrived, or when it was clear that none would. */
  end: number
  /** `open`: no answer, it may have happened or not. `refused`: it must not have happened. */
  outcome: 'open' | 'acknowledged' | 'refused'
  status: number | null
  alreadyExisted: boolean | null
  /** Number of words, so that the same version can be sent again. */
  words: number
}

/** Token of the live version, or null for no document. */
export type DocumentState = string | null

interface TimeSpan {
  start: number
  end: number
}

const AFTER_EVERYTHING: TimeSpan = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }

/**
 * Returns the states that an observer during `moment` may see, given the attempts on one document: everything begun by
 * then, unless a later acknowledged attempt was complete before the moment.
 */
export function possibleStates(attempts: readonly Attempt[], moment: TimeSpan = AFTER_EVERYTHING): Set<DocumentState> {
  const settled = attempts.filter((it) => it.outcome === 'acknowledged' && it.end <= moment.start)
  const lastStart = Math.max(Number.NEGATIVE_INFINITY, ...settled.map((it) => it.start))
  const visible = attempts.filter((it) => it.outcome !== 'refused' && it.start < moment.end && it.end > lastStart)
  const states = new Set<DocumentState>(visible.map((it) => it.token))
  if (settled.length === 0) states.add(null)
  return states
}

/** Checks the answers themselves: `already_existed` against every possible former state. */
export function wrongAnswers(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap((it) => {
    if (it.alreadyExisted === null) return []
    const others = attempts.filter((other) => other !== it)
    const before = [...possibleStates(others, it)]
    if (before.some((state) => (state !== null) === it.alreadyExisted)) return []
    return [`${it.id} ${it.token}: already_existed is ${it.alreadyExisted}, the document was ${before.join(' or ')}`]
  })
}

/** Returns the history at the time of a power cut: attempts without an answer become open, later ones disappear. */
export function historyUntil(attempts: readonly Attempt[], time: number): Attempt[] {
  return attempts
    .filter((it) => it.start < time)
    .map((it) => (it.end <= time ? it : { ...it, outcome: 'open', end: time, status: null, alreadyExisted: null }))
}

export function groupByDocument(attempts: readonly Attempt[]): Map<string, Attempt[]> {
  return Map.groupBy(attempts, (it) => it.id)
}
