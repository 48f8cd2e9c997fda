import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MCPServer, StoredMCPTool } from '../../src/client/schemas.ts'
import { compareMcpTools, isEmptyDifference } from '../../web/src/pages/mcp-servers/mcp-tool-difference.ts'
import { secretsIn, toServerWithAuth, valuesOfServer } from '../../web/src/pages/mcp-servers/mcp-values.ts'

const server: MCPServer = {
  id: 3,
  name: 'Orders',
  description: '',
  server_url: 'https://mcp.example.com/mcp',
  owner: 'ada',
  transport: 'STREAMABLE_HTTP',
  auth_type: 'OAUTH',
  auth_performer: 'ADMIN',
  auth_template: null,
  oauth_provider_mode: 'AUTO_DISCOVERY',
  oauth_scopes: ['orders'],
  oauth_authorization_url: null,
  oauth_token_url: null,
  user_can_authenticate: false,
  is_authenticated: true,
  status: 'CONNECTED',
  is_public: true,
  groups: [],
  users: [],
  tool_policies: {},
  last_refreshed_at: null,
  tool_count: 0,
  user_credentials: null,
  admin_credentials: { client_id: 'pharos', client_secret: 'abcd...wxyz' },
  passthrough_grant: null,
  permissions: { edit: true, delete: true },
  version: 'a',
}

test('a client that stays is not sent', () => {
  const body = toServerWithAuth({ ...valuesOfServer(server), name: 'Purchases' }, server)
  assert.deepEqual([body.name, 'oauth_client_id' in body, body.existing_server_id], ['Purchases', false, 3])
})

test('another client id keeps the stored secret by its mask', () => {
  const body = toServerWithAuth({ ...valuesOfServer(server), client_id: 'other' }, server)
  assert.deepEqual([body.oauth_client_id, body.oauth_client_secret], ['other', 'abcd...wxyz'])
})

test('a template names its secrets, but not the address of the person', () => {
  assert.deepEqual(secretsIn('X-Key: {key}\nX-User: {user_email}\nX-Other: {key}'), ['key'])
})

test('secrets of another template are not sent', () => {
  const values = { ...valuesOfServer(undefined), auth_type: 'API_TOKEN' as const, secrets: { api_key: 'a', old: 'b' } }
  const body = toServerWithAuth(values, undefined)
  assert.deepEqual(body.admin_credentials, { api_key: 'a' })
  assert.deepEqual(body.auth_template, {
    headers: { Authorization: 'Bearer {api_key}' },
    required_fields: ['api_key'],
  })
})

const offered = { name: 'find', display_name: 'Find', description: 'Finds', input_schema: { a: 1 }, is_read_only: true }
const stored: StoredMCPTool = {
  ...offered,
  id: 1,
  definition: null,
  in_code_tool_id: null,
  custom_headers: null,
  passthrough_auth: false,
  is_offered: true,
  version: 'a',
}

test('the tools of a server differ by name, text, arguments and rights', () => {
  assert.ok(isEmptyDifference(compareMcpTools([stored], [offered])))
  const changed = compareMcpTools([stored], [{ ...offered, description: 'Deletes', is_read_only: false }])
  assert.deepEqual(
    changed.changed[0]?.changes.map((it) => [it.field, it.before, it.after]),
    [
      ['description', 'Finds', 'Deletes'],
      ['is_read_only', 'true', 'false'],
    ],
  )
  const renamed = compareMcpTools([stored], [{ ...offered, name: 'seek' }])
  assert.deepEqual([renamed.added.map((it) => it.name), renamed.removed.map((it) => it.name)], [['seek'], ['find']])
})

test('a tool that the server offers again is new', () => {
  assert.equal(compareMcpTools([{ ...stored, is_offered: false }], [offered]).added.length, 1)
})
