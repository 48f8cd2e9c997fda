// A remote MCP server in the form of the API. Only its owner sees its address and its credentials.

import { groupIdsToWire } from '../../domain/connector.ts'
import type { Subject } from '../../domain/subject.ts'
import { type McpServer, maskCredentialFields, requiredTemplateFields } from '../../domain/tools/mcp-server.ts'
import { toGrantSnapshot } from '../../domain/tools/passthrough.ts'
import type { Database } from '../../store/database/database.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { findMcpCredentials, type McpCredentials } from '../../store/tools/mcp-credentials.ts'
import { isOwnMcpServer, type StoredMcpServer } from '../../store/tools/mcp-servers.ts'
import { countMcpTools } from '../../store/tools/mcp-tools.ts'
import { hasCredentials } from '../../tools/mcp/remote-server.ts'
import { isoOrNull } from '../wire/iso.ts'

interface McpSnapshotDeps {
  db: Database
  secrets: SecretBox
}

export async function mcpServerSnapshots(
  services: McpSnapshotDeps,
  subject: Subject,
  servers: readonly StoredMcpServer[],
): Promise<McpServer[]> {
  const counts = await countMcpTools(services.db)
  return Promise.all(servers.map((it) => toSnapshot(services, subject, it, counts.get(it.id) ?? 0)))
}

export async function mcpServerSnapshot(
  services: McpSnapshotDeps,
  subject: Subject,
  server: StoredMcpServer,
): Promise<McpServer> {
  const counts = await countMcpTools(services.db)
  return toSnapshot(services, subject, server, counts.get(server.id) ?? 0)
}

export const canUsersAuthenticate = ({ auth_type, auth_performer }: StoredMcpServer): boolean =>
  auth_performer === 'PER_USER' && (auth_type === 'API_TOKEN' || auth_type === 'OAUTH')

async function toSnapshot(
  services: McpSnapshotDeps,
  subject: Subject,
  { oauth, user_id, server_url, users, groups, last_refreshed_at, ...server }: StoredMcpServer,
  tool_count: number,
): Promise<McpServer> {
  const stored = { oauth, user_id, server_url, users, groups, last_refreshed_at, ...server }
  const isOwner = isOwnMcpServer(stored, subject)
  const adminCredentials = await findMcpCredentials(services, { server: server.id, person: null })
  const userCredentials = await findMcpCredentials(services, { server: server.id, person: subject.user_id })
  return {
    ...server,
    server_url: isOwner ? server_url : '',
    owner: isOwner ? user_id : '',
    oauth_provider_mode: hasKnownProvider(stored) ? 'KNOWN_PROVIDER' : 'AUTO_DISCOVERY',
    oauth_scopes: oauth.scopes,
    oauth_authorization_url: isOwner ? oauth.authorization_url : null,
    oauth_token_url: isOwner ? oauth.token_url : null,
    // Other users see the required fields but not the fixed header values.
    auth_template: isOwner ? server.auth_template : requiredFieldsTemplate(stored),
    user_can_authenticate: canUsersAuthenticate(stored),
    is_authenticated: await hasCredentials(services, stored, subject),
    users: isOwner ? users : [],
    groups: isOwner ? groupIdsToWire(groups) : [],
    last_refreshed_at: isoOrNull(last_refreshed_at),
    tool_count,
    user_credentials:
      Object.keys(userCredentials.fields).length === 0 ? null : maskCredentialFields(userCredentials.fields),
    admin_credentials: isOwner ? maskedCredentials(adminCredentials) : null,
    passthrough_grant: toGrantSnapshot(server.passthrough_grant),
    permissions: { edit: isOwner, delete: isOwner },
    version: isOwner ? server.version : '',
    tool_policies: { ...server.tool_policies },
  }
}

const hasKnownProvider = ({ auth_type, oauth }: StoredMcpServer): boolean =>
  auth_type === 'OAUTH' && oauth.authorization_url !== null && oauth.token_url !== null

const requiredFieldsTemplate = (server: StoredMcpServer): McpServer['auth_template'] =>
  canUsersAuthenticate(server) && server.auth_type === 'API_TOKEN'
    ? { headers: {}, required_fields: requiredTemplateFields(server.auth_template) }
    : null

/** `client_id` is not secret: it is part of the sign-in URL. */
function maskedCredentials({ fields, client, isClientGiven }: McpCredentials): Record<string, string> | null {
  const { client_id, client_secret } = isClientGiven && client !== null ? client : {}
  const all = {
    ...maskCredentialFields(fields),
    ...(client_id !== undefined && { client_id: String(client_id) }),
    ...(client_secret !== undefined && maskCredentialFields({ client_secret: String(client_secret) })),
  }
  return Object.keys(all).length === 0 ? null : all
}
