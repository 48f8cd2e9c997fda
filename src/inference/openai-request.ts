// What a server is asked, and what it showed that it does not take.
import type OpenAI from 'openai'
import { APIError } from 'openai'
import type { ModelMessage, ModelRequest } from './language-model.ts'

/** What the server takes, until it says otherwise. */
export interface Taken {
  /** That it counts the tokens of a stream. */
  counting: boolean
  /** `max_tokens` under its newer name. */
  newerLimit: boolean
  temperature: boolean
  tools: boolean
}

export type Body = OpenAI.ChatCompletionCreateParamsStreaming

export const bodyOf = (model: string, request: ModelRequest, taken: Taken): Body => ({
  model,
  messages: request.messages.map(messageOf),
  stream: true,
  ...(taken.counting && { stream_options: { include_usage: true } }),
  ...(taken.temperature && typeof request.temperature === 'number' && { temperature: request.temperature }),
  ...limitOf(request, taken),
  ...(taken.tools && toolsOf(request)),
})

function messageOf(message: ModelMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.call_id, content: message.content }
  if (message.role !== 'assistant') return message
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

/** Servers read what a model wrote before, and stumble over what is no JSON. */
function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function limitOf({ max_output_tokens: limit }: ModelRequest, { newerLimit }: Taken): Partial<Body> {
  if (limit === undefined) return {}
  return newerLimit ? { max_completion_tokens: limit } : { max_tokens: limit }
}

function toolsOf({ callables = [], choice = 'auto' }: ModelRequest): Partial<Body> {
  if (callables.length === 0) return {}
  return {
    tools: callables.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: { ...parameters } },
    })),
    tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: choice },
  }
}

/** Codes with which servers refuse a field; some take what they cannot do for a failure of theirs. */
const REFUSALS = new Set([400, 404, 422, 500, 501])

/**
 * What to leave out when the same is asked again; null when the refusal was about something else. That it takes no tools
 * is the one that changes the answer, so that is for whoever asks to know.
 */
export function learn(error: unknown, body: Body): Partial<Taken> | null {
  if (!(error instanceof APIError) || error.status === undefined || !REFUSALS.has(error.status)) return null
  const { message } = error
  if (body.stream_options && /stream_options|include_usage/i.test(message)) return { counting: false }
  if (body.max_tokens !== undefined && message.includes('max_completion_tokens')) return { newerLimit: true }
  if (body.temperature !== undefined && UNSUPPORTED_TEMPERATURE.test(message)) return { temperature: false }
  return body.tools !== undefined && UNSUPPORTED_TOOLS.test(message) ? { tools: false } : null
}

const UNSUPPORTED_TEMPERATURE = /temperature.*(?:not support|unsupported|only the default)|unsupported.*temperature/is
/** In the words of Ollama, vLLM, llama.cpp and OpenRouter. */
const UNSUPPORTED_TOOLS =
  /(?:not|n't|no endpoints? found that) support.*\b(?:tool|function)|\b(?:tool|function)s?\b.*(?:not support|unsupported|requires|not permitted|unrecognized|unknown)|(?:unsupported|unrecognized|unknown|extra).*\b(?:tools|tool_choice|functions)\b/is
