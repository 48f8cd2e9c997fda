// Row types of the tables in `sql/`, for the query builder.
import type { Generated } from 'kysely'
import type { AlertEvent, AlertKind } from '../../domain/alerts/alert.ts'
import type { AuditOutcome } from '../../domain/audit.ts'
import type { Resolution } from '../../domain/samples/series.ts'
import type { RankedBy } from '../../domain/search/relevance.ts'
import type { DeletionCause } from '../../domain/trash.ts'
import type { WebhookEvent, WebhookStatus } from '../../domain/webhook.ts'
import type { FreshnessTables, TextColumns } from '../freshness/freshness-tables.ts'
import type { NearDuplicateTables } from '../near-duplicates/near-duplicate-tables.ts'
import type { PopularityTables } from '../popularity/popularity-tables.ts'
import type { RecognitionTables } from '../recognition/recognition-tables.ts'
import type { SensitiveTables, WithheldColumns } from '../sensitive/sensitive-tables.ts'
import type { ChatTables } from './chat-tables.ts'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'
import type { ConnectorRunTables } from './connector-run-tables.ts'
import type { IdentityTables } from './identity-tables.ts'
import type { McpTables } from './mcp-tables.ts'
import type { ModelTables } from './model-tables.ts'
import type { PassthroughTables } from './passthrough-tables.ts'
import type { SignInTables } from './sign-in-tables.ts'
import type { ToolTables } from './tool-tables.ts'

export interface ConnectorRow {
  id: Generated<number>
  name: string
  source: string
  input_type: string
  access_type: string
  connector_specific_config: JsonText
  refresh_freq: number | null
  prune_freq: number | null
  indexing_start: EpochMillis | null
  creator: string | null
  is_curated: Generated<SqlFlag>
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface CredentialRow {
  id: Generated<number>
  name: string | null
  source: string
  credential_json: JsonText
  admin_public: SqlFlag
  curator_public: SqlFlag
  user_id: string | null
  user_email: string | null
  time_created: EpochMillis
  time_updated: EpochMillis
  deleting: Generated<SqlFlag>
  /** A list; null until the first start after the upgrade that added it. */
  allowed_origins: Generated<JsonText | null>
}

export interface CcPairRow {
  id: Generated<number>
  connector_id: number
  credential_id: number
  name: string
  access_type: string
  groups: JsonText
  status: string
  hidden: SqlFlag
  creator: string | null
  time_created: EpochMillis
  closed_by: string | null
  /** Since when the pair is paused; null if it is not. */
  paused_at: Generated<EpochMillis | null>
}

export interface DocumentRow extends WithheldColumns, TextColumns {
  id: string
  seq: number
  version: number
  content_hash: string
  semantic_identifier: string
  title: string | null
  source: string
  link: string | null
  doc_updated_at: EpochMillis | null
  metadata: JsonText
  primary_owners: JsonText
  secondary_owners: JsonText
  external_access: JsonText | null
  from_ingestion_api: SqlFlag
  accepted_at: EpochMillis
  deleted_at: EpochMillis | null
  body_bytes: number
  sections: JsonText
  request_id: string | null
  changed_at: EpochMillis | null
  warnings: JsonText | null
  hidden_characters: number
  pushed_by: string | null
  deleted_by: string | null
  deletion_cause: DeletionCause | null
  trashed_pairs: string | null
  held_from_prune: Generated<SqlFlag>
  no_text: SqlFlag | null
  text_report: string | null
}

export interface DocumentCcPairRow {
  document_id: string
  cc_pair_id: number
  seq: number
}

export interface ReceiptRow {
  document_id: string
  seq: number
  indexed_at: EpochMillis | null
  chunk_count: number | null
  attempts: number
  error: string | null
  retry_at: EpochMillis | null
  mark: Generated<number>
  embedded_at: EpochMillis | null
}

export interface ChunkVectorRow {
  hash: string
  model: string
  document_id: string
  vector: string
  text_hash: string | null
}

export interface ToolRow {
  id: Generated<number>
  name: string
  display_name: string | null
  description: string
  definition: JsonText | null
  in_code_tool_id: string | null
  custom_headers: string | null
  passthrough_auth: SqlFlag
  mcp_server_id: number | null
  user_id: string | null
  oauth_config_id: number | null
  enabled: SqlFlag
  chat_selectable: SqlFlag
  agent_creation_selectable: SqlFlag
  /** An administrator switched the tool off, and another user owns it. */
  held_off: SqlFlag
  default_enabled: SqlFlag
  requires_confirmation: Generated<SqlFlag>
  is_public: Generated<SqlFlag>
  passthrough_granted_by: string | null
  passthrough_granted_at: EpochMillis | null
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface UserFileRow {
  id: string
  name: string
  file_type: string
  size: number
  blob: string
  user_id: string
  created_at: EpochMillis
}

export interface PersonaRow {
  id: Generated<number>
  name: string
  description: string
  system_prompt: string
  task_prompt: string
  datetime_aware: SqlFlag
  replace_base_system_prompt: SqlFlag
  starter_messages: JsonText
  search_start_date: EpochMillis | null
  icon_name: string | null
  uploaded_image_id: string | null
  display_priority: number | null
  is_public: SqlFlag
  is_listed: SqlFlag
  is_featured: SqlFlag
  builtin_persona: SqlFlag
  user_id: string | null
  users: Generated<JsonText>
  groups: Generated<JsonText>
  default_model_configuration_id: number | null
  llm_model_provider_override: string | null
  llm_model_version_override: string | null
  deleted_at: EpochMillis | null
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface DocumentSetRow {
  id: Generated<number>
  name: string
  description: string
  is_public: SqlFlag
  users: JsonText
  groups: JsonText
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface WebhookRow {
  id: Generated<number>
  url: string
  events: JsonText
  cc_pair_ids: JsonText | null
  secret: string
  status: WebhookStatus
  reason: string | null
  position: number
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface WebhookDeliveryRow {
  id: Generated<number>
  webhook_id: number
  message_id: string
  event: WebhookEvent | 'test'
  payload: JsonText
  documents: number
  created_at: EpochMillis
  give_up_at: EpochMillis
  attempts: number
  next_at: EpochMillis | null
  delivered_at: EpochMillis | null
  response_status: number | null
  answer: string | null
  error: string | null
}

export interface AlertRow {
  id: Generated<number>
  kind: AlertKind
  object_id: string
  cc_pair_id: number | null
  name: string | null
  reason: string | null
  count: number | null
  due_at: EpochMillis | null
  since: EpochMillis
  opened_at: EpochMillis
  ended_at: Generated<EpochMillis | null>
  closed_at: Generated<EpochMillis | null>
  seen_by: string | null
  seen_at: EpochMillis
}

export interface AlertDismissalRow {
  id: Generated<number>
  alert_id: number
  /** The empty text for everybody. */
  user_id: string
  until: EpochMillis | null
  time_created: EpochMillis
}

export interface AlertMailRow {
  id: Generated<number>
  alert_id: number
  person_id: string
  event: AlertEvent
  attempts: Generated<number>
  /** Null once it is sent. */
  next_at: EpochMillis | null
  give_up_at: EpochMillis
  sent_at: Generated<EpochMillis | null>
}

export interface EgressApprovalRow {
  id: Generated<number>
  host: string
  port: number | null
  reason: string
  user_id: string
  user_email: string | null
  time_created: EpochMillis
}

export interface EgressRefusalRow {
  host: string
  port: number
  rule: string
  profile: string
  asker: string
  count: number
  first_time: EpochMillis
  last_time: EpochMillis
}

export interface AuditRow {
  id: Generated<number>
  at: EpochMillis
  actor_id: string
  api_key_id: number | null
  person: string | null
  action: string
  object_type: string
  object_id: string | null
  outcome: AuditOutcome
  error_code: string | null
  fields: JsonText
  request_id: string | null
  previous: string
  hash: string
}

export interface RecentQueryRow {
  user_id: string
  query: string
  asked_at: EpochMillis
}

export interface RecordedQueryRow {
  id: Generated<number>
  search_id: string
  user_id: string
  query: string
  query_key: string
  filters: JsonText
  document_ids: JsonText
  total: number
  ranked_by: RankedBy
  took_ms: number
  asked_at: EpochMillis
}

export interface JudgementRow {
  id: Generated<number>
  query: string
  query_key: string
  document_id: string
  grade: number
  user_id: string
  judged_at: EpochMillis
}

export interface SampleRow {
  resolution: Resolution
  at: EpochMillis
  process: string
  measurements: JsonText
}

export interface DatabaseTables
  extends ConnectorRunTables,
    ToolTables,
    McpTables,
    ModelTables,
    ChatTables,
    PassthroughTables,
    RecognitionTables,
    FreshnessTables,
    SensitiveTables,
    NearDuplicateTables,
    PopularityTables,
    IdentityTables,
    SignInTables {
  record_identity: { id: string }
  sequence: { name: string; value: number }
  connector: ConnectorRow
  credential: CredentialRow
  cc_pair: CcPairRow
  document: DocumentRow
  document_cc_pair: DocumentCcPairRow
  receipt: ReceiptRow
  chunk_vector: ChunkVectorRow
  tool: ToolRow
  user_file: UserFileRow
  setting: { name: string; value: JsonText }
  persona: PersonaRow
  document_set: DocumentSetRow
  document_set_cc_pair: { document_set_id: number; cc_pair_id: number }
  webhook: WebhookRow
  webhook_delivery: WebhookDeliveryRow
  alert: AlertRow
  alert_dismissal: AlertDismissalRow
  alert_mail: AlertMailRow
  egress_approval: EgressApprovalRow
  egress_refusal: EgressRefusalRow
  recent_query: RecentQueryRow
  recorded_query: RecordedQueryRow
  judgement: JudgementRow
  ranking_setting: { name: string; value: JsonText }
  sample: SampleRow
  audit: AuditRow
  audit_person: { pseudonym: string; email: string }
  persona_tool: { persona_id: number; tool_id: number }
  persona_document_set: { persona_id: number; document_set_id: number }
}
