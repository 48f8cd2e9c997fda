// The tables of remote servers of the Model Context Protocol, for the query builder.
import type { Generated } from 'kysely'

type Flag = 0 | 1
type Json = string
type Millis = number

export interface McpServerRow {
  id: Generated<number>
  name: string
  description: string
  server_url: string
  user_id: string
  transport: string
  auth_type: string
  auth_performer: string
  auth_template: Json | null
  oauth: Json | null
  admin_credentials: string | null
  status: string
  is_public: Flag
  users: Json
  groups: Json
  tool_policies: Json
  last_refreshed_at: Millis | null
  time_created: Millis
  time_updated: Millis
}

export interface McpUserCredentialRow {
  id: Generated<number>
  mcp_server_id: number
  user_id: string
  credentials: string
  time_updated: Millis
}

export interface McpOauthFlowRow {
  id: Generated<number>
  state_hash: string
  mcp_server_id: number
  user_id: string
  flow: string
  expires_at: Millis
}

export interface McpToolRow {
  tool_id: number
  input_schema: Json
  is_read_only: Flag
  is_offered: Flag
}

export interface McpTables {
  mcp_server: McpServerRow
  mcp_user_credential: McpUserCredentialRow
  mcp_oauth_flow: McpOauthFlowRow
  mcp_tool: McpToolRow
}
