// A remote server as the asker may see it: its address and what was given for it are its owner's business.

import { wireGroups } from '../domain/connector.ts'
import { fieldsOf, type McpServer, maskFields } from '../domain/mcp-server.ts'
import type { Subject } from '../domain/subject.ts'
import { findCredentials, type McpCredentials } from '../store/mcp-credentials.ts'
import { isOwnMcpServer, type StoredMcpServer } from '../store/mcp-servers.ts'
import { countMcpTools } from '../store/mcp-tools.ts'
import { isAuthenticated } from '../tools/mcp-remote.ts'
import { isoOrNull } from './iso.ts'
import type { Services } from './services.ts'

export async function mcpServersFor(
  services: Services,
  subject: Subject,
  servers: readonly StoredMcpServer[],
): Promise<McpServer[]> {
  const counts = await countMcpTools(services.db)
  return Promise.all(servers.map((it) => snapshot(services, subject, it, counts.get(it.id) ?? 0)))
}

export const mcpServerFor = async (services: Services, subject: Subject, server: StoredMcpServer): Promise<McpServer> =>
  (await mcpServersFor(services, subject, [server]))[0]!

export const canSignIn = ({ auth_type, auth_performer }: StoredMcpServer): boolean =>
  auth_performer === 'PER_USER' && (auth_type === 'API_TOKEN' || auth_type === 'OAUTH')

async function snapshot(
  services: Services,
  subject: Subject,
  { oauth, user_id, server_url, users, groups, last_refreshed_at, ...server }: StoredMcpServer,
  tool_count: number,
): Promise<McpServer> {
  const stored = { oauth, user_id, server_url, users, groups, last_refreshed_at, ...server }
  const isOwn = isOwnMcpServer(stored, subject)
  const given = await findCredentials(services, { server: server.id, person: null })
  const own = await findCredentials(services, { server: server.id, person: subject.user_id })
  return {
    ...server,
    server_url: isOwn ? server_url : '',
    owner: isOwn ? user_id : '',
    oauth_provider_mode: server.auth_type !== 'OAUTH' ? null : given.isClientGiven ? 'STATIC' : 'DYNAMIC',
    oauth_scopes: oauth.scopes,
    oauth_authorization_url: isOwn ? oauth.authorization_url : null,
    oauth_token_url: isOwn ? oauth.token_url : null,
    // Others are told which fields to give, not what is fixed in the headers.
    auth_template: isOwn ? server.auth_template : fieldsOnly(stored),
    user_can_authenticate: canSignIn(stored),
    is_authenticated: await isAuthenticated(services, stored, subject),
    users: isOwn ? users : [],
    groups: isOwn ? wireGroups(groups) : [],
    last_refreshed_at: isoOrNull(last_refreshed_at),
    tool_count,
    user_credentials: Object.keys(own.fields).length === 0 ? null : maskFields(own.fields),
    admin_credentials: isOwn ? maskedOf(given) : null,
    permissions: { edit: isOwn, delete: isOwn },
    tool_policies: { ...server.tool_policies },
  }
}

const fieldsOnly = (server: StoredMcpServer): McpServer['auth_template'] =>
  canSignIn(server) && server.auth_type === 'API_TOKEN'
    ? { headers: {}, required_fields: fieldsOf(server.auth_template) }
    : null

/** The id of a client is no secret: it stands in the address of the page to sign in. */
function maskedOf({ fields, client, isClientGiven }: McpCredentials): Record<string, string> | null {
  const { client_id, client_secret } = isClientGiven && client !== null ? client : {}
  const all = {
    ...maskFields(fields),
    ...(client_id !== undefined && { client_id: String(client_id) }),
    ...(client_secret !== undefined && maskFields({ client_secret: String(client_secret) })),
  }
  return Object.keys(all).length === 0 ? null : all
}
