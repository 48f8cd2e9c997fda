import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { CustomToolCreate, CustomToolUpdate, ToolDefinition, ToolSnapshot } from '../../domain/tool.ts'
import { methodsOf, serverOf, ToolMethod } from '../../domain/tool-definition.ts'
import { pathInteger, wireArray, wireBoolean, wireInteger } from '../../domain/wire.ts'
import { deleteTool, insertTool, switchTools, updateTool } from '../../store/custom-tools.ts'
import { listMcpServers } from '../../store/mcp-servers.ts'
import { getTool, listCustomTools, listTools } from '../../store/tools.ts'
import { checkAddress } from '../check-address.ts'
import { PageQuery } from '../page.ts'
import { type Call, route } from '../route.ts'

const MAX_SWITCHED = 1_000

const ToolPath = z.object({ tool_id: pathInteger() })
const ValidateToolRequest = z.object({ definition: ToolDefinition }).meta({ id: 'ValidateToolRequest' })
const ValidateToolResponse = z.object({ methods: z.array(ToolMethod) }).meta({ id: 'ValidateToolResponse' })
const ToolStatusRequest = z
  .object({ tool_ids: wireArray(wireInteger(), { max: MAX_SWITCHED }), enabled: wireBoolean() })
  .meta({ id: 'ToolStatusUpdateRequest' })
const ToolStatusResponse = z
  .object({ updated_count: z.int(), tool_ids: z.array(z.int()) })
  .meta({ id: 'ToolStatusUpdateResponse' })

/** A definition with no server, or several, is refused by its own rules. */
async function checkServer(
  { services, signal }: Pick<Call<unknown, unknown, unknown>, 'services' | 'signal'>,
  definition: Record<string, unknown> | null,
  id: number | null,
): Promise<void> {
  const server = definition === null ? undefined : serverOf(definition)
  if (server === undefined) return
  const loc = ['body', 'definition', 'servers', server.at, 'url']
  await checkAddress(services, { loc, url: server.url, profile: 'admin-target', asker: { kind: 'tool', id } }, signal)
}

const SERVER_NOTE =
  'The address of its server is looked at: one that this service does not call is 422, which says the way out.'

const customTools = [
  route({
    method: 'POST',
    path: '/admin/tool/custom',
    audit: { action: 'tool.create', object: (_, made) => made.id },
    access: 'tools',
    tag: 'Tools',
    summary: 'Create custom tool',
    description: SERVER_NOTE,
    body: CustomToolCreate,
    reply: ToolSnapshot,
    errors: ['INVALID_DEFINITION', 'PASSTHROUGH_CONFLICT', 'OAUTH_CONFIG_NOT_FOUND'],
    handle: async ({ body, subject, services, signal }) => {
      await checkServer({ services, signal }, body.definition, null)
      return insertTool(services, subject, body, services.now())
    },
  }),
  route({
    method: 'PUT',
    path: '/admin/tool/custom/{tool_id}',
    audit: { action: 'tool.update', object: 'tool_id' },
    access: 'tools',
    tag: 'Tools',
    summary: 'Update custom tool',
    description: `Changes only what is sent: a field that is absent or null stays as it is. An empty \`definition\` takes the stored one away. ${SERVER_NOTE}`,
    params: ToolPath,
    body: CustomToolUpdate,
    reply: ToolSnapshot,
    errors: [
      'TOOL_NOT_FOUND',
      'BUILT_IN_TOOL',
      'NOT_OWNER',
      'INVALID_DEFINITION',
      'PASSTHROUGH_CONFLICT',
      'OAUTH_CONFIG_NOT_FOUND',
    ],
    handle: async ({ params, body, subject, services, signal }) => {
      await checkServer({ services, signal }, body.definition, params.tool_id)
      return updateTool(services, subject, params.tool_id, body, services.now())
    },
  }),
  route({
    method: 'DELETE',
    path: '/admin/tool/custom/{tool_id}',
    audit: { action: 'tool.delete', object: 'tool_id' },
    access: 'tools',
    tag: 'Tools',
    summary: 'Delete custom tool',
    params: ToolPath,
    reply: z.null(),
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER', 'TOOL_IN_USE'],
    handle: async ({ params, subject, services }) => {
      await deleteTool(services, subject, params.tool_id)
      return null
    },
  }),
  route({
    method: 'POST',
    path: '/admin/tool/custom/validate',
    access: 'tools',
    tag: 'Tools',
    summary: 'Validate a definition',
    description: 'Answers the operations that a model could call, or the first rule that the definition breaks.',
    body: ValidateToolRequest,
    reply: ValidateToolResponse,
    errors: ['INVALID_DEFINITION'],
    handle: async ({ body: { definition }, services, signal }) => {
      const methods = methodsOf(definition)
      await checkServer({ services, signal }, definition, null)
      return { methods }
    },
  }),
  route({
    method: 'PATCH',
    path: '/admin/tool/status',
    audit: { action: 'tool.switch', object: ({ body }) => body.tool_ids.join(' ') },
    access: 'tools',
    tag: 'Tools',
    summary: 'Switch tools on or off',
    description:
      'All of them or none. A key switches the tools that it made, that of an administrator every tool, built-in ones too.',
    body: ToolStatusRequest,
    reply: ToolStatusResponse,
    errors: ['TOOLS_NOT_FOUND', 'NOT_OWNER'],
    handle: async ({ body: { tool_ids, enabled }, subject, services }) => {
      const ids = [...new Set(tool_ids)]
      if (ids.length === 0) throw new AppError('INVALID_INPUT', { reason: 'No tool IDs provided.' })
      await switchTools(services, subject, { ids, enabled, now: services.now() })
      return { updated_count: ids.length, tool_ids: ids }
    },
  }),
]

const idsOf = (servers: readonly { id: number }[]) => servers.map((it) => it.id)

export const toolRoutes = [
  ...customTools,
  route({
    method: 'GET',
    path: '/tool',
    access: 'tools',
    tag: 'Tools',
    summary: 'List tools',
    description:
      'Those that are switched on: one’s own, the shared ones and those that are built in, of which administrators see all; of remote MCP servers, those that are connected and open to the key.',
    query: PageQuery,
    reply: z.array(ToolSnapshot),
    handle: async ({ query, subject, services }) => {
      const servers = await listMcpServers(services.db, subject)
      return listTools(services, subject, query, idsOf(servers.filter((it) => it.status === 'CONNECTED')))
    },
  }),
  route({
    method: 'GET',
    path: '/tool/openapi',
    access: 'tools',
    tag: 'Tools',
    summary: 'List custom tools',
    description:
      'Those made from an OpenAPI definition, switched on or off: one’s own and the shared ones; administrators see all.',
    query: PageQuery,
    reply: z.array(ToolSnapshot),
    handle: ({ query, subject, services }) => listCustomTools(services, subject, query),
  }),
  route({
    method: 'GET',
    path: '/tool/{tool_id}',
    access: 'tools',
    tag: 'Tools',
    summary: 'Get tool',
    params: ToolPath,
    reply: ToolSnapshot,
    errors: ['TOOL_NOT_FOUND'],
    handle: async ({ params, subject, services }) =>
      getTool(services, subject, params.tool_id, idsOf(await listMcpServers(services.db, subject))),
  }),
]
