// Sessions, messages and what was said: the words of a conversation that several rooms share.
import { z } from 'zod'
import { CitationInfo } from './packet.ts'
import { SearchDoc } from './search-doc.ts'

export const SHARED_STATUSES = ['private', 'public'] as const
export type SharedStatus = (typeof SHARED_STATUSES)[number]

export const MESSAGE_TYPES = ['user', 'assistant'] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

/** `failed`: it has no answer, or not the whole of one, and `error` says why. `stopped`: somebody wanted no more. */
export type MessageStatus = 'running' | 'done' | 'stopped' | 'failed'

export const MAX_MESSAGE = 64_000

/** What a session says instead of its persona. */
export interface ChatOverrides {
  model: string | null
  temperature: number | null
  reasoning_effort: string | null
}
export const NO_OVERRIDES: ChatOverrides = { model: null, temperature: null, reasoning_effort: null }

/** Which model is to answer instead of the one that is set. */
export interface ModelOverride {
  model_configuration_id: number | null
  model_provider: string | null
  model_version: string | null
}

/** A file beside a message; `id` is that of the upload. */
export interface FileDescriptor {
  id: string
  type: string
  name: string | null
}

export interface MessageFeedback {
  is_positive: boolean | null
  feedback_text: string | null
  predefined_feedback: string | null
}

const ToolCall = z
  .object({
    tool_name: z.string(),
    tool_arguments: z.record(z.string(), z.unknown()),
    tool_result: z.string(),
    search_docs: z.array(SearchDoc).nullable(),
    generated_images: z.null(),
    pre_reasoning: z.string().nullable(),
  })
  .meta({ id: 'ToolCallResponse' })

/** An answer as one piece. */
export const ChatFullResponse = z
  .object({
    answer: z.string(),
    answer_citationless: z.string().describe('Without the marks of its citations.'),
    pre_answer_reasoning: z.string().nullable(),
    tool_calls: z.array(ToolCall),
    top_documents: z.array(SearchDoc).describe('What the answer had to rest on, in the order in which it was found.'),
    citation_info: z.array(CitationInfo),
    message_id: z.int(),
    chat_session_id: z.string(),
    incognito: z.boolean(),
    is_extractive: z.boolean().describe('The answer quotes, no language model wrote it; `extractive_reason` says why.'),
    extractive_reason: z.string().nullable(),
    error_msg: z.string().nullable(),
  })
  .meta({ id: 'ChatFullResponse' })
export type ChatFullResponse = z.infer<typeof ChatFullResponse>

const MAX_NAME = 60

/** What a session is called that nobody has named: the beginning of what was asked first. */
export function nameOf(question: string): string {
  const line = question.trim().replace(/\s+/g, ' ')
  if (line === '') return UNNAMED
  if (line.length <= MAX_NAME) return line
  const cut = line.slice(0, MAX_NAME + 1)
  const end = cut.lastIndexOf(' ')
  return `${cut.slice(0, end > MAX_NAME / 2 ? end : MAX_NAME).toWellFormed()}…`
}
export const UNNAMED = 'New chat'
