import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { CustomToolCreate, CustomToolUpdate, ToolDefinition, ToolSnapshot } from '../../../domain/tools/tool.ts'
import { parseToolMethods, singleServer, ToolMethod } from '../../../domain/tools/tool-definition.ts'
import { deleteTool, insertTool, setToolsEnabled, updateTool } from '../../../store/tools/custom-tools.ts'
import { listMcpServers } from '../../../store/tools/mcp-servers.ts'
import { getTool, listCustomTools, listTools } from '../../../store/tools/tools.ts'
import { nullish, wireArray, wireBoolean, wireInteger, wirePathInteger } from '../../../wire/schemas.ts'
import { checkEgressAddress } from '../../checks/egress-address.ts'
import { withDefinitionErrors } from '../../checks/tool-definition.ts'
import { type RouteCall, route } from '../../route.ts'
import { PageQuery, pageFields, toPage } from '../../wire/page.ts'

const MAX_TOOL_IDS = 1_000

const ToolPath = z.object({ tool_id: wirePathInteger() })
const ValidateToolRequest = z.object({ definition: ToolDefinition }).meta({ id: 'ValidateToolRequest' })
const ValidateToolResponse = z.object({ methods: z.array(ToolMethod) }).meta({ id: 'ValidateToolResponse' })
const ToolListQuery = z
  .object({
    ...pageFields,
    built_in: nullish(wireBoolean()).describe('Only built-in tools (true), or only others (false).'),
    include_disabled: nullish(wireBoolean()).describe('Whether disabled tools are listed as well. Default: false.'),
  })
  .transform(({ built_in, include_disabled, ...page }) => ({
    page: toPage(page),
    choice: { isBuiltIn: built_in, hasDisabled: include_disabled === true },
  }))
const ToolStatusRequest = z
  .object({ tool_ids: wireArray(wireInteger(), { max: MAX_TOOL_IDS }), enabled: wireBoolean() })
  .meta({ id: 'ToolStatusUpdateRequest' })
const ToolStatusResponse = z
  .object({ updated_count: z.int(), tool_ids: z.array(z.int()) })
  .meta({ id: 'ToolStatusUpdateResponse' })

/** Checks the server address. Definitions with no server or several are rejected by validation. */
async function checkServerUrl(
  { services, signal }: Pick<RouteCall<unknown, unknown, unknown, 'egress'>, 'services' | 'signal'>,
  definition: Record<string, unknown> | null,
  id: number | null,
): Promise<void> {
  const server = definition === null ? undefined : singleServer(definition)
  if (server === undefined) return
  const loc = ['body', 'definition', 'servers', server.at, 'url']
  await checkEgressAddress(
    services,
    { loc, url: server.url, profile: 'admin-target', asker: { kind: 'tool', id } },
    signal,
  )
}

const ADDRESS_CHECK_NOTE = 'A server address that this service may not call is rejected with 422.'

const customToolRoutes = [
  route({
    name: 'createCustomTool',
    method: 'POST',
    path: '/admin/tool/custom',
    audit: { action: 'tool.create', object: (_, created) => created.id },
    access: 'tools',
    tag: 'Tools',
    summary: 'Create custom tool',
    description: ADDRESS_CHECK_NOTE,
    body: CustomToolCreate,
    reply: ToolSnapshot,
    errors: ['PASSTHROUGH_CONFLICT', 'OAUTH_CONFIG_NOT_FOUND'],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ body, subject, services, signal }) => {
      await checkServerUrl({ services, signal }, body.definition, null)
      return withDefinitionErrors(() => insertTool(services, subject, body, services.now()))
    },
  }),
  route({
    name: 'updateCustomTool',
    method: 'PUT',
    path: '/admin/tool/custom/{tool_id}',
    audit: { action: 'tool.update', object: 'tool_id' },
    access: 'tools',
    tag: 'Tools',
    summary: 'Update custom tool',
    description: `Changes only the fields that are sent; absent and null fields are unchanged. An empty \`definition\` removes the stored one. With \`expected_version\`, the update fails with 409 if the tool has changed since it had that version. ${ADDRESS_CHECK_NOTE}`,
    params: ToolPath,
    body: CustomToolUpdate,
    reply: ToolSnapshot,
    errors: [
      'TOOL_NOT_FOUND',
      'BUILT_IN_TOOL',
      'NOT_OWNER',
      'TOOL_CHANGED',
      'PASSTHROUGH_CONFLICT',
      'OAUTH_CONFIG_NOT_FOUND',
    ],
    services: ['db', 'secrets', 'egress', 'now'],
    handle: async ({ params, body, subject, services, signal }) => {
      await checkServerUrl({ services, signal }, body.definition, params.tool_id)
      return withDefinitionErrors(() => updateTool(services, subject, params.tool_id, body, services.now()))
    },
  }),
  route({
    name: 'deleteCustomTool',
    method: 'DELETE',
    path: '/admin/tool/custom/{tool_id}',
    audit: { action: 'tool.delete', object: 'tool_id' },
    access: 'tools',
    tag: 'Tools',
    summary: 'Delete custom tool',
    params: ToolPath,
    reply: z.null(),
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER', 'TOOL_IN_USE'],
    services: ['db'],
    handle: async ({ params, subject, services }) => {
      await deleteTool(services, subject, params.tool_id)
      return null
    },
  }),
  route({
    name: 'validateToolDefinition',
    method: 'POST',
    path: '/admin/tool/custom/validate',
    access: 'tools',
    tag: 'Tools',
    summary: 'Validate tool definition',
    description: 'Returns the operations that a model could call, or the first validation error.',
    body: ValidateToolRequest,
    reply: ValidateToolResponse,
    services: ['egress'],
    handle: async ({ body: { definition }, services, signal }) => {
      const methods = await withDefinitionErrors(() => parseToolMethods(definition))
      await checkServerUrl({ services, signal }, definition, null)
      return { methods }
    },
  }),
  route({
    name: 'updateToolStatus',
    method: 'PATCH',
    path: '/admin/tool/status',
    audit: { action: 'tool.switch', object: ({ body }) => body.tool_ids.join(' ') },
    access: 'tools',
    tag: 'Tools',
    summary: 'Enable or disable tools',
    description:
      'Updates all of the tools or none. A key can update the tools that it created; administrators can update every tool, including built-in ones. Only administrators can enable a tool that an administrator disabled.',
    body: ToolStatusRequest,
    reply: ToolStatusResponse,
    errors: ['TOOLS_NOT_FOUND', 'NOT_OWNER', 'TOOL_HELD_OFF'],
    services: ['db', 'now'],
    handle: async ({ body: { tool_ids, enabled }, subject, services }) => {
      const ids = [...new Set(tool_ids)]
      if (ids.length === 0) throw new AppError('INVALID_INPUT', { reason: 'No tool IDs provided.' })
      await setToolsEnabled(services, subject, { ids, enabled, now: services.now() })
      return { updated_count: ids.length, tool_ids: ids }
    },
  }),
]

const serverIds = (servers: readonly { id: number }[]) => servers.map((it) => it.id)

export const toolRoutes = [
  ...customToolRoutes,
  route({
    name: 'listTools',
    method: 'GET',
    path: '/tool',
    access: 'tools',
    tag: 'Tools',
    summary: 'List tools',
    description:
      'Lists enabled tools: own, shared and built-in tools, and tools of connected MCP servers that are available to the key. Administrators see the tools of all users.',
    query: ToolListQuery,
    reply: z.array(ToolSnapshot),
    services: ['db', 'secrets'],
    handle: async ({ query: { page, choice }, subject, services }) => {
      const servers = await listMcpServers(services.db, subject)
      const mcpServers = serverIds(servers.filter((it) => it.status === 'CONNECTED'))
      return listTools(services, subject, page, { ...choice, mcpServers })
    },
  }),
  route({
    name: 'listCustomTools',
    method: 'GET',
    path: '/tool/openapi',
    access: 'tools',
    tag: 'Tools',
    summary: 'List custom tools',
    description:
      'Lists own and shared tools with an OpenAPI definition, including disabled ones. Administrators see all.',
    query: PageQuery,
    reply: z.array(ToolSnapshot),
    services: ['db', 'secrets'],
    handle: ({ query, subject, services }) => listCustomTools(services, subject, query),
  }),
  route({
    name: 'getTool',
    method: 'GET',
    path: '/tool/{tool_id}',
    access: 'tools',
    tag: 'Tools',
    summary: 'Get tool',
    params: ToolPath,
    reply: ToolSnapshot,
    errors: ['TOOL_NOT_FOUND'],
    services: ['db', 'secrets'],
    handle: async ({ params, subject, services }) =>
      getTool(services, subject, params.tool_id, serverIds(await listMcpServers(services.db, subject))),
  }),
]
