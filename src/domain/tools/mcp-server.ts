// A connected MCP server, in the wire format.
import { z } from 'zod'
import {
  NOT_BLANK,
  nullish,
  optionalNullable,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireObject,
  wireString,
} from '../../wire/schemas.ts'
import { groupIds } from '../connector.ts'
import { AppError } from '../errors.ts'
import { maskSecret } from '../values/mask.ts'
import { PassthroughGrantSnapshot } from './passthrough.ts'

export const MCP_TRANSPORTS = ['STREAMABLE_HTTP', 'SSE'] as const
export const MCP_AUTH_TYPES = ['NONE', 'API_TOKEN', 'OAUTH', 'PT_OAUTH'] as const
export const MCP_AUTH_PERFORMERS = ['ADMIN', 'PER_USER'] as const
export const MCP_STATUSES = ['CREATED', 'AWAITING_AUTH', 'FETCHING_TOOLS', 'CONNECTED', 'DISCONNECTED'] as const
/** `ask`: the user must approve the call. `allow`: the tool runs without approval. */
export const MCP_POLICIES = ['ask', 'allow'] as const
export type McpTransport = (typeof MCP_TRANSPORTS)[number]
export type McpAuthType = (typeof MCP_AUTH_TYPES)[number]
export type McpAuthPerformer = (typeof MCP_AUTH_PERFORMERS)[number]
export type McpStatus = (typeof MCP_STATUSES)[number]
export type McpPolicies = Readonly<Record<string, (typeof MCP_POLICIES)[number]>>

const name = wireString({ min: 1, max: 200, pattern: NOT_BLANK })
const description = wireString({ max: 10_000, pattern: WITHOUT_NUL })
const server_url = wireString({ min: 1, max: 2_000, pattern: /^https?:\/\/[^\s\u0000]+$/i }).describe(
  'The http or https address. Its credentials are never sent to another origin.',
)
const users = wireArray(wireString({ min: 1, max: 500, pattern: WITHOUT_NUL }), { max: 1_000 })
const secret = wireString({ min: 1, max: 10_000, pattern: /^[\t\x20-\x7e\x80-\xff•]*$/ })
const fieldName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const fields = wireObject(secret, { max: 20 }).refine(
  (it) => Object.keys(it).every((key) => fieldName.test(key)),
  'a field name consists of letters, digits and underscores',
)

/** RFC 9110, 5.6.2, except for headers that belong to the connection or to the protocol. */
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const RESERVED =
  /^(?:host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|accept.*|cookie|proxy-.*|mcp-.*|last-event-id)$/i

export const McpAuthTemplate = z
  .object({
    headers: wireObject(wireString({ max: 10_000, pattern: /^[\t\x20-\x7e]*$/ }), { max: 20 }).refine(
      (it) => Object.keys(it).every((key) => HEADER.test(key) && !RESERVED.test(key)),
      'not a valid header name, or reserved for the connection or the protocol',
    ),
    required_fields: nullish(wireArray(wireString({ max: 64, pattern: fieldName }), { max: 20 })),
  })
  .describe('`{name}` in a value is replaced by the field of that name, `{user_email}` by the address of the caller.')
  .meta({ id: 'MCPAuthTemplate' })
export type McpAuthTemplate = z.infer<typeof McpAuthTemplate>

const expected_version = nullish(wireString({ max: 100 })).describe(
  'The `version` of the server that this changes. If the server has another one, the update fails with 409.',
)

export const McpServerCreate = z
  .object({
    name,
    server_url,
    description: nullish(description),
    is_public: nullish(wireBoolean()).describe(
      'Whether everybody may use it. Default: true for administrators and curators, else false.',
    ),
    groups: nullish(groupIds),
    users: nullish(users),
  })
  .meta({ id: 'MCPServerSimpleCreateRequest' })
export type McpServerCreate = z.infer<typeof McpServerCreate>

export const McpServerUpdate = z
  .object({
    name: nullish(name),
    description: optionalNullable(description),
    server_url: nullish(server_url),
    is_public: nullish(wireBoolean()),
    groups: nullish(groupIds),
    users: nullish(users),
    tool_policies: nullish(wireObject(wireEnum(MCP_POLICIES), { max: 1_000 })).describe(
      'By tool name: `allow` runs it without approval, `ask` requires approval even if the server declares it read-only.',
    ),
    expected_version,
  })
  .meta({ id: 'MCPServerUpdateRequest' })
export type McpServerUpdate = z.infer<typeof McpServerUpdate>

const oauthUrl = nullish(wireString({ max: 2_000, pattern: /^https?:\/\/[^\s\u0000]+$/i }))

export const McpServerAuth = z
  .object({
    name,
    server_url,
    description: nullish(description),
    auth_type: wireEnum(MCP_AUTH_TYPES),
    auth_performer: nullish(wireEnum(MCP_AUTH_PERFORMERS)).describe('Whose credentials are used. Default: `ADMIN`.'),
    transport: nullish(wireEnum(MCP_TRANSPORTS)).describe('Default: `STREAMABLE_HTTP`.'),
    api_token: nullish(secret).describe('The field `api_key` of the template; a masked value keeps the stored one.'),
    admin_credentials: nullish(fields).describe('Other fields of the template.'),
    auth_template: nullish(McpAuthTemplate),
    oauth_client_id: nullish(secret).describe(
      'If absent, a client is registered dynamically, if the server allows that.',
    ),
    oauth_client_secret: nullish(secret),
    oauth_scopes: nullish(
      wireArray(wireString({ min: 1, max: 200, pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/ }), { max: 100 }),
    ),
    oauth_authorization_url: oauthUrl.describe(
      'Needed only if the server does not publish it, together with `oauth_token_url`.',
    ),
    oauth_token_url: oauthUrl,
    existing_server_id: nullish(wireInteger({ min: 1 })),
    expected_version,
  })
  .meta({ id: 'MCPToolCreateRequest' })
export type McpServerAuth = z.infer<typeof McpServerAuth>

export const McpUserCredentials = z
  .object({ server_id: wireInteger({ min: 1 }), credentials: fields, transport: nullish(wireEnum(MCP_TRANSPORTS)) })
  .meta({ id: 'MCPUserCredentialsRequest' })

export const McpServer = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    server_url: z.string().describe('Empty except for its owner and administrators; so is `owner`.'),
    owner: z.string(),
    transport: z.enum(MCP_TRANSPORTS),
    auth_type: z.enum(MCP_AUTH_TYPES),
    auth_performer: z.enum(MCP_AUTH_PERFORMERS),
    auth_template: McpAuthTemplate.nullable(),
    oauth_provider_mode: z
      .enum(['AUTO_DISCOVERY', 'KNOWN_PROVIDER'])
      .describe(
        '`KNOWN_PROVIDER`: the addresses of the provider are configured; else they are discovered from the server.',
      ),
    oauth_scopes: z.array(z.string()),
    oauth_authorization_url: z.string().nullable(),
    oauth_token_url: z.string().nullable(),
    user_can_authenticate: z.boolean(),
    is_authenticated: z.boolean().describe('Whether its tools can be called for the caller.'),
    status: z.enum(MCP_STATUSES),
    is_public: z.boolean(),
    groups: z.array(z.union([z.int(), z.string()])),
    users: z.array(z.string()),
    tool_policies: z.record(z.string(), z.enum(MCP_POLICIES)),
    last_refreshed_at: z.iso.datetime().nullable(),
    tool_count: z.int(),
    user_credentials: z.record(z.string(), z.string()).nullable(),
    admin_credentials: z.record(z.string(), z.string()).nullable(),
    passthrough_grant: PassthroughGrantSnapshot.nullable().describe(
      'The administrator who allowed a server with `PT_OAUTH` to receive tokens of its callers. If null, only its owner can use it.',
    ),
    permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
    version: z
      .string()
      .describe(
        'Changes with what an update can change: the `expected_version` of an update. Empty except for its owner and administrators.',
      ),
  })
  .meta({ id: 'MCPServer' })
export type McpServer = z.infer<typeof McpServer>

export const maskCredentialFields = (secrets: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, maskSecret(value)]))

/** Like `unmaskHeaders`: a masked value keeps the stored one. */
export function unmaskCredentialFields(
  sent: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = new Map(Object.entries(stored))
  return Object.fromEntries(
    Object.entries(sent).map(([key, value]) => {
      const before = known.get(key)
      if (before !== undefined && value === maskSecret(before)) return [key, before]
      if (!value.includes('•')) return [key, value]
      throw new AppError('INVALID_INPUT', { reason: `\`${key}\` is a masked secret: send the secret itself.` })
    }),
  )
}

/** The fields that a user must provide; `user_email` is known. */
export const requiredTemplateFields = (template: McpAuthTemplate | null): string[] => {
  const values = Object.values((template ?? DEFAULT_AUTH_TEMPLATE).headers)
  const used = values.flatMap((it) => (it.match(TEMPLATE_FIELD) ?? []).map((field) => field.slice(1, -1)))
  return [...new Set([...used, ...(template?.required_fields ?? [])])].filter((it) => it !== 'user_email')
}

const TEMPLATE_FIELD = /\{([A-Za-z_][A-Za-z0-9_]{0,63})\}/g
const DEFAULT_AUTH_TEMPLATE: McpAuthTemplate = {
  headers: { Authorization: 'Bearer {api_key}' },
  required_fields: ['api_key'],
}

/** The headers of a call; null if a field is missing. */
export function renderAuthHeaders(
  template: McpAuthTemplate | null,
  given: Readonly<Record<string, string>>,
): Record<string, string> | null {
  if (requiredTemplateFields(template).some((it) => !Object.hasOwn(given, it))) return null
  const values = new Map(Object.entries(given))
  return Object.fromEntries(
    Object.entries((template ?? DEFAULT_AUTH_TEMPLATE).headers).map(([key, value]) => [
      key,
      value.replace(TEMPLATE_FIELD, (_, field: string) => values.get(field) ?? ''),
    ]),
  )
}
