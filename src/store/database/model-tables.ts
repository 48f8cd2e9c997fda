// Row types of the language model tables, for the query builder.
import type { Generated } from 'kysely'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'

export interface LlmProviderRow {
  id: Generated<number>
  name: string
  provider: string
  api_base: string | null
  api_version: string | null
  deployment_name: string | null
  secrets: string
  is_public: SqlFlag
  is_auto_mode: SqlFlag
  groups: JsonText
  personas: JsonText
  fallback_order: number | null
  first_token_timeout_ms: number | null
  idle_timeout_ms: number | null
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface LlmModelRow {
  id: Generated<number>
  provider_id: number
  name: string
  display_name: string | null
  is_visible: SqlFlag
  max_input_tokens: number | null
  supports_image_input: SqlFlag
  supports_tools: SqlFlag
}

export interface FailingModelRow {
  provider_id: number
  model_name: string
  /** A digest of the settings that the failed calls used. */
  settings: string
  failures: number
  failing_since: EpochMillis
  reason: string
}

export interface TokenUsageRow {
  day: string
  user_id: string
  model: string
  input_tokens: number
  output_tokens: number
  calls: number
}

export interface UsageLimitRow {
  id: Generated<number>
  applies_to: 'global' | 'user' | 'user_group' | 'person' | 'key'
  group_id: number | null
  person_id: string | null
  api_key_id: number | null
  requests_per_minute: number | null
  /** In thousands. */
  token_budget: number | null
  period_hours: number | null
  enabled: SqlFlag
  time_created: EpochMillis
}

export interface ModelTables {
  failing_model: FailingModelRow
  usage_limit: UsageLimitRow
  token_hour: { hour: number; user_id: string; tokens: number }
  llm_provider: LlmProviderRow
  llm_model: LlmModelRow
  llm_default: { purpose: string; provider_id: number; model_name: string }
  token_usage: TokenUsageRow
}
