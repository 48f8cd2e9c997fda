import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import {
  MCP_STATUSES,
  type McpPolicies,
  McpServer,
  McpServerCreate,
  McpServerUpdate,
} from '../../../domain/tools/mcp-server.ts'
import {
  deleteMcpServer,
  getMcpServer,
  getOwnMcpServer,
  insertMcpServer,
  listMcpServers,
  type NewMcpServer,
  type StoredMcpServer,
  updateMcpServer,
} from '../../../store/tools/mcp-servers.ts'
import { wireEnum, wirePathInteger } from '../../../wire/schemas.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { type RouteCall, route } from '../../route.ts'
import type { ServiceName } from '../../services.ts'
import { mcpServerSnapshot, mcpServerSnapshots } from '../../views/mcp-server-snapshot.ts'

export type McpCaller<S extends ServiceName = never> = Pick<
  RouteCall<unknown, unknown, unknown, S>,
  'subject' | 'services' | 'signal'
>

export const McpServerPath = z.object({ server_id: wirePathInteger() })
export const McpServersResponse = z
  .object({ assistant_id: z.string().nullable(), mcp_servers: z.array(McpServer) })
  .meta({ id: 'MCPServersResponse' })
export const ADDRESS_CHECK_NOTE = 'An address that this service may not call is rejected with 422.'
export const mcpAdminDefaults = { access: 'tools', tag: 'MCP servers' } as const
export const OWNER_ERRORS = ['MCP_SERVER_NOT_FOUND', 'NOT_OWNER'] as const
export const checkServerUrl = (
  { services, signal }: McpCaller<'egress'>,
  url: string,
  id: number | null,
): Promise<void> =>
  checkEgressAddress(
    services,
    { loc: ['body', 'server_url'], url, profile: 'admin-target', asker: { kind: 'mcp_server', id } },
    signal,
  )

/** Sharing a server requires the right to manage connectors. */
function checkSharing(
  { rights }: Subject,
  server: Partial<Pick<StoredMcpServer, 'is_public' | 'users' | 'groups'>>,
): void {
  const isShared = server.is_public === true || Boolean(server.users?.length) || Boolean(server.groups?.length)
  if (isShared && !rights.has('connectors')) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'connectors' })
}

/** Only administrators may allow tools that write without confirmation. */
function checkPolicies({ rights }: Subject, requested: McpPolicies, stored: McpPolicies): void {
  const isRelaxed = Object.entries(requested).some(([name, it]) => it === 'allow' && stored[name] !== 'allow')
  if (isRelaxed && !rights.has('admin')) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
}

export const newMcpServer = (subject: Subject, body: z.infer<typeof McpServerCreate>): NewMcpServer => ({
  name: body.name,
  description: body.description ?? '',
  server_url: body.server_url,
  transport: 'STREAMABLE_HTTP',
  auth_type: 'NONE',
  auth_performer: 'ADMIN',
  auth_template: null,
  oauth: { scopes: [], authorization_url: null, token_url: null },
  status: 'CREATED',
  is_public: body.is_public ?? subject.rights.has('connectors'),
  users: body.users ?? [],
  groups: (body.groups ?? []).map(String),
  tool_policies: {},
})

const changeRoutes = [
  route({
    ...mcpAdminDefaults,
    name: 'createMcpServer',
    method: 'POST',
    path: '/admin/mcp/server',
    summary: 'Create MCP server',
    description: `Creates a server without credentials; use \`POST /admin/mcp/servers/create\` for servers that need them. Sharing the server requires the right to manage connectors. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'mcp_server.create', object: (_, created) => created.id },
    body: McpServerCreate,
    reply: McpServer,
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ body, ...caller }) => {
      const server = newMcpServer(caller.subject, body)
      checkSharing(caller.subject, server)
      await checkServerUrl(caller, body.server_url, null)
      const { services, subject } = caller
      return mcpServerSnapshot(services, subject, await insertMcpServer(services.db, subject, server, services.now()))
    },
  }),
  route({
    ...mcpAdminDefaults,
    name: 'updateMcpServer',
    method: 'PATCH',
    path: '/admin/mcp/server/{server_id}',
    summary: 'Update MCP server',
    description: `Changes only the fields that are sent. Changing the origin of the address deletes all credentials, because they were given for the former origin. ${ADDRESS_CHECK_NOTE}`,
    audit: { action: 'mcp_server.update', object: 'server_id' },
    params: McpServerPath,
    body: McpServerUpdate,
    reply: McpServer,
    errors: [...OWNER_ERRORS, 'MCP_SERVER_CHANGED'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ params: { server_id }, body, ...caller }) => {
      const { services, subject } = caller
      const stored = await getOwnMcpServer(services.db, subject, server_id)
      const {
        name,
        description,
        server_url,
        is_public,
        groups,
        users,
        tool_policies,
        expected_version: expectedVersion,
      } = body
      const patch = {
        ...(name !== null && { name }),
        ...(description !== undefined && { description: description ?? '' }),
        ...(server_url !== null && { server_url }),
        ...(is_public !== null && { is_public }),
        ...(groups !== null && { groups: groups.map(String) }),
        ...(users !== null && { users }),
        ...(tool_policies !== null && { tool_policies }),
      }
      checkSharing(subject, patch)
      checkPolicies(subject, tool_policies ?? {}, stored.tool_policies)
      if (server_url !== null) await checkServerUrl(caller, server_url, server_id)
      return mcpServerSnapshot(
        services,
        subject,
        await updateMcpServer(services.db, subject, server_id, patch, { now: services.now(), expectedVersion }),
      )
    },
  }),
  route({
    ...mcpAdminDefaults,
    name: 'deleteMcpServer',
    method: 'DELETE',
    path: '/admin/mcp/server/{server_id}',
    summary: 'Delete MCP server',
    description: 'Also deletes its tools and the credentials of all users for it.',
    audit: { action: 'mcp_server.delete', object: 'server_id' },
    params: McpServerPath,
    reply: z.object({ success: z.boolean() }),
    errors: OWNER_ERRORS,
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deleteMcpServer(services.db, subject, params.server_id)
      return { success: true }
    },
  }),
  route({
    ...mcpAdminDefaults,
    name: 'setMcpServerStatus',
    method: 'PATCH',
    path: '/admin/mcp/server/{server_id}/status',
    summary: 'Set MCP server status',
    description: 'Chats only use the tools of `CONNECTED` servers. `DISCONNECTED` disables them temporarily.',
    audit: { action: 'mcp_server.set_status', object: 'server_id' },
    params: McpServerPath,
    query: z.object({ status: wireEnum(MCP_STATUSES) }),
    reply: McpServer,
    errors: OWNER_ERRORS,
    services: ['db', 'secrets', 'now'],
    handle: async ({ params, query, subject, services }) => {
      const now = services.now()
      const server = await updateMcpServer(services.db, subject, params.server_id, query, { now })
      return mcpServerSnapshot(services, subject, server)
    },
  }),
]

export const mcpServerRoutes = [
  ...changeRoutes,
  route({
    ...mcpAdminDefaults,
    name: 'listMcpServers',
    method: 'GET',
    path: '/admin/mcp/servers',
    summary: 'List MCP servers',
    reply: McpServersResponse,
    services: ['db', 'secrets'],
    handle: async ({ subject, services }) => ({
      assistant_id: null,
      mcp_servers: await mcpServerSnapshots(services, subject, await listMcpServers(services.db, subject)),
    }),
  }),
  route({
    ...mcpAdminDefaults,
    name: 'getMcpServer',
    method: 'GET',
    path: '/admin/mcp/servers/{server_id}',
    summary: 'Get MCP server',
    params: McpServerPath,
    reply: McpServer,
    errors: ['MCP_SERVER_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, subject, services }) =>
      mcpServerSnapshot(services, subject, await getMcpServer(services.db, subject, params.server_id)),
  }),
]
