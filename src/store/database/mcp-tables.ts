// Row types of the MCP server tables, for the query builder.
import type { Generated } from 'kysely'
import type { McpAuthPerformer, McpAuthType, McpStatus, McpTransport } from '../../domain/tools/mcp-server.ts'
import type { EpochMillis, JsonText, SqlFlag } from './column-types.ts'

export interface McpServerRow {
  id: Generated<number>
  name: string
  description: string
  server_url: string
  user_id: string
  transport: McpTransport
  auth_type: McpAuthType
  auth_performer: McpAuthPerformer
  auth_template: JsonText | null
  oauth: JsonText | null
  admin_credentials: string | null
  status: McpStatus
  is_public: SqlFlag
  users: JsonText
  groups: JsonText
  tool_policies: JsonText
  last_refreshed_at: EpochMillis | null
  passthrough_granted_by: string | null
  passthrough_granted_at: EpochMillis | null
  time_created: EpochMillis
  time_updated: EpochMillis
}

export interface McpUserCredentialRow {
  id: Generated<number>
  mcp_server_id: number
  user_id: string
  credentials: string
  time_updated: EpochMillis
}

export interface McpOauthFlowRow {
  id: Generated<number>
  state_hash: string
  mcp_server_id: number
  user_id: string
  flow: string
  expires_at: EpochMillis
}

export interface McpToolRow {
  tool_id: number
  input_schema: JsonText
  is_read_only: SqlFlag
  is_offered: SqlFlag
}

export interface McpTables {
  mcp_server: McpServerRow
  mcp_user_credential: McpUserCredentialRow
  mcp_oauth_flow: McpOauthFlowRow
  mcp_tool: McpToolRow
}
