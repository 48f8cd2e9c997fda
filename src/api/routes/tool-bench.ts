import { z } from 'zod'
import { ToolDefinition } from '../../domain/tool.ts'
import { nullish, pathInteger, wireBoolean, wireInteger, wireObject, wireString } from '../../domain/wire.ts'
import type { ToolFailure } from '../../store/tool-failures.ts'
import { iso } from '../iso.ts'
import { PageQuery } from '../page.ts'
import { route } from '../route.ts'

const ToolPath = z.object({ tool_id: pathInteger() })
const Arguments = z.record(z.string(), z.unknown())

const TryRequest = z
  .object({
    operation: nullish(wireString({ min: 1, max: 1_000 })).describe('The operation id.'),
    arguments: nullish(wireObject()),
    failure_id: nullish(wireInteger()).describe(
      'A failed call that is kept: its operation and arguments, where these are not sent.',
    ),
    run: nullish(wireBoolean()).describe('Whether to send the request. Without it, it is only shown.'),
  })
  .meta({ id: 'ToolTryRequest' })

const TryResponse = z
  .object({
    operation: z.string(),
    arguments: Arguments,
    request: z
      .object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()).describe('Secrets are masked.'),
        body: z.string().nullable(),
      })
      .describe('What is sent.'),
    answer: z
      .object({
        status_code: z.int(),
        media_type: z.string(),
        kind: z.enum(['json', 'text', 'html', 'other', 'empty']),
        text: z.string().describe('What a model reads.'),
        is_truncated: z.boolean(),
        took_ms: z.int(),
      })
      .nullable(),
    error: z.string().nullable().describe('Why there is no answer, where one was asked for.'),
  })
  .meta({ id: 'ToolTryResponse' })

const Failure = z
  .object({
    id: z.int(),
    operation: z.string(),
    arguments: Arguments,
    reason: z.string(),
    status_code: z.int().nullable(),
    failed_at: z.iso.datetime(),
  })
  .meta({ id: 'ToolFailure' })

const failureOf = ({ tool_id: _, user_id: __, failed_at, ...it }: ToolFailure): z.infer<typeof Failure> => ({
  ...it,
  failed_at: iso(failed_at),
})

const difference = { name: z.string(), summary: z.string(), method: z.string(), path: z.string() }
const Operation = z.object(difference).meta({ id: 'ToolOperation' })
const DiffResponse = z
  .object({
    added: z.array(Operation),
    removed: z.array(Operation),
    changed: z.array(
      z
        .object({
          ...difference,
          changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
        })
        .meta({ id: 'ToolOperationChange' }),
    ),
    server: z
      .object({ before: z.string().nullable(), after: z.string().nullable() })
      .nullable()
      .describe('Null where it stays.'),
  })
  .meta({ id: 'ToolDefinitionDiff' })

const bench = {
  access: 'tools',
  tag: 'Tools',
  params: ToolPath,
} as const

export const toolBenchRoutes = [
  route({
    ...bench,
    method: 'POST',
    path: '/admin/tool/{tool_id}/try',
    audit: { action: 'tool.try', object: 'tool_id' },
    summary: 'Try a tool',
    description:
      'Shows the request that an operation with these arguments becomes, and sends it if that is wanted: with the account, and where the tool passes it on with the authorization, of whoever asks.',
    body: TryRequest,
    reply: TryResponse,
    errors: [
      'TOOL_NOT_FOUND',
      'BUILT_IN_TOOL',
      'NOT_OWNER',
      'INVALID_DEFINITION',
      'INVALID_INPUT',
      'TOOL_FAILURE_NOT_FOUND',
      'TOOL_NEEDS_CONSENT',
      'TOOL_PROVIDER_FAILED',
    ],
    handle: ({ params, body, subject, services, authorization, signal }) =>
      services.tools.bench.attempt(
        subject,
        params.tool_id,
        { ...body, run: body.run === true },
        { authorization, signal },
      ),
  }),
  route({
    ...bench,
    method: 'GET',
    path: '/admin/tool/{tool_id}/failures',
    summary: 'List failed calls',
    description: 'Calls of chats that failed within the last 30 days, at most 100, to be tried again.',
    query: PageQuery,
    reply: z.array(Failure),
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER'],
    handle: async ({ params, query, subject, services }) =>
      (await services.tools.bench.failures(subject, params.tool_id, query)).map(failureOf),
  }),
  route({
    ...bench,
    method: 'POST',
    path: '/admin/tool/{tool_id}/diff',
    summary: 'Compare definitions',
    description: 'Which operations another definition would add, take away or change. Nothing is stored.',
    body: z.object({ definition: ToolDefinition }).meta({ id: 'ToolDiffRequest' }),
    reply: DiffResponse,
    errors: ['TOOL_NOT_FOUND', 'BUILT_IN_TOOL', 'NOT_OWNER', 'INVALID_DEFINITION'],
    handle: ({ params, body, subject, services }) =>
      services.tools.bench.diff(subject, params.tool_id, body.definition),
  }),
]
