// The metrics that rooms may record. Every label has a small fixed set of values: never an id, title, text, address or
// e-mail.
import type { ErrorCode } from './errors.ts'

export const ACCEPT_OUTCOMES = ['created', 'updated', 'refused', 'failed'] as const
export type AcceptOutcome = (typeof ACCEPT_OUTCOMES)[number]

/** `nobody`: nothing was found to answer from. */
export const ANSWER_AUTHORS = ['model', 'quotes', 'nobody'] as const
export type AnswerAuthor = (typeof ANSWER_AUTHORS)[number]

export interface Meter {
  /** A document from a client was accepted or rejected. */
  countAccepted(facts: { outcome: AcceptOutcome; bytes: number; seconds: number }): void
  /** Documents of a connector that are new or have changed were accepted. */
  countPulled(documents: number): void
  /** The indexer applied a batch of changes. */
  countIndexed(facts: { indexed: number; deleted: number; failed: number; seconds: number }): void
  /** Chunks received vectors: `made` by the model, or `kept` from before. */
  countEmbedded(facts: { made: number; kept: number; seconds: number }): void
  /** `isFallback`: ranked by words alone, because no vector was ready that should have contributed. */
  countSearch(facts: { results: number; seconds: number; isFallback: boolean }): void
  /** A question was answered. `removed`: citations of the model that were not supported. */
  countChat(facts: { by: AnswerAuthor; seconds: number; kept: number; removed: number }): void
  /** Tokens that a language model read and wrote. */
  countTokens(facts: { input: number; output: number }): void
  /** `route` is the template of the path, or "unknown". */
  countResponse(facts: { route: string; method: string; status: number; seconds: number }): void
  /** An error response; the code of a 422 is VALIDATION. */
  countError(code: ErrorCode | 'VALIDATION'): void
}

const doNothing = (): void => {}
export const noopMeter: Meter = {
  countAccepted: doNothing,
  countPulled: doNothing,
  countIndexed: doNothing,
  countEmbedded: doNothing,
  countSearch: doNothing,
  countChat: doNothing,
  countTokens: doNothing,
  countResponse: doNothing,
  countError: doNothing,
}
