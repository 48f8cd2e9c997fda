import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import {
  MCP_AUTH_PERFORMERS,
  MCP_AUTH_TYPES,
  MCP_STATUSES,
  McpServerAuth,
  unmaskCredentialFields,
} from '../../../domain/tools/mcp-server.ts'
import { changeMcpCredentials } from '../../../store/tools/mcp-credentials.ts'
import {
  getOwnMcpServer,
  insertMcpServer,
  type McpServerPatch,
  type StoredMcpServer,
  setMcpStatus,
  updateMcpServer,
} from '../../../store/tools/mcp-servers.ts'
import { credentialHolderOf } from '../../../tools/mcp/oauth.ts'
import { hasCredentials } from '../../../tools/mcp/remote-server.ts'
import { route } from '../../route.ts'
import {
  ADDRESS_CHECK_NOTE,
  checkServerUrl,
  type McpCaller,
  mcpAdminDefaults,
  newMcpServer,
  OWNER_ERRORS,
} from './servers.ts'

const McpServerCreateResponse = z
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

/** Returns the server fields of an upsert request, without credentials. */
const serverPatch = (body: McpServerAuth): McpServerPatch => ({
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

/** Stores the sent secrets. Absent and masked secrets are unchanged. */
async function storeSecrets(
  { services, subject }: McpCaller<'db' | 'secrets' | 'now'>,
  server: StoredMcpServer,
  body: McpServerAuth,
): Promise<void> {
  const now = services.now()
  const fields = { ...body.admin_credentials, ...(body.api_token !== null && { api_key: body.api_token }) }
  if (Object.keys(fields).length > 0) {
    const mergeFields = (storedFields: Record<string, string>) => ({
      ...storedFields,
      ...unmaskCredentialFields(fields, storedFields),
    })
    await changeMcpCredentials(
      services,
      credentialHolderOf(server, subject),
      (it) => ({ ...it, fields: mergeFields(it.fields) }),
      now,
    )
  }
  const { oauth_client_id: client_id, oauth_client_secret } = body
  if (client_id === null) return
  await changeMcpCredentials(
    services,
    { server: server.id, person: null },
    (it) => {
      const stored = String(it.client?.client_secret ?? '')
      const secret =
        oauth_client_secret && unmaskCredentialFields({ secret: oauth_client_secret }, { secret: stored }).secret
      return { ...it, isClientGiven: true, client: { client_id, ...(secret && { client_secret: secret }) } }
    },
    now,
  )
}

/** With other credentials, the server acts as another account, so users must consent again. */
const hasNewCredentials = ({
  api_token,
  admin_credentials,
  oauth_client_id,
  oauth_client_secret,
}: McpServerAuth): boolean =>
  [api_token, admin_credentials, oauth_client_id, oauth_client_secret].some((it) => it !== null)

async function upsertMcpServer(
  caller: McpCaller<'db' | 'secrets' | 'now' | 'egress'>,
  body: McpServerAuth,
): Promise<z.infer<typeof McpServerCreateResponse>> {
  const { services, subject } = caller
  const { existing_server_id: id } = body
  if ((body.oauth_authorization_url === null) !== (body.oauth_token_url === null)) {
    const reason = '`oauth_authorization_url` and `oauth_token_url` must be set together.'
    throw new AppError('INVALID_INPUT', { reason })
  }
  if (id !== null) await getOwnMcpServer(services.db, subject, id)
  await checkServerUrl(caller, body.server_url, id)
  const patch = serverPatch(body)
  const base = { ...body, is_public: null, users: null, groups: null }
  const server =
    id === null
      ? await insertMcpServer(services.db, subject, { ...newMcpServer(subject, base), ...patch }, services.now())
      : await updateMcpServer(services.db, subject, id, patch, {
          now: services.now(),
          isRekeyed: hasNewCredentials(body),
          expectedVersion: body.expected_version,
        })
  await storeSecrets(caller, server, body)
  const isReady = await hasCredentials(services, server, subject)
  const status = isReady ? (server.status === 'AWAITING_AUTH' ? 'CREATED' : server.status) : 'AWAITING_AUTH'
  await setMcpStatus(services.db, server.id, { status })
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
    ...mcpAdminDefaults,
    name: 'upsertMcpServer',
    method: 'POST',
    path: '/admin/mcp/servers/create',
    summary: 'Create or update MCP server with credentials',
    description: `With \`existing_server_id\`, updates that server. Secrets are stored encrypted and returned masked; absent or masked secrets are unchanged. \`PT_OAUTH\` forwards the \`Authorization\` of the caller. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'mcp_server.authorize', object: (_, created) => created.server_id },
    body: McpServerAuth,
    reply: McpServerCreateResponse,
    errors: [...OWNER_ERRORS, 'MCP_SERVER_CHANGED', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: ({ body, ...caller }) => upsertMcpServer(caller, body),
  }),
]
