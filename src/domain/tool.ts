import { z } from 'zod'
import { AppError } from './errors.ts'
import { mask } from './mask.ts'
import { nullish, WITHOUT_NUL, wireArray, wireBoolean, wireInteger, wireObject, wireString } from './wire.ts'

/** RFC 9110, 5.6.2 and 5.5: what may stand in a header without becoming two. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Or the mask of a short secret, which only `unmaskHeaders` lets through. */
const FIELD_VALUE = /^(?:[\t\x20-\x7e\x80-\xff]*|•{12})$/
/** They belong to the connection, or name somebody else. */
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

/** No header twice. */
export const headerList = wireArray(Header, { max: 100 }).refine(
  (it) => new Set(it.map(({ key }) => key.toLowerCase())).size === it.length,
  'a header is named twice',
)

const name = wireString({ max: 1_000, pattern: WITHOUT_NUL })
const description = wireString({ max: 100_000, pattern: WITHOUT_NUL })
const oauth_config_id = wireInteger()
const grants = {
  requires_confirmation: nullish(wireBoolean()).describe(
    'Whether somebody in a chat is asked before a call that is no GET. True unless an administrator says otherwise; an owner who changes what the tool does has it asked again.',
  ),
  is_public: nullish(wireBoolean()).describe(
    'Whether others than its owner may use it in a chat. Curators and administrators share tools; what they make is shared unless they say otherwise.',
  ),
}

/** A free-form object here; `methodsOf` says whether a model can use it. */
export const ToolDefinition = wireObject().meta({
  id: 'ToolDefinition',
  description: 'An OpenAPI 3 document with one server. Each of its operations becomes one thing that a model can call.',
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
    ...grants,
  })
  .meta({ id: 'CustomToolCreate' })
export type CustomToolCreate = z.infer<typeof CustomToolCreate>

/** Absent and null leave a field as it is, but for `oauth_config_id`, where null unlinks. */
export const CustomToolUpdate = z
  .object({
    name: nullish(name),
    description: nullish(description),
    definition: nullish(ToolDefinition),
    custom_headers: nullish(headerList),
    passthrough_auth: nullish(wireBoolean()),
    oauth_config_id: oauth_config_id.nullable().optional(),
    ...grants,
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
  })
  .meta({ id: 'ToolSnapshot' })
export type ToolSnapshot = z.infer<typeof ToolSnapshot>

/** The caller's own authorization cannot be passed on beside a fixed one. */
export function checkHeaders(passthroughAuth: boolean, headers: readonly Header[]): void {
  if (passthroughAuth && headers.some((it) => it.key.toLowerCase() === 'authorization')) {
    throw new AppError('PASSTHROUGH_CONFLICT')
  }
}

export const maskHeaders = (headers: readonly Header[]): Header[] =>
  headers.map(({ key, value }) => ({ key, value: mask(value) }))

/**
 * What to store when a client writes back what it read: a value that is the stored one's mask keeps the stored one.
 * The mask of another header's value is INVALID_INPUT: storing it would lose the secret without a word.
 */
export function unmaskHeaders(sent: readonly Header[], stored: readonly Header[]): Header[] {
  return sent.map((header) => {
    const masked = stored.filter((it) => header.value === mask(it.value))
    const same = masked.find((it) => it.key.toLowerCase() === header.key.toLowerCase())
    if (same !== undefined) return { ...header, value: same.value }
    if (masked.length === 0 && header.value !== mask('')) return header
    const reason = `The value of "${header.key}" is a masked one: send the secret itself, or the name it was stored under.`
    throw new AppError('INVALID_INPUT', { reason })
  })
}
