import type { ReasoningEffort } from '../domain/chat/chat.ts'
import { estimateTokens } from '../domain/models/token-estimate.ts'

/** A tool call as the model wrote it: `arguments` should be JSON but may be anything. */
export interface ModelCall {
  id: string
  name: string
  arguments: string
}

/** The formats that servers with the OpenAI API document for pictures. */
export const IMAGE_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
export type ImageMediaType = (typeof IMAGE_MEDIA_TYPES)[number]

/** A picture beside the text of a message. */
export interface ImagePart {
  type: 'image'
  media_type: ImageMediaType
  /** The whole file, without the head of a data URL. */
  base64: string
}

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ImagePart[] }
  | { role: 'assistant'; content: string; calls?: readonly ModelCall[] }
  | { role: 'tool'; call_id: string; content: string }

/** A function that the model may call. `parameters` is the JSON Schema of an object. */
export interface CallableSpec {
  name: string
  description: string
  parameters: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  messages: readonly ModelMessage[]
  callables?: readonly CallableSpec[]
  /** `auto` if absent; a name forces that function. */
  toolChoice?: 'auto' | 'none' | { name: string }
  temperature?: number | null
  /** Servers that do not support it are asked without it. */
  reasoning_effort?: ReasoningEffort | null
  max_output_tokens?: number
  /** Ends the call within a second; the iteration rejects with its reason. */
  signal: AbortSignal
}

export interface TokenUsage {
  input_tokens: number
  output_tokens: number
}

/** Events in the order of the output; exactly one `end` comes last. */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'call'; call: ModelCall }
  | {
      type: 'end'
      /** `length`: the output was truncated. `refusal`: the model refused, or a filter blocked it. */
      reason: 'stop' | 'calls' | 'length' | 'refusal'
      /** As reported by the server, else estimated. */
      usage: TokenUsage
      /** The model that answered, which may be a fallback. */
      model: string
    }

/** Generates text and tool calls. */
export interface LanguageModel {
  /** The display name, for logs and answers. */
  readonly name: string
  /** The context window in tokens, including the answer. */
  readonly max_input_tokens: number
  /**
   * Whether functions can be offered. Turns false permanently when the server refuses them: that request rejects as
   * `refused`. Later requests with functions are answered without them.
   */
  readonly supportsTools: boolean
  /**
   * Whether pictures can be sent. Turns false permanently when the server refuses them: that request rejects as
   * `refused`. Later requests with pictures are answered without them.
   */
  readonly supportsImages: boolean
  /**
   * Lazy: the request starts when the first event is read. Rejects with a `ModelError`, or with the reason of the
   * signal. Texts are well-formed and contain no NUL; tool calls are complete, come just before the end, and have
   * unique ids; an answer without text and calls is `broken`. Ending the iteration cancels the request.
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
  /** 400, 413, 422: too long, or otherwise invalid. */
  | 'refused'
  /** The response violates the protocol. */
  | 'broken'

/** Why a model did not answer, in words for the user: no key, no address. The `cause` may tell administrators more. */
export class ModelError extends Error {
  readonly fault: ModelFault
  /** How long the server asks clients to wait. */
  readonly retryAfterMs: number | null

  constructor(fault: ModelFault, message: string, retryAfterMs: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

/** The estimated input tokens of a request, used when the server reports none. */
export const estimateRequestTokens = ({
  messages,
  callables = [],
}: Pick<ModelRequest, 'messages' | 'callables'>): number =>
  estimateMessageTokens(messages) + estimateTokens(JSON.stringify(callables))

/** The estimated tokens of the messages, with their pictures. */
export function estimateMessageTokens(messages: readonly ModelMessage[]): number {
  const texts = messages.map((it) => (it.role === 'user' ? { role: it.role, content: it.content } : it))
  const pictures = messages.reduce((sum, it) => sum + imagesOf(it).length, 0)
  return estimateTokens(JSON.stringify(texts)) + pictures * TOKENS_PER_IMAGE
}

/**
 * On the high side, because each model counts in its own way: a page of 1,568 pixels a side is about 1,600 tokens at
 * https://docs.anthropic.com/en/docs/build-with-claude/vision, and at most 1,445 by the tiles of
 * https://platform.openai.com/docs/guides/images-vision.
 */
export const TOKENS_PER_IMAGE = 1_600

export const imagesOf = (message: ModelMessage): readonly ImagePart[] =>
  message.role === 'user' ? (message.images ?? []) : []
