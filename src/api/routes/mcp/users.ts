// MCP servers for users: lists them, stores user credentials, and runs the OAuth flow.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { McpUserCredentials, requiredTemplateFields } from '../../../domain/tools/mcp-server.ts'
import { EgressError } from '../../../egress/egress.ts'
import { getVisiblePersona } from '../../../store/chats/personas.ts'
import {
  getMcpServer,
  getOwnMcpServer,
  isOwnMcpServer,
  listMcpServers,
  revokeGrantsAfterAccountChange,
  type StoredMcpServer,
} from '../../../store/tools/mcp-servers.ts'
import { listMcpServersOfPersona } from '../../../store/tools/mcp-tools.ts'
import { beginSignIn, finishSignIn } from '../../../tools/mcp/oauth.ts'
import { refreshTools, saveCredentialFields } from '../../../tools/mcp/remote-server.ts'
import { nullish, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteCall, route } from '../../route.ts'
import { canUsersAuthenticate, mcpServerSnapshots } from '../../views/mcp-server-snapshot.ts'
import { type McpCaller, McpServersResponse } from './servers.ts'
import { listDiscoveredTools, McpToolListResponse, REMOTE_ERRORS, remoteCall } from './tools.ts'

const STATE_BYTES = 32
const userDefaults = { access: ['tools', 'chat'], tag: 'MCP servers' } as const

const McpOauthConnectRequest = z
  .object({
    server_id: wireInteger({ min: 1 }),
    return_path: nullish(wireString({ max: 2_000, pattern: /^\/(?![/\\])[^\s\\]*$/ })).describe(
      'The path of this service to return to. Default: /chat.',
    ),
  })
  .meta({ id: 'MCPUserOAuthConnectRequest' })

const McpOauthCallbackQuery = z.object({
  state: wireString({ min: 1, max: 1_000 }),
  code: nullish(wireString({ min: 1, max: 4_000 })),
  iss: nullish(wireString({ max: 1_000 })),
  error: nullish(wireString({ max: 500 })),
  error_description: nullish(wireString({ max: 1_000 })),
})

const McpOauthCallbackResponse = z
  .object({
    success: z.boolean(),
    message: z.string(),
    server_id: z.int(),
    server_name: z.string(),
    authenticated: z.boolean(),
    redirect_url: z.string(),
  })
  .meta({ id: 'MCPOAuthCallbackResponse' })

const McpCredentialsResponse = z
  .object({
    success: z.boolean(),
    message: z.string(),
    server_id: z.int(),
    server_name: z.string(),
    authenticated: z.boolean(),
    validation_tested: z.boolean(),
  })
  .meta({ id: 'MCPApiKeyResponse' })

/** Only the owner may sign in to a server with administrator credentials. */
function checkSignInOwner(
  server: StoredMcpServer,
  { subject }: Pick<RouteCall<unknown, unknown, unknown>, 'subject'>,
): void {
  if (server.auth_performer === 'ADMIN' && !isOwnMcpServer(server, subject)) throw new AppError('NOT_OWNER')
}

/** The client's `Host` is not used, because the provider sends the person's code to this address. */
function oauthRedirectUrl({ browser }: Pick<RouteCall<unknown, unknown, unknown>, 'browser'>): string {
  if (browser.serviceUrl !== null) return `${browser.serviceUrl}/mcp/oauth/callback`
  const reason = 'The address of this service is not known. The operator can set PUBLIC_URL.'
  throw new AppError('INVALID_INPUT', { reason })
}

export const mcpUserRoutes = [
  route({
    ...userDefaults,
    name: 'listUsableMcpServers',
    method: 'GET',
    path: '/mcp/servers',
    summary: 'List usable MCP servers',
    reply: McpServersResponse,
    services: ['db', 'secrets'],
    handle: async ({ subject, services }) => ({
      assistant_id: null,
      mcp_servers: await mcpServerSnapshots(services, subject, await listMcpServers(services.db, subject)),
    }),
  }),
  route({
    ...userDefaults,
    name: 'listPersonaMcpServers',
    method: 'GET',
    path: '/mcp/servers/persona/{persona_id}',
    summary: 'List MCP servers of a persona',
    params: z.object({ persona_id: wirePathInteger() }),
    reply: McpServersResponse,
    errors: ['PERSONA_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params: { persona_id }, subject, services }) => {
      await getVisiblePersona(services, subject, persona_id)
      const ids = await listMcpServersOfPersona(services.db, persona_id)
      const servers = (await listMcpServers(services.db, subject)).filter((it) => ids.includes(it.id))
      return { assistant_id: String(persona_id), mcp_servers: await mcpServerSnapshots(services, subject, servers) }
    },
  }),
  route({
    ...userDefaults,
    name: 'discoverUsableMcpTools',
    method: 'GET',
    path: '/mcp/server/{server_id}/tools',
    summary: 'Discover usable MCP tools',
    params: z.object({ server_id: wirePathInteger() }),
    reply: McpToolListResponse,
    errors: ['MCP_SERVER_NOT_FOUND', ...REMOTE_ERRORS],
    services: ['db', 'secrets', 'egress', 'callTokens', 'logger', 'now'],
    handle: async ({ params, ...caller }) =>
      listDiscoveredTools(caller, await getMcpServer(caller.services.db, caller.subject, params.server_id)),
  }),
  route({
    ...userDefaults,
    name: 'saveMcpUserCredentials',
    method: 'POST',
    path: '/mcp/user-credentials',
    summary: 'Save MCP user credentials',
    description: 'The credentials are tested against the server before they are stored encrypted.',
    body: McpUserCredentials,
    reply: McpCredentialsResponse,
    errors: ['MCP_SERVER_NOT_FOUND', 'INVALID_INPUT', 'MCP_SERVER_REFUSES', 'MCP_SERVER_FAILED'],
    services: ['db', 'secrets', 'egress', 'callTokens', 'logger', 'now'],
    handle: async ({ body: { server_id, credentials, transport }, ...caller }) => {
      const server = await getMcpServer(caller.services.db, caller.subject, server_id)
      if (!canUsersAuthenticate(server) || server.auth_type !== 'API_TOKEN') {
        throw new AppError('INVALID_INPUT', { reason: `The server "${server.name}" does not accept user credentials.` })
      }
      const missing = requiredTemplateFields(server.auth_template).find((it) => !Object.hasOwn(credentials, it))
      if (missing !== undefined) throw new AppError('INVALID_INPUT', { reason: `\`credentials\` lacks "${missing}".` })
      const call = remoteCall(caller, { ...server, ...(transport !== null && { transport }) })
      await saveCredentialFields(caller.services, call, credentials)
      const message = 'The server accepts these credentials.'
      const { name: server_name } = server
      return { success: true, message, server_id, server_name, authenticated: true, validation_tested: true }
    },
  }),
  route({
    ...userDefaults,
    name: 'startMcpOauthFlow',
    method: 'POST',
    path: '/mcp/oauth/connect',
    summary: 'Start MCP OAuth flow',
    description:
      'Returns the URL to send the browser to. The provider redirects to `/mcp/oauth/callback` on the address of this service (setting PUBLIC_URL). The flow expires after ten minutes and is bound to the same person.',
    body: McpOauthConnectRequest,
    reply: z.object({ server_id: z.int(), oauth_url: z.string() }).meta({ id: 'MCPUserOAuthConnectResponse' }),
    errors: ['MCP_SERVER_NOT_FOUND', 'NOT_OWNER', 'INVALID_INPUT', 'MCP_SIGN_IN_FAILED'],
    services: ['db', 'secrets', 'egress', 'callTokens', 'logger', 'now'],
    handle: async ({ body: { server_id, return_path }, ...caller }) => {
      const { services, subject, signal } = caller
      const server = await getMcpServer(services.db, subject, server_id)
      checkSignInOwner(server, caller)
      if (server.auth_type !== 'OAUTH') {
        throw new AppError('INVALID_INPUT', { reason: `The server "${server.name}" does not use OAuth.` })
      }
      const state = randomBytes(STATE_BYTES).toString('base64url')
      const signIn = { server, subject, state, signal, redirectUrl: oauthRedirectUrl(caller) }
      const oauth_url = await beginSignIn(services, { ...signIn, returnPath: return_path ?? '/chat' })
      return { server_id, oauth_url }
    },
  }),
  route({
    ...userDefaults,
    name: 'finishMcpOauthFlow',
    method: 'POST',
    path: '/mcp/oauth/callback',
    summary: 'Finish MCP OAuth flow',
    description: 'Takes the query parameters of the redirect. For an own server, the tools are then discovered.',
    query: McpOauthCallbackQuery,
    reply: McpOauthCallbackResponse,
    errors: ['MCP_SIGN_IN_FAILED', 'MCP_SERVER_NOT_FOUND', 'NOT_OWNER'],
    services: ['db', 'secrets', 'egress', 'callTokens', 'logger', 'now'],
    handle: async ({ query: { state, code, iss, error, error_description }, ...caller }) => {
      const { services, subject, signal } = caller
      if (code === null)
        throw new AppError('MCP_SIGN_IN_FAILED', { reason: missingCodeReason(error, error_description) })
      const getServer = async (id: number) => {
        const server = await getMcpServer(services.db, subject, id)
        checkSignInOwner(server, caller)
        return server
      }
      const callback = { subject, state, code, iss: iss ?? undefined, getServer, signal }
      const { server, returnPath } = await finishSignIn(services, callback)
      if (server.auth_performer === 'ADMIN') await revokeGrantsAfterAccountChange(services.db, subject, server.id)
      const message = isOwnMcpServer(server, subject) ? await refreshToolsAfterSignIn(caller, server.id) : SIGNED_IN
      const { id: server_id, name: server_name } = server
      return { success: true, message, server_id, server_name, authenticated: true, redirect_url: returnPath }
    },
  }),
]

const SIGNED_IN = 'You are signed in.'

const missingCodeReason = (error: string | null, description: string | null): string =>
  `The provider responded "${error ?? 'no code'}"${description === null ? '' : `: ${description}`}.`
    .slice(0, 500)
    .toWellFormed()

/** A failure to list the tools does not undo the sign-in. */
async function refreshToolsAfterSignIn(
  caller: McpCaller<'db' | 'secrets' | 'egress' | 'callTokens' | 'logger' | 'now'>,
  id: number,
): Promise<string> {
  const { services, subject } = caller
  try {
    await refreshTools(services, remoteCall(caller, await getOwnMcpServer(services.db, subject, id)))
    return SIGNED_IN
  } catch (error) {
    if (error instanceof AppError || error instanceof EgressError) return `${SIGNED_IN} ${error.message}`
    throw error
  }
}
