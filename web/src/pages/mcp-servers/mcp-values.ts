// The values of the form of an MCP server, and what the API takes.
import type { MCPServer, MCPServerSimpleCreateRequest, MCPToolCreateRequest } from '../../../../src/client/schemas.ts'

export const AUTH_TYPES = ['NONE', 'API_TOKEN', 'OAUTH', 'PT_OAUTH'] as const
export const PERFORMERS = ['ADMIN', 'PER_USER'] as const
export const TRANSPORTS = ['STREAMABLE_HTTP', 'SSE'] as const

export interface McpValues {
  name: string
  server_url: string
  description: string
  transport: MCPServer['transport']
  auth_type: MCPServer['auth_type']
  performer: MCPServer['auth_performer']
  /** Lines `Header: value`, where `{name}` stands for a secret. */
  template: string
  /** The secrets of the template by name. Absent: the stored one stays. */
  secrets: Readonly<Record<string, string>>
  client_id: string
  client_secret: string
  /** A line for each. */
  scopes: string
  authorization_url: string
  token_url: string
}

/** As src/domain/tools/mcp-server.ts has it. */
const DEFAULT_TEMPLATE = ['Authorization:', 'Bearer', '{api_key}'].join(' ')

export const valuesOfServer = (server: MCPServer | undefined): McpValues => ({
  name: server?.name ?? '',
  server_url: server?.server_url ?? '',
  description: server?.description ?? '',
  transport: server?.transport ?? 'STREAMABLE_HTTP',
  auth_type: server?.auth_type ?? 'NONE',
  performer: server?.auth_performer ?? 'ADMIN',
  template: textOfTemplate(server),
  secrets: {},
  client_id: server?.admin_credentials?.client_id ?? '',
  client_secret: '',
  scopes: (server?.oauth_scopes ?? []).join('\n'),
  authorization_url: server?.oauth_authorization_url ?? '',
  token_url: server?.oauth_token_url ?? '',
})

function textOfTemplate(server: MCPServer | undefined): string {
  const headers = Object.entries(server?.auth_template?.headers ?? {})
  return headers.length === 0 ? DEFAULT_TEMPLATE : headers.map(([name, value]) => `${name}: ${value}`).join('\n')
}

/** The secrets that a template names. */
export const secretsIn = (template: string): string[] =>
  [...new Set((template.match(/\{\w{1,64}\}/g) ?? []).map((it) => it.slice(1, -1)))].filter((it) => it !== 'user_email')

function readTemplate(text: string): Record<string, string> {
  const lines = text.split('\n').filter((it) => it.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

/** A server without credentials and with the usual transport. */
export const isSimple = ({ auth_type, transport }: McpValues): boolean =>
  auth_type === 'NONE' && transport === 'STREAMABLE_HTTP'

export const toSimpleServer = ({ name, server_url, description }: McpValues): MCPServerSimpleCreateRequest => ({
  name: name.trim(),
  server_url: server_url.trim(),
  description,
})

/** `server` is what is stored; undefined for a new one. */
export const toServerWithAuth = (values: McpValues, server: MCPServer | undefined): MCPToolCreateRequest => ({
  ...toSimpleServer(values),
  existing_server_id: server?.id ?? null,
  transport: values.transport,
  auth_type: values.auth_type,
  auth_performer: hasPerformer(values) ? values.performer : 'ADMIN',
  ...(values.auth_type === 'API_TOKEN' && tokenFields(values)),
  ...(values.auth_type === 'OAUTH' && { ...oauthFields(values), ...clientFields(values, server) }),
})

export const hasPerformer = ({ auth_type }: McpValues): boolean => auth_type === 'API_TOKEN' || auth_type === 'OAUTH'

function tokenFields({ template, performer, secrets }: McpValues): Partial<MCPToolCreateRequest> {
  const given = Object.entries(secrets).filter(([name, it]) => it !== '' && secretsIn(template).includes(name))
  return {
    auth_template: { headers: readTemplate(template), required_fields: secretsIn(template) },
    ...(performer === 'ADMIN' && given.length > 0 && { admin_credentials: Object.fromEntries(given) }),
  }
}

function oauthFields(values: McpValues): Partial<MCPToolCreateRequest> {
  return {
    oauth_scopes: values.scopes.split(/\s/).filter((it) => it !== ''),
    oauth_authorization_url: orNull(values.authorization_url),
    oauth_token_url: orNull(values.token_url),
  }
}

/** Sent only if changed. The mask of the stored secret keeps it beside another client ID. */
function clientFields(values: McpValues, server: MCPServer | undefined): Partial<MCPToolCreateRequest> {
  const { client_id = '', client_secret = '' } = server?.admin_credentials ?? {}
  if (values.client_id.trim() === client_id && values.client_secret === '') return {}
  return {
    oauth_client_id: orNull(values.client_id),
    oauth_client_secret: orNull(values.client_secret) ?? orNull(client_secret),
  }
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
