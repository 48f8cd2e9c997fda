// Row types of OAuth configurations, tokens and failures of tools, for the query builder.
import type { Generated } from 'kysely'
import type { EpochMillis, JsonText } from './column-types.ts'

export interface OauthConfigRow {
  id: Generated<number>
  name: string
  authorization_url: string
  token_url: string
  client_id: string | null
  client_secret: string | null
  scopes: JsonText | null
  additional_params: JsonText
  user_id: string
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface OauthTokenRow {
  id: Generated<number>
  oauth_config_id: number
  user_id: string
  token: string
  expires_at: EpochMillis | null
  held_until: EpochMillis
  time_updated: EpochMillis
}

export interface OauthStateRow {
  id: Generated<number>
  state_hash: string
  oauth_config_id: number
  user_id: string
  verifier: string
  redirect_uri: string
  return_path: string
  expires_at: EpochMillis
}

export interface ToolFailureRow {
  id: Generated<number>
  tool_id: number
  operation: string
  arguments: string
  reason: string
  status_code: number | null
  user_id: string
  failed_at: EpochMillis
}

export interface ToolTables {
  oauth_config: OauthConfigRow
  oauth_token: OauthTokenRow
  oauth_state: OauthStateRow
  tool_failure: ToolFailureRow
}
