import { z } from 'zod'
import { CustomToolCreate, CustomToolUpdate, ToolSnapshot } from '../../domain/tool.ts'
import { pathInteger } from '../../domain/wire.ts'
import { getTool, insertTool, updateTool } from '../../store/tools.ts'
import { route } from '../route.ts'

const ToolPath = z.object({ tool_id: pathInteger() })

export const toolRoutes = [
  route({
    method: 'POST',
    path: '/admin/tool/custom',
    access: 'tools',
    tag: 'Tools',
    summary: 'Create custom tool',
    body: CustomToolCreate,
    reply: ToolSnapshot,
    errors: ['PASSTHROUGH_CONFLICT', 'OAUTH_CONFIG_NOT_FOUND'],
    handle: ({ body, subject, services }) => insertTool(services, subject, body, services.now()),
  }),
  route({
    method: 'PUT',
    path: '/admin/tool/custom/{tool_id}',
    access: 'tools',
    tag: 'Tools',
    summary: 'Update custom tool',
    description: 'Changes only what is sent: a field that is absent or null stays as it is.',
    params: ToolPath,
    body: CustomToolUpdate,
    reply: ToolSnapshot,
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER', 'PASSTHROUGH_CONFLICT', 'OAUTH_CONFIG_NOT_FOUND'],
    handle: ({ params, body, subject, services }) =>
      updateTool(services, subject, params.tool_id, body, services.now()),
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
    handle: ({ params, services }) => getTool(services, params.tool_id),
  }),
]
