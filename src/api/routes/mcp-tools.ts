import { z } from 'zod'
import { McpServerChange } from '../../domain/mcp-server.ts'
import { ToolSnapshot } from '../../domain/tool.ts'
import { nullish, wireArray, wireEnum, wireInteger, wireString } from '../../domain/wire.ts'
import {
  getOwnMcpServer,
  isOwnMcpServer,
  listMcpServers,
  type StoredMcpServer,
  updateMcpServer,
} from '../../store/mcp-servers.ts'
import { listMcpToolSnapshots, selectMcpTools } from '../../store/mcp-tools.ts'
import { discover, refresh } from '../../tools/mcp-remote.ts'
import { route } from '../route.ts'
import { type Asked, admin, OWN_ERRORS, ServerPath } from './mcp-servers.ts'

export const McpToolList = z
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
        is_read_only: z.boolean().describe('The server says so; `tool_policies` stands above it.'),
      }),
    ),
  })
  .meta({ id: 'MCPToolListResponse' })

const Update = z
  .object({
    server_id: wireInteger({ min: 1 }),
    name: McpServerChange.shape.name,
    description: McpServerChange.shape.description,
    selected_tools: nullish(wireArray(wireString({ min: 1, max: 200 }), { max: 1_000 })).describe(
      'The names of the tools to switch on; all others are switched off. Absent, none is touched.',
    ),
  })
  .meta({ id: 'MCPToolUpdateRequest' })
const Updated = z
  .object({ server_id: z.int(), server_name: z.string(), updated_tools: z.int() })
  .meta({ id: 'MCPToolUpdateResponse' })

const REMOTE_ERRORS = ['MCP_SERVER_REFUSES', 'MCP_SERVER_FAILED', 'EGRESS_REFUSED', 'EGRESS_FAILED'] as const

/** Asked as whoever asks now. */
export const remoteCall = ({ subject, signal, authorization }: Asked, server: StoredMcpServer) => ({
  server,
  subject,
  authorization,
  headers: {},
  signal,
})

export async function discovered(asked: Asked, server: StoredMcpServer): Promise<z.infer<typeof McpToolList>> {
  const tools = await discover(asked.services, remoteCall(asked, server))
  return {
    server_id: server.id,
    server_name: server.name,
    server_url: isOwnMcpServer(server, asked.subject) ? server.server_url : '',
    tools: tools.map((it) => ({
      ...it,
      display_name: it.display_name ?? it.name,
      input_schema: { ...it.input_schema },
    })),
  }
}

async function ownSnapshots({ services, subject }: Asked): Promise<z.infer<typeof ToolSnapshot>[]> {
  const servers = (await listMcpServers(services.db, subject)).filter((it) => isOwnMcpServer(it, subject))
  return listMcpToolSnapshots(
    services.db,
    servers.map((it) => it.id),
  )
}

export const mcpToolRoutes = [
  route({
    ...admin,
    method: 'POST',
    path: '/admin/mcp/servers/update',
    summary: 'Choose tools of an MCP server',
    audit: { action: 'mcp_server.choose_tools', object: ({ body }) => body.server_id },
    body: Update,
    reply: Updated,
    errors: [...OWN_ERRORS, 'INVALID_INPUT'],
    handle: async ({ body: { server_id, name, description, selected_tools }, subject, services }) => {
      const { db, now } = services
      const patch = {
        ...(name !== null && { name }),
        ...(description !== undefined && { description: description ?? '' }),
      }
      const server = await updateMcpServer(db, subject, server_id, patch, now())
      const updated_tools = selected_tools === null ? 0 : await selectMcpTools(db, server_id, selected_tools, now())
      return { server_id, server_name: server.name, updated_tools }
    },
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/mcp/server/{server_id}/tools',
    summary: 'Ask an MCP server for its tools',
    description: 'Nothing of it is kept.',
    params: ServerPath,
    reply: McpToolList,
    errors: [...OWN_ERRORS, ...REMOTE_ERRORS],
    handle: async ({ params, ...asked }) =>
      discovered(asked, await getOwnMcpServer(asked.services.db, asked.subject, params.server_id)),
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/mcp/server/{server_id}/tools/snapshots',
    summary: 'List tools of an MCP server',
    description:
      'Those that are kept here; with `source=mcp` the server is asked first, and is connected if it answers. A model is told of its tools what was told here the last time, until somebody asks again. Tools that are new to a connected server are switched off until they are chosen.',
    params: ServerPath,
    query: z.object({ source: nullish(wireEnum(['db', 'mcp'])) }),
    reply: z.array(ToolSnapshot),
    errors: [...OWN_ERRORS, ...REMOTE_ERRORS],
    handle: async ({ params: { server_id }, query, ...asked }) => {
      const server = await getOwnMcpServer(asked.services.db, asked.subject, server_id)
      if (query.source === 'mcp') await refresh(asked.services, remoteCall(asked, server))
      return listMcpToolSnapshots(asked.services.db, [server_id])
    },
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/mcp/server/{server_id}/db-tools',
    summary: 'List kept tools of an MCP server',
    params: ServerPath,
    reply: z.object({ server_id: z.int(), server_name: z.string(), tools: z.array(ToolSnapshot) }),
    errors: OWN_ERRORS,
    handle: async ({ params: { server_id }, subject, services: { db } }) => {
      const { name } = await getOwnMcpServer(db, subject, server_id)
      return { server_id, server_name: name, tools: await listMcpToolSnapshots(db, [server_id]) }
    },
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/mcp/tools',
    summary: 'List tools of all own MCP servers',
    reply: z.array(ToolSnapshot),
    handle: ownSnapshots,
  }),
]
