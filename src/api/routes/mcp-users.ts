// What somebody does with the MCP servers that others have connected: sees them, signs in there.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { fieldsOf, McpUserCredentials } from '../../domain/mcp-server.ts'
import { nullish, pathInteger, wireInteger, wireString } from '../../domain/wire.ts'
import { EgressError } from '../../egress/egress.ts'
import {
  getMcpServer,
  getOwnMcpServer,
  isOwnMcpServer,
  listMcpServers,
  type StoredMcpServer,
} from '../../store/mcp-servers.ts'
import { listServersOfPersona } from '../../store/mcp-tools.ts'
import { getPersona } from '../../store/personas.ts'
import { beginSignIn, finishSignIn } from '../../tools/mcp-oauth.ts'
import { giveFields, refresh } from '../../tools/mcp-remote.ts'
import { canSignIn, mcpServersFor } from '../mcp-server-snapshot.ts'
import { type Call, route } from '../route.ts'
import { McpServers } from './mcp-servers.ts'
import { discovered, McpToolList, remoteCall } from './mcp-tools.ts'

const STATE_BYTES = 32
const user = { access: ['tools', 'chat'], tag: 'MCP servers' } as const

const Connect = z
  .object({
    server_id: wireInteger({ min: 1 }),
    return_path: nullish(wireString({ max: 2_000, pattern: /^\/(?![/\\])[^\s\\]*$/ })).describe(
      'A path here, to go on from afterwards; /chat if absent.',
    ),
  })
  .meta({ id: 'MCPUserOAuthConnectRequest' })

const CallbackQuery = z.object({
  state: wireString({ min: 1, max: 1_000 }),
  code: nullish(wireString({ min: 1, max: 4_000 })),
  iss: nullish(wireString({ max: 1_000 })),
  error: nullish(wireString({ max: 500 })),
  error_description: nullish(wireString({ max: 1_000 })),
})

const SignedIn = z
  .object({
    success: z.boolean(),
    message: z.string(),
    server_id: z.int(),
    server_name: z.string(),
    authenticated: z.boolean(),
    redirect_url: z.string(),
  })
  .meta({ id: 'MCPOAuthCallbackResponse' })

const GivenCredentials = z
  .object({
    success: z.boolean(),
    message: z.string(),
    server_id: z.int(),
    server_name: z.string(),
    authenticated: z.boolean(),
    validation_tested: z.boolean(),
  })
  .meta({ id: 'MCPApiKeyResponse' })

/** Whose sign-in it is: of the administrator's one, only the owner's. */
function checkHolder(server: StoredMcpServer, { subject }: Pick<Call<unknown, unknown, unknown>, 'subject'>): void {
  if (server.auth_performer === 'ADMIN' && !isOwnMcpServer(server, subject)) throw new AppError('NOT_OWNER')
}

/** As the browser has it: whoever registers a client has to name the same. */
function redirectUrlOf({
  webRequest,
  browser,
}: Pick<Call<unknown, unknown, unknown>, 'webRequest' | 'browser'>): string {
  const { headers } = webRequest()
  const origin = headers.get('origin') ?? `${browser.isHttps ? 'https' : 'http'}://${headers.get('host')}`
  const url = URL.parse('/mcp/oauth/callback', origin)
  if (url !== null) return url.href
  throw new AppError('INVALID_INPUT', { reason: 'The header "Host" names no address to come back to.' })
}

export const mcpUserRoutes = [
  route({
    ...user,
    method: 'GET',
    path: '/mcp/servers',
    summary: 'List MCP servers for use',
    reply: McpServers,
    handle: async ({ subject, services }) => ({
      assistant_id: null,
      mcp_servers: await mcpServersFor(services, subject, await listMcpServers(services.db, subject)),
    }),
  }),
  route({
    ...user,
    method: 'GET',
    path: '/mcp/servers/persona/{persona_id}',
    summary: 'List MCP servers of an agent',
    params: z.object({ persona_id: pathInteger() }),
    reply: McpServers,
    errors: ['PERSONA_NOT_FOUND'],
    handle: async ({ params: { persona_id }, subject, services }) => {
      await getPersona(services, subject, persona_id)
      const ids = await listServersOfPersona(services.db, persona_id)
      const servers = (await listMcpServers(services.db, subject)).filter((it) => ids.includes(it.id))
      return { assistant_id: String(persona_id), mcp_servers: await mcpServersFor(services, subject, servers) }
    },
  }),
  route({
    ...user,
    method: 'GET',
    path: '/mcp/server/{server_id}/tools',
    summary: 'Ask an MCP server for the tools that one may use oneself',
    params: z.object({ server_id: pathInteger() }),
    reply: McpToolList,
    errors: ['MCP_SERVER_NOT_FOUND', 'MCP_SERVER_REFUSES', 'MCP_SERVER_FAILED', 'EGRESS_REFUSED', 'EGRESS_FAILED'],
    handle: async ({ params, ...asked }) =>
      discovered(asked, await getMcpServer(asked.services.db, asked.subject, params.server_id)),
  }),
  route({
    ...user,
    method: 'POST',
    path: '/mcp/user-credentials',
    summary: 'Give own credentials for an MCP server',
    description: 'They are tried before they are kept, encrypted.',
    body: McpUserCredentials,
    reply: GivenCredentials,
    errors: ['MCP_SERVER_NOT_FOUND', 'INVALID_INPUT', 'MCP_SERVER_REFUSES', 'MCP_SERVER_FAILED'],
    handle: async ({ body: { server_id, credentials, transport }, ...asked }) => {
      const server = await getMcpServer(asked.services.db, asked.subject, server_id)
      if (!canSignIn(server) || server.auth_type !== 'API_TOKEN') {
        throw new AppError('INVALID_INPUT', { reason: `The server "${server.name}" takes no credentials of a person.` })
      }
      const missing = fieldsOf(server.auth_template).find((it) => !Object.hasOwn(credentials, it))
      if (missing !== undefined) throw new AppError('INVALID_INPUT', { reason: `\`credentials\` has no "${missing}".` })
      const call = remoteCall(asked, { ...server, ...(transport !== null && { transport }) })
      await giveFields(asked.services, call, credentials)
      const message = 'The server takes these credentials.'
      const { name: server_name } = server
      return { success: true, message, server_id, server_name, authenticated: true, validation_tested: true }
    },
  }),
  route({
    ...user,
    method: 'POST',
    path: '/mcp/oauth/connect',
    summary: 'Sign in at an MCP server',
    description:
      'Answers the page to send the browser to. It comes back to `/mcp/oauth/callback` of the address by which this was asked, within ten minutes, and for the same person.',
    body: Connect,
    reply: z.object({ server_id: z.int(), oauth_url: z.string() }).meta({ id: 'MCPUserOAuthConnectResponse' }),
    errors: ['MCP_SERVER_NOT_FOUND', 'NOT_OWNER', 'INVALID_INPUT', 'MCP_SIGN_IN_FAILED'],
    handle: async ({ body: { server_id, return_path }, ...asked }) => {
      const { services, subject, signal } = asked
      const server = await getMcpServer(services.db, subject, server_id)
      checkHolder(server, asked)
      if (server.auth_type !== 'OAUTH') {
        throw new AppError('INVALID_INPUT', { reason: `The server "${server.name}" does not use OAuth.` })
      }
      const state = randomBytes(STATE_BYTES).toString('base64url')
      const begin = { server, subject, state, signal, redirectUrl: redirectUrlOf(asked) }
      const oauth_url = await beginSignIn(services, { ...begin, returnPath: return_path ?? '/chat' })
      return { server_id, oauth_url }
    },
  }),
  route({
    ...user,
    method: 'POST',
    path: '/mcp/oauth/callback',
    summary: 'Come back from signing in at an MCP server',
    description:
      'With what the page to sign in has put into the address. A server of one’s own is asked for its tools.',
    query: CallbackQuery,
    reply: SignedIn,
    errors: ['MCP_SIGN_IN_FAILED', 'MCP_SERVER_NOT_FOUND', 'NOT_OWNER'],
    handle: async ({ query: { state, code, iss, error, error_description }, ...asked }) => {
      const { services, subject, signal } = asked
      if (code === null) throw new AppError('MCP_SIGN_IN_FAILED', { reason: whyNoCode(error, error_description) })
      const getServer = async (id: number) => {
        const server = await getMcpServer(services.db, subject, id)
        checkHolder(server, asked)
        return server
      }
      const finish = { subject, state, code, iss: iss ?? undefined, getServer, signal }
      const { server, returnPath } = await finishSignIn(services, finish)
      const message = isOwnMcpServer(server, subject) ? await connected(asked, server.id) : SIGNED_IN
      const { id: server_id, name: server_name } = server
      return { success: true, message, server_id, server_name, authenticated: true, redirect_url: returnPath }
    },
  }),
]

const SIGNED_IN = 'You are signed in.'

const whyNoCode = (error: string | null, description: string | null): string =>
  `It answers "${error ?? 'no code'}"${description === null ? '' : `: ${description}`}.`.slice(0, 500).toWellFormed()

/** That the tools cannot be had now does not undo the sign-in. */
async function connected(asked: Parameters<typeof remoteCall>[0], id: number): Promise<string> {
  const { services, subject } = asked
  try {
    await refresh(services, remoteCall(asked, await getOwnMcpServer(services.db, subject, id)))
    return SIGNED_IN
  } catch (error) {
    if (error instanceof AppError || error instanceof EgressError) return `${SIGNED_IN} ${error.message}`
    throw error
  }
}
