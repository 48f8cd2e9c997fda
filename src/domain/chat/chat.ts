// Types of chat sessions and messages that several rooms share.
import { z } from 'zod'
import { CitationInfo } from './packet.ts'
import { SearchDoc } from './search-doc.ts'

export const SHARED_STATUSES = ['private', 'public'] as const
export type SharedStatus = (typeof SHARED_STATUSES)[number]

export const MESSAGE_TYPES = ['user', 'assistant'] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

/** `failed`: there is no complete answer, and `error` says why. `stopped`: the user stopped it. */
export type MessageStatus = 'running' | 'done' | 'stopped' | 'failed'

export const MAX_MESSAGE_CHARACTERS = 64_000

/** Settings of a session that override its persona. */
/** How much a model thinks before it answers. */
export const REASONING_EFFORTS = ['off', 'low', 'medium', 'high'] as const
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number]

export interface ChatOverrides {
  model: string | null
  temperature: number | null
  reasoning_effort: ReasoningEffort | null
}
export const NO_CHAT_OVERRIDES: ChatOverrides = { model: null, temperature: null, reasoning_effort: null }

/** The model to use instead of the default. */
export interface ModelOverride {
  model_configuration_id: number | null
  model_provider: string | null
  model_version: string | null
}

/** A file attached to a message; `id` is that of the upload. */
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

/** A complete answer in one object. */
export const ChatFullResponse = z
  .object({
    answer: z.string(),
    answer_citationless: z.string().describe('The answer without citation markers.'),
    pre_answer_reasoning: z.string().nullable(),
    tool_calls: z.array(ToolCall),
    top_documents: z
      .array(SearchDoc)
      .describe('The documents that the answer could use, in the order in which they were found.'),
    citation_info: z.array(CitationInfo),
    message_id: z.int(),
    chat_session_id: z.string(),
    incognito: z.boolean(),
    is_extractive: z
      .boolean()
      .describe('The answer consists of quotations because no language model wrote it; `extractive_reason` says why.'),
    extractive_reason: z.string().nullable(),
    error_msg: z.string().nullable(),
  })
  .meta({ id: 'ChatFullResponse' })
export type ChatFullResponse = z.infer<typeof ChatFullResponse>

const MAX_NAME = 60

/** The default name of a session: the beginning of its first question. */
export function defaultChatName(question: string): string {
  const line = question.trim().replace(/\s+/g, ' ')
  if (line === '') return UNNAMED_CHAT
  if (line.length <= MAX_NAME) return line
  const cut = line.slice(0, MAX_NAME + 1)
  const end = cut.lastIndexOf(' ')
  return `${cut.slice(0, end > MAX_NAME / 2 ? end : MAX_NAME).toWellFormed()}…`
}
export const UNNAMED_CHAT = 'New chat'
