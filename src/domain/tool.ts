import { z } from 'zod'
import { AppError } from './errors.ts'
import { mask } from './mask.ts'
import { nullish, wireArray, wireBoolean, wireInteger, wireObject, wireString } from './wire.ts'

export const Header = z
  .object({ key: wireString({ max: 1_000 }), value: wireString({ max: 100_000 }) })
  .meta({ id: 'Header' })
export type Header = z.infer<typeof Header>

const oauth_config_id = wireInteger()

export const CustomToolCreate = z
  .object({
    name: wireString({ max: 1_000 }),
    description: nullish(wireString({ max: 100_000 })),
    definition: wireObject(),
    custom_headers: nullish(wireArray(Header, { max: 100 })),
    passthrough_auth: wireBoolean(),
    oauth_config_id: nullish(oauth_config_id),
  })
  .meta({ id: 'CustomToolCreate' })
export type CustomToolCreate = z.infer<typeof CustomToolCreate>

/** Absent and null leave a field as it is, but for `oauth_config_id`, where null unlinks. */
export const CustomToolUpdate = z
  .object({
    name: nullish(wireString({ max: 1_000 })),
    description: nullish(wireString({ max: 100_000 })),
    definition: nullish(wireObject()),
    custom_headers: nullish(wireArray(Header, { max: 100 })),
    passthrough_auth: nullish(wireBoolean()),
    oauth_config_id: oauth_config_id.nullable().optional(),
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

/** What to store when a client writes back what it read: a value that is the stored one's mask keeps the stored one. */
export function unmaskHeaders(sent: readonly Header[], stored: readonly Header[]): Header[] {
  return sent.map((header) => {
    const same = stored.find((it) => it.key.toLowerCase() === header.key.toLowerCase())
    return same !== undefined && header.value === mask(same.value) ? { ...header, value: same.value } : header
  })
}
