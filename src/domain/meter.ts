// What a room may count for the operator. Every label is a word of a small fixed set: never an id, a title, a text, an
// address or an e-mail.
import type { ErrorCode } from './errors.ts'

export const ACCEPT_OUTCOMES = ['created', 'updated', 'refused', 'failed'] as const
export type AcceptOutcome = (typeof ACCEPT_OUTCOMES)[number]

export interface Meter {
  /** A document that a client sent was written down, or was not. */
  accepted(facts: { outcome: AcceptOutcome; bytes: number; seconds: number }): void
  /** A step of the follower. */
  applied(facts: { indexed: number; deleted: number; failed: number; seconds: number }): void
  /** Chunks got their vectors: the model made them, or it had made them before. */
  embedded(facts: { made: number; kept: number; seconds: number }): void
  searched(facts: { results: number; seconds: number }): void
  /** `route` is the template of the path, or "unknown". */
  answered(facts: { route: string; method: string; status: number; seconds: number }): void
  /** An answer with an error; the code of a 422 is VALIDATION. */
  erred(code: ErrorCode | 'VALIDATION'): void
}

const nothing = (): void => {}
export const silentMeter: Meter = {
  accepted: nothing,
  applied: nothing,
  embedded: nothing,
  searched: nothing,
  answered: nothing,
  erred: nothing,
}
