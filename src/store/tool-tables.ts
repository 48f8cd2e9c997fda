// The tables of what tools need beyond their own, for the query builder.
import type { Generated } from 'kysely'

type Json = string
type Millis = number

export interface OauthConfigRow {
  id: Generated<number>
  name: string
  authorization_url: string
  token_url: string
  client_id: string | null
  client_secret: string | null
  scopes: Json | null
  additional_params: Json
  user_id: string
  time_created: Millis
  time_updated: Millis
}

export interface OauthTokenRow {
  id: Generated<number>
  oauth_config_id: number
  user_id: string
  token: string
  expires_at: Millis | null
  held_until: Millis
  time_updated: Millis
}

export interface OauthStateRow {
  id: Generated<number>
  state_hash: string
  oauth_config_id: number
  user_id: string
  verifier: string
  redirect_uri: string
  return_path: string
  expires_at: Millis
}

export interface ToolFailureRow {
  id: Generated<number>
  tool_id: number
  operation: string
  arguments: string
  reason: string
  status_code: number | null
  user_id: string
  failed_at: Millis
}

export interface ToolTables {
  oauth_config: OauthConfigRow
  oauth_token: OauthTokenRow
  oauth_state: OauthStateRow
  tool_failure: ToolFailureRow
}
