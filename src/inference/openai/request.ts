// Builds requests, and learns from rejections what the server does not support.
import type OpenAI from 'openai'
import { APIError } from 'openai'
import type { ModelMessage, ModelRequest } from '../language-model.ts'

/** The features that the server is assumed to support until it rejects them. */
export interface ServerCapabilities {
  /** Reports token usage for streams. */
  streamUsage: boolean
  /** Expects `max_completion_tokens` instead of `max_tokens`. */
  maxCompletionTokens: boolean
  temperature: boolean
  reasoningEffort: boolean
  tools: boolean
  images: boolean
}

export type CompletionBody = OpenAI.ChatCompletionCreateParamsStreaming

export const buildRequestBody = (
  model: string,
  request: ModelRequest,
  capabilities: ServerCapabilities,
): CompletionBody => ({
  model,
  messages: request.messages.map((it) => toOpenaiMessage(it, capabilities)),
  stream: true,
  ...(capabilities.streamUsage && { stream_options: { include_usage: true } }),
  ...(capabilities.temperature && typeof request.temperature === 'number' && { temperature: request.temperature }),
  ...(capabilities.reasoningEffort && reasoningField(request)),
  ...tokenLimitField(request, capabilities),
  ...(capabilities.tools && toolFields(request)),
})

function toOpenaiMessage(
  message: ModelMessage,
  { images }: Pick<ServerCapabilities, 'images'>,
): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call_id, content: message.content }
  if (message.role === 'system') return message
  if (message.role === 'user') return { role: 'user', content: images ? userContent(message) : message.content }
  const { content, calls = [] } = message
  if (calls.length === 0) return { role: 'assistant', content }
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: isJsonObject(args) ? args : '{}' },
    })),
  }
}

/** Plain text stays a text: not every server reads a list of parts. */
function userContent({
  content,
  images = [],
}: Extract<ModelMessage, { role: 'user' }>): OpenAI.ChatCompletionUserMessageParam['content'] {
  if (images.length === 0) return content
  return [
    ...images.map(({ media_type, base64 }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${media_type};base64,${base64}` },
    })),
    { type: 'text' as const, text: content },
  ]
}

/** Servers parse the earlier tool calls in the history, and fail on invalid JSON. */
function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const reasoningField = ({ reasoning_effort: effort }: ModelRequest): Partial<CompletionBody> =>
  effort === undefined || effort === null ? {} : { reasoning_effort: effort === 'off' ? 'none' : effort }

function tokenLimitField(
  { max_output_tokens: limit }: ModelRequest,
  { maxCompletionTokens }: ServerCapabilities,
): Partial<CompletionBody> {
  if (limit === undefined) return {}
  return maxCompletionTokens ? { max_completion_tokens: limit } : { max_tokens: limit }
}

function toolFields({ callables = [], toolChoice = 'auto' }: ModelRequest): Partial<CompletionBody> {
  if (callables.length === 0) return {}
  return {
    tools: callables.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: { ...parameters } },
    })),
    tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: toolChoice },
  }
}

/** Statuses with which servers reject a field; some report an unsupported field as an internal error. */
const REFUSAL_STATUSES = new Set([400, 404, 422, 500, 501])

/**
 * The capability to drop before a retry; null if the rejection has another cause. Missing tool support changes the
 * answer, so the caller must handle it.
 */
export function capabilitiesRefused(error: unknown, body: CompletionBody): Partial<ServerCapabilities> | null {
  if (!(error instanceof APIError) || error.status === undefined || !REFUSAL_STATUSES.has(error.status)) return null
  const { message } = error
  if (body.stream_options && /stream_options|include_usage/i.test(message)) return { streamUsage: false }
  if (body.max_tokens !== undefined && message.includes('max_completion_tokens')) return { maxCompletionTokens: true }
  if (body.temperature !== undefined && refusesTemperature(message)) return { temperature: false }
  if (body.reasoning_effort !== undefined && /reasoning/i.test(message)) return { reasoningEffort: false }
  if (hasImages(body) && refusesImages(message)) return { images: false }
  return body.tools !== undefined && refusesTools(message) ? { tools: false } : null
}

const hasImages = ({ messages }: CompletionBody): boolean =>
  messages.some(({ content }) => Array.isArray(content) && content.some((it) => it.type === 'image_url'))

const containsInOrder = (text: string, first: RegExp, then: RegExp): boolean => {
  const match = first.exec(text)
  return match !== null && then.test(text.slice(match.index + match[0].length))
}

const refusesTemperature = (text: string): boolean =>
  containsInOrder(text, /temperature/i, /not support|unsupported|only the default/i) ||
  containsInOrder(text, /unsupported/i, /temperature/i)

/** Matches the messages of Ollama, vLLM, llama.cpp and OpenRouter. */
const refusesTools = (text: string): boolean =>
  containsInOrder(text, /(?:not|n't|no endpoints? found that) support/i, /\b(?:tool|function)/i) ||
  containsInOrder(
    text,
    /\b(?:tool|function)s?\b/i,
    /not support|unsupported|requires|not permitted|unrecognized|unknown/i,
  ) ||
  containsInOrder(text, /unsupported|unrecognized|unknown|extra/i, /\b(?:tools|tool_choice|functions)\b/i)

/**
 * Matches the messages of Ollama, vLLM, llama.cpp, OpenRouter, OpenAI and of servers that read only texts. A single
 * picture that is too large or of a wrong format says nothing about the model.
 */
const refusesImages = (text: string): boolean =>
  !/format|too large|size|pixel|dimension|mime|media.type/i.test(text) &&
  (/not a multimodal|image_url is only|missing data required for image|at most 0 image|variant `image_url`/i.test(
    text,
  ) ||
    containsInOrder(text, /(?:not|n't|no endpoints? found that) support/i, /\b(?:image|vision|multimodal)/i) ||
    containsInOrder(text, /\b(?:image|vision)/i, /not support|unsupported|not enabled/i) ||
    containsInOrder(text, /content/i, /must be a string|expected a string|valid string/i))
