import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { MCP_STATUSES, type McpPolicies, McpServer, McpServerChange, McpServerCreate } from '../../domain/mcp-server.ts'
import type { Subject } from '../../domain/subject.ts'
import { pathInteger, wireEnum } from '../../domain/wire.ts'
import {
  deleteMcpServer,
  getMcpServer,
  getOwnMcpServer,
  insertMcpServer,
  listMcpServers,
  type NewMcpServer,
  type StoredMcpServer,
  updateMcpServer,
} from '../../store/mcp-servers.ts'
import { checkAddress } from '../check-address.ts'
import { mcpServerFor, mcpServersFor } from '../mcp-server-snapshot.ts'
import { type Call, route } from '../route.ts'

export type Asked = Pick<Call<unknown, unknown, unknown>, 'subject' | 'services' | 'signal' | 'authorization'>

export const ServerPath = z.object({ server_id: pathInteger() })
export const McpServers = z
  .object({ assistant_id: z.string().nullable(), mcp_servers: z.array(McpServer) })
  .meta({ id: 'MCPServersResponse' })
export const ADDRESS_NOTE =
  'The address is looked at: one that this service does not call is 422, which says the way out.'
export const admin = { access: 'tools', tag: 'MCP servers' } as const
export const OWN_ERRORS = ['MCP_SERVER_NOT_FOUND', 'NOT_OWNER'] as const
export const checkUrl = ({ services, signal }: Asked, url: string, id: number | null): Promise<void> =>
  checkAddress(
    services,
    { loc: ['body', 'server_url'], url, profile: 'admin-target', asker: { kind: 'mcp_server', id } },
    signal,
  )

/** To put tools before others is for those who look after what others find. */
function checkSharing(
  { rights }: Subject,
  server: Partial<Pick<StoredMcpServer, 'is_public' | 'users' | 'groups'>>,
): void {
  const isShared = server.is_public === true || Boolean(server.users?.length) || Boolean(server.groups?.length)
  if (isShared && !rights.has('connectors')) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'connectors' })
}

/** That nobody is asked before a tool writes is for administrators to say. */
function checkPolicies({ rights }: Subject, wanted: McpPolicies, stored: McpPolicies): void {
  const isLifted = Object.entries(wanted).some(([name, it]) => it === 'allow' && stored[name] !== 'allow')
  if (isLifted && !rights.has('admin')) throw new AppError('INSUFFICIENT_PERMISSIONS', { right: 'admin' })
}

export const newServer = (subject: Subject, body: z.infer<typeof McpServerCreate>): NewMcpServer => ({
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

const changes = [
  route({
    ...admin,
    method: 'POST',
    path: '/admin/mcp/server',
    summary: 'Create MCP server',
    description: `A server that asks for no credentials; \`POST /admin/mcp/servers/create\` makes one that does. Only who looks after connectors may open it to others. ${ADDRESS_NOTE}`,
    audit: { action: 'mcp_server.create', object: (_, made) => made.id },
    body: McpServerCreate,
    reply: McpServer,
    handle: async ({ body, ...asked }) => {
      const server = newServer(asked.subject, body)
      checkSharing(asked.subject, server)
      await checkUrl(asked, body.server_url, null)
      const { services, subject } = asked
      return mcpServerFor(services, subject, await insertMcpServer(services.db, subject, server, services.now()))
    },
  }),
  route({
    ...admin,
    method: 'PATCH',
    path: '/admin/mcp/server/{server_id}',
    summary: 'Update MCP server',
    description: `Changes only what is sent. An address of another origin forgets all credentials: they were given for the former. ${ADDRESS_NOTE}`,
    audit: { action: 'mcp_server.update', object: 'server_id' },
    params: ServerPath,
    body: McpServerChange,
    reply: McpServer,
    errors: OWN_ERRORS,
    handle: async ({ params: { server_id }, body, ...asked }) => {
      const { services, subject } = asked
      const stored = await getOwnMcpServer(services.db, subject, server_id)
      const { name, description, server_url, is_public, groups, users, tool_policies } = body
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
      if (server_url !== null) await checkUrl(asked, server_url, server_id)
      return mcpServerFor(
        services,
        subject,
        await updateMcpServer(services.db, subject, server_id, patch, services.now()),
      )
    },
  }),
  route({
    ...admin,
    method: 'DELETE',
    path: '/admin/mcp/server/{server_id}',
    summary: 'Delete MCP server',
    description: 'Its tools and everybody’s credentials for it go with it.',
    audit: { action: 'mcp_server.delete', object: 'server_id' },
    params: ServerPath,
    reply: z.object({ success: z.boolean() }),
    errors: OWN_ERRORS,
    handle: async ({ params, subject, services }) => {
      await deleteMcpServer(services.db, subject, params.server_id)
      return { success: true }
    },
  }),
  route({
    ...admin,
    method: 'PATCH',
    path: '/admin/mcp/server/{server_id}/status',
    summary: 'Set status of MCP server',
    description: 'Chats use the tools of servers that are `CONNECTED`; `DISCONNECTED` takes them away for a while.',
    audit: { action: 'mcp_server.set_status', object: 'server_id' },
    params: ServerPath,
    query: z.object({ status: wireEnum(MCP_STATUSES) }),
    reply: McpServer,
    errors: OWN_ERRORS,
    handle: async ({ params, query, subject, services }) => {
      const server = await updateMcpServer(services.db, subject, params.server_id, query, services.now())
      return mcpServerFor(services, subject, server)
    },
  }),
]

export const mcpServerRoutes = [
  ...changes,
  route({
    ...admin,
    method: 'GET',
    path: '/admin/mcp/servers',
    summary: 'List MCP servers',
    reply: McpServers,
    handle: async ({ subject, services }) => ({
      assistant_id: null,
      mcp_servers: await mcpServersFor(services, subject, await listMcpServers(services.db, subject)),
    }),
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/mcp/servers/{server_id}',
    summary: 'Get MCP server',
    params: ServerPath,
    reply: McpServer,
    errors: ['MCP_SERVER_NOT_FOUND'],
    handle: async ({ params, subject, services }) =>
      mcpServerFor(services, subject, await getMcpServer(services.db, subject, params.server_id)),
  }),
]
