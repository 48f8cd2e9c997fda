import { tokensIn } from '../domain/tokens.ts'

/** A call as the model wrote it: `arguments` is meant to be JSON and may be anything. */
export interface ModelCall {
  id: string
  name: string
  arguments: string
}

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; calls?: readonly ModelCall[] }
  | { role: 'tool'; call_id: string; content: string }

/** Something that the model may call. `parameters` is a JSON Schema of an object. */
export interface CallableSpec {
  name: string
  description: string
  parameters: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  messages: readonly ModelMessage[]
  callables?: readonly CallableSpec[]
  /** `auto` if absent; a name: this one has to be called. */
  choice?: 'auto' | 'none' | { name: string }
  temperature?: number | null
  max_output_tokens?: number
  /** Ends the call within a second; the iteration rejects with its reason. */
  signal: AbortSignal
}

export interface TokenUsage {
  input_tokens: number
  output_tokens: number
}

/** In the order in which the model says it; `end` comes last, once. */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'call'; call: ModelCall }
  | {
      type: 'end'
      /** `length`: it was cut off. `refusal`: it would not, or was not let. */
      reason: 'stop' | 'calls' | 'length' | 'refusal'
      /** Counted by the server, or estimated where it does not say. */
      usage: TokenUsage
      /** Which model it was in the end, where several stand in for each other. */
      model: string
    }

/** Writes text, and says which tools it wants called. */
export interface LanguageModel {
  /** As people know it, for logs and answers. */
  readonly name: string
  /** How many tokens it reads at once, its answer included. */
  readonly max_input_tokens: number
  /**
   * Whether it may be given callables. Turns false, for good, when its server refuses them: the request that learnt so
   * rejects as `refused`. Whoever gives some to one that cannot call is answered without.
   */
  readonly canCall: boolean
  /**
   * Nothing is asked before the first event is wanted. Rejects with a `ModelError`, or with the reason of the signal.
   * Texts are well-formed and hold no NUL; calls come whole, just before the end, each with an id of its own; an answer
   * that says nothing and calls nothing is `broken`. Whoever stops reading ends the call.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

export type ModelFault =
  /** No connection, no answer in time, 5xx. */
  | 'unreachable'
  /** 401, 403. */
  | 'unauthorized'
  /** 404, or the server does not know this model. */
  | 'unknown_model'
  /** 429. */
  | 'limited'
  /** 400, 413, 422: too long, or what was sent is not taken. */
  | 'refused'
  /** What came is not what the wire says. */
  | 'broken'

/** Why a model did not answer, in words for a person: no key, no address. The `cause` may say more to administrators. */
export class ModelError extends Error {
  readonly fault: ModelFault
  /** How long it asks to be left alone. */
  readonly retryAfterMs: number | null

  constructor(fault: ModelFault, message: string, retryAfterMs: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

/** What a question takes where nobody counts. */
export const estimateRequest = ({ messages, callables = [] }: Pick<ModelRequest, 'messages' | 'callables'>): number =>
  tokensIn(JSON.stringify([messages, callables]))
