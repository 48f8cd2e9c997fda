// Tools and MCP servers that act with the rights of the caller. An administrator grants this, then each user consents.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { McpServer } from '../../../domain/tools/mcp-server.ts'
import { RECIPIENT_KINDS } from '../../../domain/tools/passthrough.ts'
import { ToolSnapshot } from '../../../domain/tools/tool.ts'
import { grantToolPassthrough, revokeToolPassthrough } from '../../../store/tools/custom-tools.ts'
import { getMcpServer, grantMcpPassthrough, revokeMcpPassthrough } from '../../../store/tools/mcp-servers.ts'
import { deletePassthroughConsent, listPassthroughConsents } from '../../../store/tools/passthrough.ts'
import { listUsableTools } from '../../../store/tools/tools.ts'
import { grantConsent, type PassthroughTarget } from '../../../tools/oauth/passthrough.ts'
import { nullish, wireInteger, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { mcpServerSnapshot } from '../../views/mcp-server-snapshot.ts'
import { iso } from '../../wire/iso.ts'

const ToolPath = z.object({ tool_id: wirePathInteger() })
const McpServerPath = z.object({ server_id: wirePathInteger() })

const PassthroughGrantRequest = z
  .object({
    server_url: wireString({ min: 1, max: 2_000 }).describe(
      'The address that receives the tokens, as last read. The grant fails if the address has changed since.',
    ),
  })
  .meta({ id: 'PassthroughGrantRequest' })

const GRANT_DESCRIPTION =
  'Permits users other than the owner to use it. Each user is asked for consent once. The recipient gets a token that expires after five minutes and can search as the user, never the key of the user. The grant ends when a user who is not an administrator changes the address, the authentication or the definition.'
const REVOKE_DESCRIPTION = 'Also withdraws the consent of all users and revokes the issued tokens.'

const adminDefaults = { access: 'admin' } as const

const grantRoutes = [
  route({
    ...adminDefaults,
    tag: 'Tools',
    name: 'grantToolPassthrough',
    method: 'POST',
    path: '/admin/tool/{tool_id}/passthrough-grant',
    audit: { action: 'tool.grant_passthrough', object: 'tool_id' },
    summary: 'Grant token passthrough to tool',
    description: GRANT_DESCRIPTION,
    params: ToolPath,
    body: PassthroughGrantRequest,
    reply: ToolSnapshot,
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'now'],
    handle: ({ params, body: { server_url }, subject, services }) =>
      grantToolPassthrough(services, subject, params.tool_id, { server_url, now: services.now() }),
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    tag: 'Tools',
    name: 'revokeToolPassthrough',
    method: 'DELETE',
    path: '/admin/tool/{tool_id}/passthrough-grant',
    audit: { action: 'tool.revoke_passthrough', object: 'tool_id' },
    summary: 'Revoke token passthrough of tool',
    description: REVOKE_DESCRIPTION,
    params: ToolPath,
    reply: ToolSnapshot,
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'INVALID_INPUT'],
    services: ['db', 'secrets'],
    handle: ({ params, subject, services }) => revokeToolPassthrough(services, subject, params.tool_id),
  }),
  route({
    ...adminDefaults,
    tag: 'MCP servers',
    name: 'grantMcpPassthrough',
    method: 'POST',
    path: '/admin/mcp/server/{server_id}/passthrough-grant',
    audit: { action: 'mcp_server.grant_passthrough', object: 'server_id' },
    summary: 'Grant token passthrough to MCP server',
    description: GRANT_DESCRIPTION,
    params: McpServerPath,
    body: PassthroughGrantRequest,
    reply: McpServer,
    errors: ['MCP_SERVER_NOT_FOUND', 'INVALID_INPUT'],
    services: ['db', 'secrets', 'now'],
    handle: async ({ params: { server_id }, body: { server_url }, subject, services }) => {
      const grant = { server_url, now: services.now() }
      const server = await grantMcpPassthrough(services.db, subject, server_id, grant)
      return mcpServerSnapshot(services, subject, server)
    },
  }),
  route({
    ...adminDefaults,
    allowsTokens: true,
    tag: 'MCP servers',
    name: 'revokeMcpPassthrough',
    method: 'DELETE',
    path: '/admin/mcp/server/{server_id}/passthrough-grant',
    audit: { action: 'mcp_server.revoke_passthrough', object: 'server_id' },
    summary: 'Revoke token passthrough of MCP server',
    description: REVOKE_DESCRIPTION,
    params: McpServerPath,
    reply: McpServer,
    errors: ['MCP_SERVER_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, subject, services }) =>
      mcpServerSnapshot(services, subject, await revokeMcpPassthrough(services.db, subject, params.server_id)),
  }),
]

const PassthroughConsent = z
  .object({
    consent_id: z.int(),
    kind: z.enum(RECIPIENT_KINDS),
    id: z.int().describe('The id of the tool or of the MCP server.'),
    name: z.string(),
    given_at: z.iso.datetime(),
  })
  .meta({ id: 'PassthroughConsent' })

const PassthroughConsentRequest = z
  .object({ tool_id: nullish(wireInteger({ min: 1 })), mcp_server_id: nullish(wireInteger({ min: 1 })) })
  .refine((it) => (it.tool_id === null) !== (it.mcp_server_id === null), 'send `tool_id` or `mcp_server_id`, not both')
  .meta({ id: 'PassthroughConsentRequest' })

const listOwnConsents = async (
  { db }: RouteServices<'db'>,
  subject: Subject,
): Promise<z.infer<typeof PassthroughConsent>[]> =>
  (await listPassthroughConsents(db, subject)).map(({ given_at, ...it }) => ({ ...it, given_at: iso(given_at) }))

/** Returns the tool or MCP server that receives the token; tools of an MCP server resolve to the server. */
async function findRecipient(
  { db }: RouteServices<'db'>,
  subject: Subject,
  { tool_id, mcp_server_id }: z.infer<typeof PassthroughConsentRequest>,
): Promise<PassthroughTarget> {
  const tool = tool_id === null ? undefined : (await listUsableTools(db, subject, [tool_id]))[0]
  if (tool_id !== null && tool === undefined) throw new AppError('TOOL_NOT_FOUND')
  const serverId = tool === undefined ? mcp_server_id : tool.mcp_server_id
  if (tool !== undefined && serverId === null) {
    if (tool.passthrough_auth !== 1) throw noTokenError(tool.name)
    return { tool }
  }
  const server = await getMcpServer(db, subject, serverId ?? 0)
  if (server.auth_type !== 'PT_OAUTH') throw noTokenError(server.name)
  return { server }
}

const noTokenError = (name: string) =>
  new AppError('INVALID_INPUT', { reason: `"${name}" does not receive a token. No consent is needed.` })

const ownDefaults = { access: ['tools', 'chat'], tag: 'Tools' } as const

export const passthroughRoutes = [
  ...grantRoutes,
  route({
    ...ownDefaults,
    name: 'listPassthroughConsents',
    method: 'GET',
    path: '/user/passthrough-consent',
    summary: 'List passthrough consents',
    description: 'Lists the tools and MCP servers that receive a token which can search as the caller.',
    reply: z.array(PassthroughConsent),
    services: ['db'],
    handle: ({ subject, services }) => listOwnConsents(services, subject),
  }),
  route({
    ...ownDefaults,
    name: 'givePassthroughConsent',
    method: 'PUT',
    path: '/user/passthrough-consent',
    summary: 'Give passthrough consent',
    description:
      'Equivalent to confirming in a chat. Requires a grant by an administrator. Returns all consents of the caller. Own tools need no consent.',
    body: PassthroughConsentRequest,
    reply: z.array(PassthroughConsent),
    errors: ['TOOL_NOT_FOUND', 'MCP_SERVER_NOT_FOUND', 'INVALID_INPUT', 'PASSTHROUGH_NOT_GRANTED'],
    services: ['db', 'now'],
    handle: async ({ body, subject, services }) => {
      await grantConsent(services, subject, await findRecipient(services, subject, body))
      return listOwnConsents(services, subject)
    },
  }),
  route({
    ...ownDefaults,
    name: 'withdrawPassthroughConsent',
    method: 'DELETE',
    path: '/user/passthrough-consent/{consent_id}',
    summary: 'Withdraw passthrough consent',
    description: 'Revokes the issued tokens immediately. The next call asks for consent again.',
    params: z.object({ consent_id: wirePathInteger() }),
    reply: z.null(),
    errors: ['CONSENT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deletePassthroughConsent(services.db, subject, params.consent_id)
      return null
    },
  }),
]
