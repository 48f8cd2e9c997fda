// Names for chat types that the generated client leaves anonymous, and the one request with a streaming response.
import type { ChatMessageDetail, PacketObject } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'

type PacketOf<T extends PacketObject['type']> = Extract<PacketObject, { type: T }>

export type Citation = Omit<PacketOf<'citation_info'>, 'type'>
export type SearchFilters = Omit<PacketOf<'search_tool_filter_delta'>, 'type'>
export type FileRead = PacketOf<'file_reader_result'>
export type PendingCall = Omit<PacketOf<'custom_tool_confirmation'>, 'type'>
export type ToolAnswer = PacketOf<'custom_tool_delta'>
export type TokenUsage = Omit<PacketOf<'token_usage'>, 'type'>
export type FileDescriptor = ChatMessageDetail['files'][number]

export interface QuestionRequest {
  message: string
  /** Null for the first question of a chat. The id of a question asks for another answer to it. */
  parent_message_id: number | null
  files: FileDescriptor[]
  /** Searches only these sources; empty: everything. */
  sources: readonly string[]
  /** The id of the model that answers; by default that of the chat. */
  model: number | undefined
}

/** People get documents when their tokens are used up. */
const QUESTION_DEFAULTS = { origin: 'webapp', stream: true, quotes_without_tokens: true } as const

export const sendQuestion = (
  session: { chat_session_id: string } | { chat_session_info: { persona_id: number } },
  { message, parent_message_id, files, sources, model }: QuestionRequest,
  signal: AbortSignal,
): Promise<Response> =>
  api.raw({
    method: 'POST',
    path: '/chat/send-chat-message',
    json: {
      ...session,
      ...QUESTION_DEFAULTS,
      message,
      parent_message_id,
      file_descriptors: files,
      ...(sources.length > 0 && { internal_search_filters: { source_type: [...sources] } }),
      ...(model !== undefined && { llm_override: { model_configuration_id: model } }),
    },
    signal,
  })
