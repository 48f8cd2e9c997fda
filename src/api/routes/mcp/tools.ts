import { z } from 'zod'
import { McpServerUpdate } from '../../../domain/tools/mcp-server.ts'
import { ToolSnapshot } from '../../../domain/tools/tool.ts'
import {
  getOwnMcpServer,
  isOwnMcpServer,
  listMcpServers,
  type StoredMcpServer,
  updateMcpServer,
} from '../../../store/tools/mcp-servers.ts'
import { listMcpToolSnapshots, listStoredMcpTools, setEnabledMcpTools } from '../../../store/tools/mcp-tools.ts'
import { discoverTools, refreshTools } from '../../../tools/mcp/remote-server.ts'
import { nullish, wireArray, wireEnum, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { type McpCaller, McpServerPath, mcpAdminDefaults, OWNER_ERRORS } from './servers.ts'

export const McpToolListResponse = z
  .object({
    server_id: z.int(),
    server_name: z.string(),
    server_url: z.string(),
    tools: z.array(
      z.object({
        name: z.string(),
        display_name: z.string(),
        description: z.string(),
        input_schema: z.record(z.string(), z.unknown()),
        is_read_only: z.boolean().describe('As reported by the server; `tool_policies` takes precedence.'),
      }),
    ),
  })
  .meta({ id: 'MCPToolListResponse' })

const StoredMcpTool = ToolSnapshot.extend({
  input_schema: z.record(z.string(), z.unknown()).describe('As models see it, until the next refresh.'),
  is_read_only: z.boolean().describe('As reported by the server at the last refresh.'),
  is_offered: z.boolean().describe('False if the server did not list the tool at the last refresh.'),
}).meta({ id: 'StoredMCPTool' })

const McpToolUpdateRequest = z
  .object({
    server_id: wireInteger({ min: 1 }),
    name: McpServerUpdate.shape.name,
    description: McpServerUpdate.shape.description,
    selected_tools: nullish(wireArray(wireString({ min: 1, max: 200 }), { max: 1_000 })).describe(
      'Names of the tools to enable; all others are disabled. If absent, no tool changes.',
    ),
  })
  .meta({ id: 'MCPToolUpdateRequest' })
const McpToolUpdateResponse = z
  .object({ server_id: z.int(), server_name: z.string(), updated_tools: z.int() })
  .meta({ id: 'MCPToolUpdateResponse' })

export const REMOTE_ERRORS = [
  'MCP_SERVER_REFUSES',
  'MCP_SERVER_FAILED',
  'EGRESS_REFUSED',
  'EGRESS_FAILED',
  'PASSTHROUGH_NOT_GRANTED',
  'PASSTHROUGH_NEEDS_CONSENT',
] as const

/** Builds a call to a remote server on behalf of the caller. */
export const remoteCall = ({ subject, signal }: Pick<McpCaller, 'subject' | 'signal'>, server: StoredMcpServer) => ({
  server,
  subject,
  headers: {},
  signal,
})

export async function listDiscoveredTools(
  caller: McpCaller<'db' | 'secrets' | 'egress' | 'callTokens' | 'logger' | 'now'>,
  server: StoredMcpServer,
): Promise<z.infer<typeof McpToolListResponse>> {
  const tools = await discoverTools(caller.services, remoteCall(caller, server))
  return {
    server_id: server.id,
    server_name: server.name,
    server_url: isOwnMcpServer(server, caller.subject) ? server.server_url : '',
    tools: tools.map((it) => ({
      ...it,
      display_name: it.display_name ?? it.name,
      input_schema: { ...it.input_schema },
    })),
  }
}

async function listOwnToolSnapshots({ services, subject }: McpCaller<'db'>): Promise<z.infer<typeof ToolSnapshot>[]> {
  const servers = (await listMcpServers(services.db, subject)).filter((it) => isOwnMcpServer(it, subject))
  return listMcpToolSnapshots(
    services.db,
    servers.map((it) => it.id),
  )
}

export const mcpToolRoutes = [
  route({
    ...mcpAdminDefaults,
    name: 'selectMcpTools',
    method: 'POST',
    path: '/admin/mcp/servers/update',
    summary: 'Select MCP tools',
    audit: { action: 'mcp_server.choose_tools', object: ({ body }) => body.server_id },
    body: McpToolUpdateRequest,
    reply: McpToolUpdateResponse,
    errors: [...OWNER_ERRORS, 'INVALID_INPUT', 'TOOL_HELD_OFF'],
    services: ['db', 'now'],
    handle: async ({ body: { server_id, name, description, selected_tools }, subject, services }) => {
      const { db, now } = services
      const patch = {
        ...(name !== null && { name }),
        ...(description !== undefined && { description: description ?? '' }),
      }
      const server = await updateMcpServer(db, subject, server_id, patch, { now: now() })
      const updated_tools =
        selected_tools === null
          ? 0
          : await setEnabledMcpTools(db, subject, { serverId: server_id, names: selected_tools }, now())
      return { server_id, server_name: server.name, updated_tools }
    },
  }),
  route({
    ...mcpAdminDefaults,
    name: 'discoverMcpTools',
    method: 'GET',
    path: '/admin/mcp/server/{server_id}/tools',
    summary: 'Discover MCP tools',
    description: 'Requests the tool list from the server. Nothing is stored.',
    params: McpServerPath,
    reply: McpToolListResponse,
    errors: [...OWNER_ERRORS, ...REMOTE_ERRORS],
    services: ['db', 'secrets', 'egress', 'callTokens', 'logger', 'now'],
    handle: async ({ params, ...caller }) =>
      listDiscoveredTools(caller, await getOwnMcpServer(caller.services.db, caller.subject, params.server_id)),
  }),
  route({
    ...mcpAdminDefaults,
    name: 'listMcpToolSnapshots',
    method: 'GET',
    path: '/admin/mcp/server/{server_id}/tools/snapshots',
    summary: 'List MCP tools',
    description:
      'Lists the stored tools. With `source=mcp`, the tool list is first refreshed from the server, which becomes connected if it responds. Models see the stored tool descriptions until the next refresh. New tools of a connected server are disabled until they are selected.',
    params: McpServerPath,
    query: z.object({ source: nullish(wireEnum(['db', 'mcp'])) }),
    reply: z.array(ToolSnapshot),
    errors: [...OWNER_ERRORS, ...REMOTE_ERRORS],
    services: ['db', 'secrets', 'egress', 'callTokens', 'logger', 'now'],
    handle: async ({ params: { server_id }, query, ...caller }) => {
      const server = await getOwnMcpServer(caller.services.db, caller.subject, server_id)
      if (query.source === 'mcp') await refreshTools(caller.services, remoteCall(caller, server))
      return listMcpToolSnapshots(caller.services.db, [server_id])
    },
  }),
  route({
    ...mcpAdminDefaults,
    name: 'listStoredMcpTools',
    method: 'GET',
    path: '/admin/mcp/server/{server_id}/db-tools',
    summary: 'List stored MCP tools',
    params: McpServerPath,
    reply: z.object({
      server_id: z.int(),
      server_name: z.string(),
      server_url: z.string(),
      tools: z.array(StoredMcpTool),
    }),
    errors: OWNER_ERRORS,
    services: ['db'],
    handle: async ({ params: { server_id }, subject, services: { db } }) => {
      const { name, server_url } = await getOwnMcpServer(db, subject, server_id)
      return { server_id, server_name: name, server_url, tools: await listStoredMcpTools(db, server_id) }
    },
  }),
  route({
    ...mcpAdminDefaults,
    name: 'listOwnMcpTools',
    method: 'GET',
    path: '/admin/mcp/tools',
    summary: 'List tools of own MCP servers',
    reply: z.array(ToolSnapshot),
    services: ['db'],
    handle: listOwnToolSnapshots,
  }),
]
