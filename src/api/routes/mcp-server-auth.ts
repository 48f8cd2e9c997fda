import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import {
  MCP_AUTH_PERFORMERS,
  MCP_AUTH_TYPES,
  MCP_STATUSES,
  McpServerAuth,
  unmaskFields,
} from '../../domain/mcp-server.ts'
import { changeCredentials } from '../../store/mcp-credentials.ts'
import {
  getOwnMcpServer,
  insertMcpServer,
  type McpServerPatch,
  noteMcpStatus,
  type StoredMcpServer,
  updateMcpServer,
} from '../../store/mcp-servers.ts'
import { holderOf } from '../../tools/mcp-oauth.ts'
import { isAuthenticated } from '../../tools/mcp-remote.ts'
import { route } from '../route.ts'
import { ADDRESS_NOTE, type Asked, admin, checkUrl, newServer, OWN_ERRORS } from './mcp-servers.ts'

const Created = z
  .object({
    server_id: z.int(),
    server_name: z.string(),
    server_url: z.string(),
    auth_type: z.enum(MCP_AUTH_TYPES),
    auth_performer: z.enum(MCP_AUTH_PERFORMERS),
    status: z.enum(MCP_STATUSES),
    is_authenticated: z.boolean(),
    no_user_authentication_required: z.boolean(),
  })
  .meta({ id: 'MCPServerCreateResponse' })

/** What the upsert says of the server itself. */
const authPatch = (body: McpServerAuth): McpServerPatch => ({
  name: body.name,
  server_url: body.server_url,
  ...(body.description !== null && { description: body.description }),
  transport: body.transport ?? 'STREAMABLE_HTTP',
  auth_type: body.auth_type,
  auth_performer: body.auth_performer ?? 'ADMIN',
  auth_template: body.auth_template,
  oauth: {
    scopes: body.oauth_scopes ?? [],
    authorization_url: body.oauth_authorization_url,
    token_url: body.oauth_token_url,
  },
})

/** Secrets that are absent, or sent as they were read, stay as they are. */
async function keepSecrets({ services, subject }: Asked, server: StoredMcpServer, body: McpServerAuth): Promise<void> {
  const now = services.now()
  const fields = { ...body.admin_credentials, ...(body.api_token !== null && { api_key: body.api_token }) }
  if (Object.keys(fields).length > 0) {
    const change = (given: Record<string, string>) => ({ ...given, ...unmaskFields(fields, given) })
    await changeCredentials(services, holderOf(server, subject), (it) => ({ ...it, fields: change(it.fields) }), now)
  }
  const { oauth_client_id: client_id, oauth_client_secret } = body
  if (client_id === null) return
  await changeCredentials(
    services,
    { server: server.id, person: null },
    (it) => {
      const stored = String(it.client?.client_secret ?? '')
      const secret = oauth_client_secret && unmaskFields({ secret: oauth_client_secret }, { secret: stored }).secret
      return { ...it, isClientGiven: true, client: { client_id, ...(secret && { client_secret: secret }) } }
    },
    now,
  )
}

async function upsert(asked: Asked, body: McpServerAuth): Promise<z.infer<typeof Created>> {
  const { services, subject } = asked
  const { existing_server_id: id } = body
  if ((body.oauth_authorization_url === null) !== (body.oauth_token_url === null)) {
    const reason = '`oauth_authorization_url` and `oauth_token_url` are given together, or neither.'
    throw new AppError('INVALID_INPUT', { reason })
  }
  if (id !== null) await getOwnMcpServer(services.db, subject, id)
  await checkUrl(asked, body.server_url, id)
  const patch = authPatch(body)
  const base = { ...body, is_public: null, users: null, groups: null }
  const server =
    id === null
      ? await insertMcpServer(services.db, subject, { ...newServer(subject, base), ...patch }, services.now())
      : await updateMcpServer(services.db, subject, id, patch, services.now())
  await keepSecrets(asked, server, body)
  const isReady = await isAuthenticated(services, server, subject)
  const status = isReady ? (server.status === 'AWAITING_AUTH' ? 'CREATED' : server.status) : 'AWAITING_AUTH'
  await noteMcpStatus(services.db, server.id, { status })
  return {
    server_id: server.id,
    server_name: server.name,
    server_url: server.server_url,
    auth_type: server.auth_type,
    auth_performer: server.auth_performer,
    status,
    is_authenticated: isReady,
    no_user_authentication_required: server.auth_type === 'NONE' || server.auth_performer === 'ADMIN',
  }
}

export const mcpServerAuthRoutes = [
  route({
    ...admin,
    method: 'POST',
    path: '/admin/mcp/servers/create',
    summary: 'Create or update MCP server with credentials',
    description: `With \`existing_server_id\` it changes that one. Secrets are kept encrypted and masked in every answer; absent or masked ones stay as they are. \`PT_OAUTH\` passes on the \`Authorization\` of whoever asks. ${ADDRESS_NOTE}`,
    audit: { action: 'mcp_server.authorize', object: (_, made) => made.server_id },
    body: McpServerAuth,
    reply: Created,
    errors: [...OWN_ERRORS, 'INVALID_INPUT'],
    handle: ({ body, ...asked }) => upsert(asked, body),
  }),
]
