// What a room may count for the operator. Every label is a word of a small fixed set: never an id, a title, a text, an
// address or an e-mail.
import type { ErrorCode } from './errors.ts'

export const ACCEPT_OUTCOMES = ['created', 'updated', 'refused', 'failed'] as const
export type AcceptOutcome = (typeof ACCEPT_OUTCOMES)[number]

/** `nobody`: nothing was found to answer from. */
export const CHAT_WRITERS = ['model', 'quotes', 'nobody'] as const
export type ChatWriter = (typeof CHAT_WRITERS)[number]

export interface Meter {
  /** A document that a client sent was written down, or was not. */
  accepted(facts: { outcome: AcceptOutcome; bytes: number; seconds: number }): void
  /** A step of the follower. */
  applied(facts: { indexed: number; deleted: number; failed: number; seconds: number }): void
  /** Chunks got their vectors: the model made them, or it had made them before. */
  embedded(facts: { made: number; kept: number; seconds: number }): void
  searched(facts: { results: number; seconds: number }): void
  /** A question was answered. `removed`: citations that a model wrote and that did not hold. */
  chatted(facts: { by: ChatWriter; seconds: number; kept: number; removed: number }): void
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
  chatted: nothing,
  answered: nothing,
  erred: nothing,
}
