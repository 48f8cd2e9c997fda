// The words of a chat, and the calls that answer with JSON. What streams is read by `read-stream.ts`.
import type { SearchDoc } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'

export type PacketObject =
  | {
      type: 'message_start'
      final_documents: SearchDoc[] | null
      is_extractive?: boolean
      extractive_reason?: string | null
    }
  | { type: 'message_delta'; content: string }
  | ({ type: 'citation_info' } & Citation)
  | { type: 'citations_removed'; count: number }
  | { type: 'reasoning_start' | 'reasoning_done' | 'section_end' | 'chat_heartbeat' }
  | { type: 'reasoning_delta'; reasoning: string }
  | { type: 'search_tool_start'; is_internet_search: boolean }
  | { type: 'search_tool_queries_delta'; queries: string[] }
  | ({ type: 'search_tool_filter_delta' } & SearchFilters)
  | { type: 'search_tool_documents_delta' | 'open_url_documents'; documents: SearchDoc[] }
  | { type: 'open_url_start' | 'file_reader_start' }
  | { type: 'open_url_urls'; urls: string[] }
  | ({ type: 'file_reader_result' } & FileRead)
  | { type: 'custom_tool_start'; tool_name: string; tool_id: number }
  | { type: 'custom_tool_args'; tool_name: string; tool_args: Record<string, unknown> }
  | ({ type: 'custom_tool_confirmation' } & PendingCall)
  | ({ type: 'custom_tool_delta' } & ToolAnswer)
  | ({ type: 'token_usage' } & TokenUsage)
  | { type: 'error'; message: string }
  | { type: 'stop'; stop_reason: string | null }

export interface Citation {
  citation_number: number
  document_id: string
  chunk_ind?: number
  link?: string | null
  quote?: string | null
}

export interface SearchFilters {
  sources: string[]
  time_filter_start: string | null
  time_filter_end: string | null
}

export interface FileRead {
  file_name: string
  file_id: string
  start_char: number
  end_char: number
  total_chars: number
  preview_start: string
  preview_end: string
}

export interface PendingCall {
  tool_name: string
  tool_id: number
  confirmation_id: string
  method: string
  url: string
  tool_args: Record<string, unknown>
}

export interface ToolAnswer {
  tool_name: string
  response_type: string
  data?: unknown
  error?: {
    is_auth_error: boolean
    status_code: number | null
    message: string
    /** The account that has to be connected first. */
    oauth_config_id?: number
  } | null
}

export interface TokenUsage {
  model: string
  input_tokens: number
  output_tokens: number
}

export interface Packet {
  placement: { turn_index: number; tab_index: number; sub_turn_index: number | null; model_index: number | null }
  obj: PacketObject
}

/** What a stream says, line by line. */
export type StreamLine =
  | { chat_session_id: string }
  | { user_message_id: number; reserved_assistant_message_id: number }
  | Packet
  | { error: string }

export interface FileDescriptor {
  id: string
  type: string
  name: string | null
}

export interface WireMessage {
  message_id: number
  parent_message: number | null
  latest_child_message: number | null
  message_type: 'user' | 'assistant'
  message: string
  time_sent: string
  files: FileDescriptor[]
  status: 'running' | 'done' | 'stopped' | 'failed'
  error: string | null
  feedback: { is_positive: boolean | null; feedback_text: string | null } | null
}

export interface WireChat {
  chat_session_id: string
  description: string | null
  persona_id: number
  persona_name: string
  shared_status: 'public' | 'private'
  /** The first message that is shown. */
  latest_child_message: number | null
  messages: WireMessage[]
  /** One list for each answer, in the order of the messages. */
  packets: Packet[][]
}

export interface ChatListed {
  id: string
  name: string | null
  time_updated: string
  shared_status: 'public' | 'private'
}

export interface Question {
  message: string
  parent_message_id: number | null
  files: FileDescriptor[]
}

type Signal = AbortSignal | undefined
const chatPath = (id: string) => `/chat/chat-session/${encodeURIComponent(id)}`

export const sendQuestion = (
  place: { chat_session_id: string } | { chat_session_info: { persona_id: number } },
  { message, parent_message_id, files }: Question,
  signal: Signal,
): Promise<Response> =>
  api.raw({
    method: 'POST',
    path: '/chat/send-chat-message',
    json: { ...place, message, parent_message_id, file_descriptors: files, origin: 'webapp', stream: true },
    signal,
  })

/** What is said from that packet on, of an answer that is being given. */
export const resumeAnswer = (id: string, cursor: number, signal: Signal): Promise<Response> =>
  api.raw({ method: 'GET', path: `${chatPath(id)}/resume-stream`, query: { cursor }, signal })

export const getChat = (id: string, isShared: boolean, signal: Signal): Promise<WireChat> =>
  api.json({
    method: 'GET',
    path: `/chat/get-chat-session/${encodeURIComponent(id)}`,
    query: isShared ? { is_shared: true } : {},
    signal,
  })

export const listChats = (
  before: string | null,
  signal: Signal,
): Promise<{ sessions: ChatListed[]; has_more: boolean }> =>
  api.json({ method: 'GET', path: '/chat/get-user-chat-sessions', query: { page_size: 50, before }, signal })

export const searchChats = (
  query: string,
  page: number,
  signal: Signal,
): Promise<{ groups: { title: string; chats: ChatListed[] }[]; has_more: boolean; next_page: number | null }> =>
  api.json({ method: 'GET', path: '/chat/search', query: { query, page, page_size: 30 }, signal })

export const renameChat = (id: string, name: string): Promise<{ new_name: string }> =>
  api.json({ method: 'PUT', path: '/chat/rename-chat-session', json: { chat_session_id: id, name } })

export const deleteChat = (id: string): Promise<null> =>
  api.json({ method: 'DELETE', path: `/chat/delete-chat-session/${encodeURIComponent(id)}` })

export const shareChat = (id: string, sharing_status: 'public' | 'private'): Promise<null> =>
  api.json({ method: 'PATCH', path: chatPath(id), json: { sharing_status } })

export const stopChat = (id: string): Promise<unknown> =>
  api.json({ method: 'POST', path: `/chat/stop-chat-session/${encodeURIComponent(id)}` })

export const showMessage = (message_id: number): Promise<null> =>
  api.json({ method: 'PUT', path: '/chat/set-message-as-latest', json: { message_id } })

export const sayFeedback = (chat_message_id: number, is_positive: boolean, feedback_text: string | null) =>
  api.json<null>({
    method: 'POST',
    path: '/chat/create-chat-message-feedback',
    json: { chat_message_id, is_positive, feedback_text },
  })

export const removeFeedback = (chat_message_id: number): Promise<null> =>
  api.json({ method: 'DELETE', path: '/chat/remove-chat-message-feedback', query: { chat_message_id } })

export const confirmCall = (chat_session_id: string, confirmation_id: string, approve: boolean): Promise<unknown> =>
  api.json({
    method: 'POST',
    path: '/chat/confirm-tool-call',
    json: { chat_session_id, confirmation_id, approve },
  })
