import { z } from 'zod'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireName,
  wireObject,
  wireString,
} from '../../wire/schemas.ts'
import { AppError } from '../errors.ts'
import { maskSecret } from '../values/mask.ts'
import { describeSizeError } from './definition-limits.ts'
import { PassthroughGrantSnapshot } from './passthrough.ts'

/** RFC 9110, 5.6.2 and 5.5: characters that cannot inject a second header. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Includes the mask of a short secret, which only `unmaskHeaders` accepts. */
const FIELD_VALUE = /^(?:[\t\x20-\x7e\x80-\xff]*|•{12})$/
/** Headers that belong to the connection or identify another party. */
const RESERVED = /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|cookie|proxy-.*)$/i

export const Header = z
  .object({
    key: wireString({ max: 1_000, pattern: FIELD_NAME }).refine(
      (it) => !RESERVED.test(it),
      'this header belongs to the connection and cannot be set',
    ),
    value: wireString({ max: 100_000, pattern: FIELD_VALUE }),
  })
  .meta({ id: 'Header' })
export type Header = z.infer<typeof Header>

/** Each header at most once. */
export const headerList = wireArray(Header, { max: 100 }).refine(
  (it) => new Set(it.map(({ key }) => key.toLowerCase())).size === it.length,
  'a header occurs twice',
)

const name = wireName()
const description = wireString({ max: 100_000, pattern: WITHOUT_NUL })
const oauth_config_id = wireInteger()
const sharingFields = {
  requires_confirmation: nullish(wireBoolean()).describe(
    'Whether calls other than GET need approval in a chat. True unless an administrator sets it to false; it becomes true again when the owner changes what the tool does.',
  ),
  is_public: nullish(wireBoolean()).describe(
    'Whether users other than its owner may use it in a chat. Only curators and administrators share tools; theirs are shared by default.',
  ),
}

/** Any object here; `parseToolMethods` decides whether a model can use it. */
export const ToolDefinition = wireObject()
  .superRefine((definition, context) => {
    const message = describeSizeError(definition)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .meta({
    id: 'ToolDefinition',
    description:
      'An OpenAPI 3 document with one server. Each of its operations becomes a function that a model can call.',
    examples: [
      {
        openapi: '3.0.0',
        info: { title: 'Weather', description: 'Says the weather', version: '1' },
        servers: [{ url: 'https://weather.example.com' }],
        paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
      },
    ],
  })

export const CustomToolCreate = z
  .object({
    name,
    description: nullish(description),
    definition: ToolDefinition,
    custom_headers: nullish(headerList),
    passthrough_auth: wireBoolean(),
    oauth_config_id: nullish(oauth_config_id),
    ...sharingFields,
  })
  .meta({ id: 'CustomToolCreate' })
export type CustomToolCreate = z.infer<typeof CustomToolCreate>

/** Absent and null leave a field unchanged, except that null unlinks `oauth_config_id`. */
export const CustomToolUpdate = z
  .object({
    name: nullish(name),
    description: nullish(description),
    definition: nullish(ToolDefinition),
    custom_headers: nullish(headerList),
    passthrough_auth: nullish(wireBoolean()),
    oauth_config_id: oauth_config_id.nullable().optional(),
    ...sharingFields,
    expected_version: nullish(wireString({ max: 100 })).describe('The `version` of the tool that this changes.'),
  })
  .meta({ id: 'CustomToolUpdate' })
export type CustomToolUpdate = z.infer<typeof CustomToolUpdate>

export const ToolSnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    definition: z.record(z.string(), z.unknown()).nullable(),
    display_name: z.string(),
    in_code_tool_id: z.string().nullable(),
    custom_headers: z.array(z.unknown()).nullable(),
    passthrough_auth: z.boolean(),
    mcp_server_id: z.int().nullable().optional(),
    user_id: z.string().nullable().optional(),
    oauth_config_id: z.int().nullable().optional(),
    oauth_config_name: z.string().nullable().optional(),
    enabled: z.boolean().default(true),
    chat_selectable: z.boolean().default(true),
    agent_creation_selectable: z.boolean().default(true),
    default_enabled: z.boolean().default(false),
    requires_confirmation: z.boolean().optional(),
    is_public: z.boolean().optional(),
    version: z
      .string()
      .optional()
      .describe('Changes with what an update can change: the `expected_version` of an update.'),
    passthrough_grant: PassthroughGrantSnapshot.nullable()
      .optional()
      .describe(
        'The administrator who allowed a tool with `passthrough_auth` to receive tokens of its callers. If null, only its owner can use it.',
      ),
  })
  .meta({ id: 'ToolSnapshot' })
export type ToolSnapshot = z.infer<typeof ToolSnapshot>

/** The caller's authorization cannot be passed through if a fixed one is set. */
export function checkHeaderConflict(passthroughAuth: boolean, headers: readonly Header[]): void {
  if (passthroughAuth && headers.some((it) => it.key.toLowerCase() === 'authorization')) {
    throw new AppError('PASSTHROUGH_CONFLICT')
  }
}

export const maskHeaders = (headers: readonly Header[]): Header[] =>
  headers.map(({ key, value }) => ({ key, value: maskSecret(value) }))

/**
 * Merges what a client sends back: the mask of a stored value keeps that value. The mask of another header's value is
 * INVALID_INPUT: storing it would silently lose the secret.
 */
export function unmaskHeaders(sent: readonly Header[], stored: readonly Header[]): Header[] {
  return sent.map((header) => {
    const masked = stored.filter((it) => header.value === maskSecret(it.value))
    const same = masked.find((it) => it.key.toLowerCase() === header.key.toLowerCase())
    if (same !== undefined) return { ...header, value: same.value }
    if (masked.length === 0 && header.value !== maskSecret('')) return header
    const reason = `The value of "${header.key}" is masked: send the secret itself, or the name it was stored under.`
    throw new AppError('INVALID_INPUT', { reason })
  })
}
