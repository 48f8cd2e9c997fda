import { z } from 'zod'
import { ToolDefinition } from '../../../domain/tools/tool.ts'
import type { ToolFailure } from '../../../store/tools/failures.ts'
import { nullish, wireBoolean, wireInteger, wireObject, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { withDefinitionErrors } from '../../checks/tool-definition.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { PageQuery } from '../../wire/page.ts'

const ToolPath = z.object({ tool_id: wirePathInteger() })
const ToolArguments = z.record(z.string(), z.unknown())

const ToolTryRequest = z
  .object({
    operation: nullish(wireString({ min: 1, max: 1_000 })).describe('The operation id of the tool.'),
    arguments: nullish(wireObject()),
    failure_id: nullish(wireInteger()).describe(
      'A stored failed call that provides the operation and arguments if they are not sent.',
    ),
    run: nullish(wireBoolean()).describe('Send the request. Default: false, the request is only returned.'),
  })
  .meta({ id: 'ToolTryRequest' })

const ToolTryResponse = z
  .object({
    operation: z.string(),
    arguments: ToolArguments,
    request: z
      .object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()).describe('Secrets are masked.'),
        body: z.string().nullable(),
      })
      .describe('The HTTP request.'),
    answer: z
      .object({
        status_code: z.int(),
        media_type: z.string(),
        kind: z.enum(['json', 'text', 'html', 'other', 'empty']),
        text: z.string().describe('The text that the model receives.'),
        is_truncated: z.boolean(),
        took_ms: z.int(),
      })
      .nullable(),
    error: z.string().nullable().describe('Why the request failed, if it was sent.'),
  })
  .meta({ id: 'ToolTryResponse' })

const ToolFailureSnapshot = z
  .object({
    id: z.int(),
    operation: z.string(),
    arguments: ToolArguments,
    reason: z.string(),
    status_code: z.int().nullable(),
    failed_at: z.iso.datetime(),
  })
  .meta({ id: 'ToolFailure' })

const toolFailureSnapshot = ({
  tool_id: _,
  user_id: __,
  failed_at,
  ...it
}: ToolFailure): z.infer<typeof ToolFailureSnapshot> => ({
  ...it,
  failed_at: iso(failed_at),
})

const operationFields = { name: z.string(), summary: z.string(), method: z.string(), path: z.string() }
const ToolOperation = z.object(operationFields).meta({ id: 'ToolOperation' })
const CallableOperation = z
  .object({
    ...operationFields,
    raw_name: z.string().describe('The operation id as spelled in the definition.'),
    arguments: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments, as models see it.'),
  })
  .meta({ id: 'CallableToolOperation' })
const ToolDefinitionDiff = z
  .object({
    added: z.array(ToolOperation),
    removed: z.array(ToolOperation),
    changed: z.array(
      z
        .object({
          ...operationFields,
          changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
        })
        .meta({ id: 'ToolOperationChange' }),
    ),
    server: z
      .object({ before: z.string().nullable(), after: z.string().nullable() })
      .nullable()
      .describe('Null if unchanged.'),
  })
  .meta({ id: 'ToolDefinitionDiff' })

const toolDefaults = {
  access: 'tools',
  tag: 'Tools',
  params: ToolPath,
} as const

export const toolTestingRoutes = [
  route({
    ...toolDefaults,
    name: 'tryTool',
    method: 'POST',
    path: '/admin/tool/{tool_id}/try',
    audit: { action: 'tool.try', object: 'tool_id' },
    summary: 'Try tool',
    description:
      'Returns the HTTP request for an operation with these arguments. With `run`, sends it with the account of the caller, and with a token of the caller if the tool has `passthrough_auth`.',
    body: ToolTryRequest,
    reply: ToolTryResponse,
    errors: [
      'TOOL_NOT_FOUND',
      'BUILT_IN_TOOL',
      'NOT_OWNER',
      'INVALID_DEFINITION',
      'INVALID_INPUT',
      'TOOL_FAILURE_NOT_FOUND',
      'TOOL_NEEDS_CONSENT',
      'TOOL_PROVIDER_FAILED',
      'PASSTHROUGH_NOT_GRANTED',
      'PASSTHROUGH_NEEDS_CONSENT',
    ],
    services: ['tools'],
    handle: ({ params, body, subject, services, signal }) =>
      services.tools.tester.tryCall(subject, params.tool_id, { ...body, run: body.run === true }, { signal }),
  }),
  route({
    ...toolDefaults,
    name: 'listToolFailures',
    method: 'GET',
    path: '/admin/tool/{tool_id}/failures',
    summary: 'List tool failures',
    description: 'Failed calls from chats of the last 30 days, at most 100. They can be repeated with `failure_id`.',
    query: PageQuery,
    reply: z.array(ToolFailureSnapshot),
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER'],
    services: ['tools'],
    handle: async ({ params, query, subject, services }) =>
      (await services.tools.tester.listFailedCalls(subject, params.tool_id, query)).map(toolFailureSnapshot),
  }),
  route({
    ...toolDefaults,
    name: 'listToolOperations',
    method: 'GET',
    path: '/admin/tool/{tool_id}/operations',
    summary: 'List tool operations',
    description: 'Returns the operations that a model can call, with the JSON Schema of their arguments.',
    reply: z.array(CallableOperation),
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER', 'INVALID_DEFINITION', 'INVALID_INPUT'],
    services: ['tools'],
    handle: ({ params, subject, services }) => services.tools.tester.listOperations(subject, params.tool_id),
  }),
  route({
    ...toolDefaults,
    name: 'diffToolDefinition',
    method: 'POST',
    path: '/admin/tool/{tool_id}/diff',
    summary: 'Diff tool definition',
    description: 'Returns the operations that a new definition would add, remove or change. Nothing is stored.',
    body: z.object({ definition: ToolDefinition }).meta({ id: 'ToolDiffRequest' }),
    reply: ToolDefinitionDiff,
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER'],
    services: ['tools'],
    handle: ({ params, body, subject, services }) =>
      withDefinitionErrors(() => services.tools.tester.diffDefinition(subject, params.tool_id, body.definition)),
  }),
]
