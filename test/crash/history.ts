// What the clients tried, and what may be true of a document after that. No I/O: times are numbers of one clock.

/** One request that changes a document. Written down before it is sent; the answer is added when it comes. */
export interface Attempt {
  id: string
  /** The word that only this version holds; null deletes the document. */
  token: string | null
  start: number
  /** When the answer came, or the news that none will come. */
  end: number
  /** `open`: no answer, it may have happened or not. `refused`: it must not have happened. */
  outcome: 'open' | 'acknowledged' | 'refused'
  status: number | null
  alreadyExisted: boolean | null
  /** Words of text, so that the same version can be sent again. */
  words: number
}

/** The token of the version that is live, or null for no document. */
export type State = string | null

interface Moment {
  start: number
  end: number
}

const THE_END: Moment = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }

/**
 * The states that somebody who looks during `moment` may see, from the attempts on one document: whatever had begun by
 * then, unless an acknowledged attempt followed it and was over before the moment.
 */
export function possibleStates(attempts: readonly Attempt[], moment: Moment = THE_END): Set<State> {
  const settled = attempts.filter((it) => it.outcome === 'acknowledged' && it.end <= moment.start)
  const lastStart = Math.max(Number.NEGATIVE_INFINITY, ...settled.map((it) => it.start))
  const visible = attempts.filter((it) => it.outcome !== 'refused' && it.start < moment.end && it.end > lastStart)
  const states = new Set<State>(visible.map((it) => it.token))
  if (settled.length === 0) states.add(null)
  return states
}

/** What the answers themselves got wrong: `already_existed` against every state the document may have been in. */
export function wrongAnswers(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap((it) => {
    if (it.alreadyExisted === null) return []
    const others = attempts.filter((other) => other !== it)
    const before = [...possibleStates(others, it)]
    if (before.some((state) => (state !== null) === it.alreadyExisted)) return []
    return [`${it.id} ${it.token}: already_existed is ${it.alreadyExisted}, the document was ${before.join(' or ')}`]
  })
}

/** The history as it stood when the power went at `time`: what was not answered by then is open, what came later never was. */
export function until(attempts: readonly Attempt[], time: number): Attempt[] {
  return attempts
    .filter((it) => it.start < time)
    .map((it) => (it.end <= time ? it : { ...it, outcome: 'open', end: time, status: null, alreadyExisted: null }))
}

export function byDocument(attempts: readonly Attempt[]): Map<string, Attempt[]> {
  return Map.groupBy(attempts, (it) => it.id)
}
