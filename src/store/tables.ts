// The tables as `sql/` makes them, for the query builder.
import type { Generated } from 'kysely'
import type { ChatTables } from './chat-tables.ts'
import type { McpTables } from './mcp-tables.ts'
import type { ModelTables } from './model-tables.ts'
import type { PullingTables } from './pulling-tables.ts'
import type { ToolTables } from './tool-tables.ts'

type Flag = 0 | 1
type Json = string
type Millis = number

export interface ConnectorRow {
  id: Generated<number>
  name: string
  source: string
  input_type: string
  access_type: string
  connector_specific_config: Json
  refresh_freq: number | null
  prune_freq: number | null
  indexing_start: Millis | null
  time_created: Millis
  time_updated: Millis
}

export interface CredentialRow {
  id: Generated<number>
  name: string | null
  source: string
  credential_json: Json
  admin_public: Flag
  curator_public: Flag
  user_id: string | null
  user_email: string | null
  time_created: Millis
  time_updated: Millis
  deleting: Generated<Flag>
}

export interface CcPairRow {
  id: Generated<number>
  connector_id: number
  credential_id: number
  name: string
  access_type: string
  groups: Json
  status: string
  hidden: Flag
  creator: string | null
  time_created: Millis
  closed_by: string | null
}

export interface DocumentRow {
  id: string
  seq: number
  version: number
  content_hash: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  doc_updated_at: Millis | null
  metadata: Json
  primary_owners: Json
  secondary_owners: Json
  external_access: Json | null
  from_ingestion_api: Flag
  accepted_at: Millis
  deleted_at: Millis | null
  body_bytes: number
  sections: Json
  request_id: string | null
  changed_at: Millis | null
  warnings: Json | null
  hidden_characters: number
}

export interface DocumentCcPairRow {
  document_id: string
  cc_pair_id: number
  seq: number
}

export interface ReceiptRow {
  document_id: string
  seq: number
  indexed_at: Millis | null
  chunk_count: number | null
  attempts: number
  error: string | null
  retry_at: Millis | null
  mark: Generated<number>
  embedded_at: Millis | null
}

export interface ChunkVectorRow {
  hash: string
  model: string
  document_id: string
  vector: string
}

export interface ApiKeyRow {
  id: Generated<number>
  kid: string
  secret_hash: string
  display: string
  name: string | null
  role: string
  scopes: Json | null
  user_id: string
  user_email: string | null
  user_group_ids: Json
  created_at: Millis
  expires_at: Millis | null
  last_used_at: Millis | null
  daily_token_limit: number | null
}

export interface ToolRow {
  id: Generated<number>
  name: string
  display_name: string | null
  description: string
  definition: Json | null
  in_code_tool_id: string | null
  custom_headers: string | null
  passthrough_auth: Flag
  mcp_server_id: number | null
  user_id: string | null
  oauth_config_id: number | null
  enabled: Flag
  chat_selectable: Flag
  agent_creation_selectable: Flag
  default_enabled: Flag
  requires_confirmation: Generated<Flag>
  is_public: Generated<Flag>
  time_created: Millis
  time_updated: Millis
}

export interface UserFileRow {
  id: string
  name: string
  file_type: string
  size: number
  blob: string
  user_id: string
  created_at: Millis
}

export interface PatRow {
  id: Generated<number>
  kid: string
  secret_hash: string
  display: string
  name: string
  scopes: Json | null
  owner_kid: string
  created_at: Millis
  expires_at: Millis | null
  last_used_at: Millis | null
}

export interface SessionRow {
  id: Generated<number>
  token_hash: string
  owner_kid: string
  created_at: Millis
  last_used_at: Millis
}

export interface PersonaRow {
  id: Generated<number>
  name: string
  description: string
  system_prompt: string
  task_prompt: string
  datetime_aware: Flag
  replace_base_system_prompt: Flag
  starter_messages: Json
  search_start_date: Millis | null
  icon_name: string | null
  uploaded_image_id: string | null
  display_priority: number | null
  is_public: Flag
  is_listed: Flag
  is_featured: Flag
  builtin_persona: Flag
  user_id: string | null
  users: Generated<Json>
  groups: Generated<Json>
  default_model_configuration_id: number | null
  llm_model_provider_override: string | null
  llm_model_version_override: string | null
  deleted_at: Millis | null
  time_created: Millis
  time_updated: Millis
}

export interface DocumentSetRow {
  id: Generated<number>
  name: string
  description: string
  is_public: Flag
  users: Json
  groups: Json
  time_created: Millis
  time_updated: Millis
}

export interface WebhookRow {
  id: Generated<number>
  url: string
  events: Json
  cc_pair_ids: Json | null
  secret: string
  status: string
  reason: string | null
  position: number
  time_created: Millis
  time_updated: Millis
}

export interface WebhookDeliveryRow {
  id: Generated<number>
  webhook_id: number
  message_id: string
  event: string
  payload: Json
  documents: number
  created_at: Millis
  give_up_at: Millis
  attempts: number
  next_at: Millis | null
  delivered_at: Millis | null
  response_status: number | null
  answer: string | null
  error: string | null
}

export interface EgressApprovalRow {
  id: Generated<number>
  host: string
  port: number | null
  reason: string
  user_id: string
  user_email: string | null
  time_created: Millis
}

export interface EgressRefusalRow {
  host: string
  port: number
  rule: string
  profile: string
  asker: string
  count: number
  first_time: Millis
  last_time: Millis
}

export interface AuditRow {
  id: Generated<number>
  at: Millis
  actor_id: string
  api_key_id: number | null
  person: string | null
  action: string
  object_type: string
  object_id: string | null
  outcome: string
  error_code: string | null
  fields: Json
  request_id: string | null
  previous: string
  hash: string
}

export interface RecentQueryRow {
  user_id: string
  query: string
  asked_at: Millis
}

export interface RecordedQueryRow {
  id: Generated<number>
  search_id: string
  user_id: string
  query: string
  query_key: string
  filters: Json
  document_ids: Json
  total: number
  ranked_by: string
  took_ms: number
  asked_at: Millis
}

export interface SearchFeedbackRow {
  id: Generated<number>
  search_id: string
  user_id: string
  query_key: string
  document_id: string
  clicked: Flag
  thumb: string | null
  asked_at: Millis
}

export interface JudgementRow {
  id: Generated<number>
  query: string
  query_key: string
  document_id: string
  grade: number
  user_id: string
  judged_at: Millis
}

export interface Tables extends PullingTables, ToolTables, McpTables, ModelTables, ChatTables {
  record_identity: { id: string }
  sequence: { name: string; value: number }
  connector: ConnectorRow
  credential: CredentialRow
  cc_pair: CcPairRow
  document: DocumentRow
  document_cc_pair: DocumentCcPairRow
  receipt: ReceiptRow
  chunk_vector: ChunkVectorRow
  api_key: ApiKeyRow
  tool: ToolRow
  user_file: UserFileRow
  pat: PatRow
  session: SessionRow
  setting: { name: string; value: Json }
  persona: PersonaRow
  document_set: DocumentSetRow
  document_set_cc_pair: { document_set_id: number; cc_pair_id: number }
  webhook: WebhookRow
  webhook_delivery: WebhookDeliveryRow
  egress_approval: EgressApprovalRow
  egress_refusal: EgressRefusalRow
  recent_query: RecentQueryRow
  recorded_query: RecordedQueryRow
  search_feedback: SearchFeedbackRow
  judgement: JudgementRow
  ranking_setting: { name: string; value: Json }
  audit: AuditRow
  audit_person: { pseudonym: string; email: string }
  persona_tool: { persona_id: number; tool_id: number }
  persona_document_set: { persona_id: number; document_set_id: number }
}
