// The words of a chat that have no name on the wire, and the one call that answers with a stream.
import type { ChatMessageDetail, PacketObject } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'

type Of<T extends PacketObject['type']> = Extract<PacketObject, { type: T }>

export type Citation = Omit<Of<'citation_info'>, 'type'>
export type SearchFilters = Omit<Of<'search_tool_filter_delta'>, 'type'>
export type FileRead = Of<'file_reader_result'>
export type PendingCall = Omit<Of<'custom_tool_confirmation'>, 'type'>
export type ToolAnswer = Of<'custom_tool_delta'>
export type TokenUsage = Omit<Of<'token_usage'>, 'type'>
export type FileDescriptor = ChatMessageDetail['files'][number]

export interface Question {
  message: string
  /** Null: it is a first one. A question: that one is answered again. */
  parent_message_id: number | null
  files: FileDescriptor[]
}

export const sendQuestion = (
  place: { chat_session_id: string } | { chat_session_info: { persona_id: number } },
  { message, parent_message_id, files }: Question,
  signal: AbortSignal,
): Promise<Response> =>
  api.raw({
    method: 'POST',
    path: '/chat/send-chat-message',
    json: { ...place, message, parent_message_id, file_descriptors: files, origin: 'webapp', stream: true },
    signal,
  })
