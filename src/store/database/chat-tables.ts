// Row types of the chat tables in `sql/`, for the query builder.
import type { Generated } from 'kysely'
import type { MessageStatus, MessageType, SharedStatus } from '../../domain/chat/chat.ts'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'

export interface ChatSessionRow {
  id: string
  owner: string
  persona_id: number
  name: string | null
  folded_name: string
  shared_status: SharedStatus
  incognito: SqlFlag
  overrides: JsonText
  latest_child_id: number | null
  time_created: EpochMillis
  time_updated: EpochMillis
  deleted_at: EpochMillis | null
  /** Null outside of projects. */
  project_id: number | null
}

export interface SavedPromptRow {
  id: Generated<number>
  user_id: string
  prompt: string
  content: string
  active: SqlFlag
  time_created: EpochMillis
}

export interface ChatMessageRow {
  id: Generated<number>
  chat_session_id: string
  parent_id: number | null
  latest_child_id: number | null
  message_type: MessageType
  status: MessageStatus
  message: string
  folded: string
  error: string | null
  packets: JsonText
  files: JsonText
  /** Only a question has them: the sources that it was limited to. */
  sources: JsonText
  feedback: JsonText | null
  model: string | null
  input_tokens: number
  output_tokens: number
  /** Citations of the model that its passages did not support. */
  citations_removed: number
  runner: string | null
  alive_until: EpochMillis | null
  time_sent: EpochMillis
  time_ended: EpochMillis | null
}

export interface ProjectRow {
  id: Generated<number>
  owner: string
  name: string
  description: string | null
  instructions: string
  time_created: EpochMillis
}

export interface ChatTables {
  chat_session: ChatSessionRow
  chat_message: ChatMessageRow
  chat_reader: { chat_session_id: string; email_key: string }
  chat_reader_group: { chat_session_id: string; group_id: number }
  project: ProjectRow
  project_file: { project_id: number; file_id: string }
  saved_prompt: SavedPromptRow
}
