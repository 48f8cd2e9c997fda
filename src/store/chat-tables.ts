// The tables of chats, as `sql/` makes them, for the query builder.
import type { Generated } from 'kysely'

export interface ChatSessionRow {
  id: string
  owner: string
  persona_id: number
  name: string | null
  folded_name: string
  shared_status: string
  incognito: 0 | 1
  overrides: string
  latest_child_id: number | null
  time_created: number
  time_updated: number
}

export interface ChatMessageRow {
  id: Generated<number>
  chat_session_id: string
  parent_id: number | null
  latest_child_id: number | null
  message_type: string
  status: string
  message: string
  folded: string
  error: string | null
  packets: string
  files: string
  feedback: string | null
  model: string | null
  input_tokens: number
  output_tokens: number
  runner: string | null
  alive_until: number | null
  time_sent: number
  time_ended: number | null
}

export interface ChatTables {
  chat_session: ChatSessionRow
  chat_message: ChatMessageRow
}
