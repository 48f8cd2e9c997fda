// Object access: calls every operation that takes an id, in its path or body, with the id of another user. The table is
// reviewed, and an operation that takes an id without a row fails.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { form, formHeaders, png } from './multipart-form.ts'
import type { Question, Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makePair, makeConnector, makeKey } = await start()

interface Kind {
  /** Creates an object of the owner; `missing` never existed. */
  make(): Promise<string | number>
  missing: string | number
  /** A key that may call the same operations, but not for this object. */
  stranger: string
  owner: string
  remove?(id: string | number): Promise<unknown>
}

const keys: Record<string, string> = {}
before(async () => {
  const group = { user_group_ids: ['board'] }
  keys.ann = await makeKey({ role: 'basic' })
  keys.bob = await makeKey({ role: 'basic' })
  keys.cara = await makeKey({ role: 'curator' })
  keys.curt = await makeKey({ role: 'curator' })
  keys.member = await makeKey({ role: 'basic', scopes: ['ingest'], ...group })
  keys.outsider = await makeKey({ role: 'basic', scopes: ['ingest'] })
})

let made = 0
const closedPair = () => makePair(`Closed ${++made}`, { access_type: 'private', groups: ['board'] })

const KINDS: Record<string, Kind> = {
  document: {
    make: async () => {
      const id = `minutes-${++made}`
      await push(documentOf('x', { id }), { cc_pair_id: await closedPair() })
      return id
    },
    missing: 'minutes-never',
    stranger: 'outsider',
    owner: 'member',
    remove: (id) => ask('DELETE', `/service-api/ingestion/${id}`),
  },
  pair: { make: closedPair, missing: 999_999, stranger: 'outsider', owner: 'member' },
  credential: {
    make: async () => {
      const body = { credential_json: { token: 'secret' }, admin_public: false, source: 'zendesk', name: `C ${++made}` }
      return (await ok('POST', '/manage/credential', { key: keys.cara!, body })).id
    },
    missing: 999_999,
    stranger: 'curt',
    owner: 'cara',
    remove: (id) => ask('DELETE', `/manage/credential/force/${id}`),
  },
  file: {
    make: async () => {
      const question = { key: keys.ann!, headers: formHeaders, bytes: form(png) }
      return (await ok('POST', '/user/file/upload', question)).id
    },
    missing: '00000000-0000-4000-8000-000000000000',
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/user/projects/file/${id}`, { key: keys.ann! }),
  },
  token: {
    make: async () => (await ok('POST', '/user/pats', { key: keys.ann!, body: { name: `T ${++made}` } })).id,
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/user/pats/${id}`, { key: keys.ann! }),
  },
  browserSession: {
    make: async () => {
      const key = keys.ann!
      await ok('POST', '/auth/session', { key: null, body: { api_key: key } })
      return (await ok('GET', '/auth/sessions', { key }))[0].id
    },
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/auth/sessions/${id}`, { key: keys.ann! }),
  },
  search: {
    make: async () => {
      await push(documentOf('shown', { id: 'shown' }))
      return (await ok('POST', '/search', { key: keys.ann!, body: { query: 'shown' } })).search_id
    },
    missing: '00000000-0000-4000-8000-000000000000',
    stranger: 'bob',
    owner: 'ann',
  },
  chat: {
    make: async () => (await ok('POST', '/chat/create-chat-session', { key: keys.ann!, body: {} })).chat_session_id,
    missing: '00000000-0000-4000-8000-000000000000',
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/chat/delete-chat-session/${id}`, { key: keys.ann! }),
  },
  project: {
    make: async () => (await ok('POST', `/user/projects/create?name=Project+${++made}`, { key: keys.ann! })).id,
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/user/projects/${id}`, { key: keys.ann! }),
  },
  answer: {
    make: async () => (await asked()).message_id,
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
  },
  persona: {
    make: async () => (await ok('POST', '/persona', { key: keys.ann!, body: personaBody() })).id,
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/persona/${id}`, { key: keys.ann! }),
  },
  prompt: {
    make: async () => (await ok('POST', '/input_prompt', { key: keys.ann!, body: promptBody() })).id,
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/input_prompt/${id}`, { key: keys.ann! }),
  },
  tool: {
    make: async () => {
      const body = { name: `Tool ${++made}`, definition: DEFINITION, passthrough_auth: false }
      return (await ok('POST', '/admin/tool/custom', { key: keys.ann!, body })).id
    },
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/admin/tool/custom/${id}`, { key: keys.ann! }),
  },
  account: {
    make: async () => (await ok('POST', '/admin/oauth-config/create', { key: keys.ann!, body: ACCOUNT })).id,
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/admin/oauth-config/${id}`, { key: keys.ann! }),
  },
  mcp: {
    make: async () => {
      const body = { name: `Remote ${++made}`, server_url: 'https://mcp.example.com/mcp' }
      return (await ok('POST', '/admin/mcp/server', { key: keys.ann!, body })).id
    },
    missing: 999_999,
    stranger: 'bob',
    owner: 'ann',
    remove: (id) => ask('DELETE', `/admin/mcp/server/${id}`, { key: keys.ann! }),
  },
}
const ACCOUNT = {
  name: 'Elsewhere',
  authorization_url: 'https://idp.example.com/auth',
  token_url: 'https://idp.example.com/token',
  client_id: 'pharos',
  client_secret: 'a secret of the client',
}
const DEFINITION = {
  openapi: '3.0.0',
  info: { title: 'Weather', description: 'Says the weather', version: '1' },
  servers: [{ url: 'https://weather.example.com' }],
  paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
}

const promptBody = () => ({ prompt: `Prompt ${++made}`, content: 'Sum up', active: true })
const personaBody = () => ({
  name: `Persona ${++made}`,
  description: '',
  document_set_ids: [],
  tool_ids: [],
  system_prompt: '',
  task_prompt: '',
  datetime_aware: true,
})

/** A question of Ann and its answer, in a new session. */
async function asked(): Promise<{ chat_session_id: string; message_id: number; question_id: number }> {
  const body = { message: 'What is shown?', stream: false }
  const { chat_session_id, message_id } = await ok('POST', '/chat/send-chat-message', { key: keys.ann!, body })
  const { messages } = await ok('GET', `/chat/get-chat-session/${chat_session_id}`, { key: keys.ann! })
  return { chat_session_id, message_id, question_id: messages[1].message_id }
}
const question = (more: object) => ({ message: 'And?', stream: false, ...more })

/** The question of Ann that has this answer; none for an unknown answer. */
async function questionOf(answer: Id): Promise<number> {
  for (const { id } of (await ok('GET', '/chat/get-user-chat-sessions', { key: keys.ann! })).sessions) {
    const { messages } = await ok('GET', `/chat/get-chat-session/${id}`, { key: keys.ann! })
    const found = messages.find((it: { message_id: Id }) => it.message_id === answer)
    if (found !== undefined) return found.parent_message
  }
  return 999_998
}

type Id = string | number
interface Closed {
  kind: string
  /** The status for the stranger. The body of a 404 or 200 equals that for a missing object. */
  status: 404 | 403 | 200
  body?: (id: Id) => unknown | Promise<unknown>
  /** The kinds of the ids before this one in the path. */
  path?: (id: Id) => Promise<string>
}

const credentialBody = () => ({ credential_json: {}, admin_public: false, source: 'zendesk', name: 'x' })

/** A pair of the source of the credentials, whose credential can be replaced. */
async function swapped(): Promise<number> {
  const id = await makeConnector(`Swapped ${++made}`, { source: 'zendesk' })
  await ok('PUT', `/manage/admin/connector/${id}/credential/0`)
  return id
}
const associated = (prefix: string) => async (id: Id) =>
  `${prefix}/${await makeConnector(`Associated ${++made}`, { source: 'zendesk' })}/credential/${id}`

const inProject = async (id: Id) => `/user/projects/${await KINDS.project!.make()}/files/${id}`

/** Callers of these operations may name every object of the kind. */
const CONNECTORS = 'curator-objects.test.ts: another group’s is like one that does not exist'
const JUDGES = 'those who manage all connectors judge all documents'
const ADMIN = 'administrators alone'
const LINES = 'each line is answered as the single push is: batch.test.ts'
const CONNECTORS_SET = 'only sets that are open to who asks: personas.test.ts'
const MODEL = 'only models that the caller may use are used, for any name'
const OWN_CHAT: Closed = { kind: 'chat', status: 404, body: (id) => ({ chat_session_id: id }) }
const ASKS_SERVER = 'asks a server, so it is in mcp-client.test.ts'
const ALERTS = 'alerts.test.ts: another group’s is like one that does not exist'
const NO_OBJECT = 'names no object of this service'

const TABLE: Record<string, Closed | string> = {
  'GET /chat/chat-session/{chat_session_id}/readers#chat_session_id': { kind: 'chat', status: 404 },
  'PUT /chat/chat-session/{chat_session_id}/readers#chat_session_id': {
    kind: 'chat',
    status: 404,
    body: () => ({ emails: [], group_ids: [] }),
  },
  'PUT /chat/chat-session/{chat_session_id}/readers#group_ids': 'only own groups: chat-readers.test.ts',
  'GET /user/projects/{project_id}#project_id': { kind: 'project', status: 404 },
  'PATCH /user/projects/{project_id}#project_id': { kind: 'project', status: 404, body: () => ({ name: 'x' }) },
  'DELETE /user/projects/{project_id}#project_id': { kind: 'project', status: 404 },
  'GET /user/projects/{project_id}/instructions#project_id': { kind: 'project', status: 404 },
  'POST /user/projects/{project_id}/instructions#project_id': {
    kind: 'project',
    status: 404,
    body: () => ({ instructions: 'x' }),
  },
  'GET /user/projects/files/{project_id}#project_id': { kind: 'project', status: 404 },
  'POST /user/projects/{project_id}/files/{file_id}#project_id': {
    kind: 'project',
    status: 404,
    path: async (id) => `/user/projects/${id}/files/${await KINDS.file!.make()}`,
  },
  'POST /user/projects/{project_id}/files/{file_id}#file_id': 'like a file that does not exist: projects.test.ts',
  'DELETE /user/projects/{project_id}/files/{file_id}#project_id': {
    kind: 'project',
    status: 404,
    path: async (id) => `/user/projects/${id}/files/${await KINDS.file!.make()}`,
  },
  'DELETE /user/projects/{project_id}/files/{file_id}#file_id': { kind: 'file', status: 404, path: inProject },
  'POST /user/projects/{project_id}/move_chat_session#project_id': {
    kind: 'project',
    status: 404,
    body: async () => ({ chat_session_id: await KINDS.chat!.make() }),
  },
  'POST /user/projects/{project_id}/move_chat_session#chat_session_id': {
    kind: 'chat',
    status: 404,
    path: async () => `/user/projects/${await KINDS.project!.make()}/move_chat_session`,
    body: (id) => ({ chat_session_id: id }),
  },
  'POST /user/projects/remove_chat_session#chat_session_id': OWN_CHAT,
  'POST /service-api/ingestion#cc_pair_id': {
    kind: 'pair',
    status: 404,
    body: (id) => ({ document: documentOf('x', { id: `into-${id}` }), cc_pair_id: id }),
  },
  'POST /service-api/ingestion#id': 'the first key that pushes an id owns it: access.test.ts, L8',
  'POST /service-api/ingestion#image_file_id': "another user's image is treated as missing: images.test.ts",
  'POST /service-api/ingestion#external_user_group_ids': NO_OBJECT,
  'POST /service-api/ingestion/batch#cc_pair_id': LINES,
  'POST /service-api/ingestion/batch#id': LINES,
  'POST /service-api/ingestion/batch#image_file_id': LINES,
  'POST /service-api/ingestion/batch#external_user_group_ids': NO_OBJECT,
  'POST /service-api/ingestion/retry#cc_pair_id': { kind: 'pair', status: 404, body: (id) => ({ cc_pair_id: id }) },
  'POST /service-api/ingestion/retry#document_ids': {
    kind: 'document',
    status: 200,
    body: (id) => ({ document_ids: [id] }),
  },
  'GET /service-api/ingestion/{document_id}#document_id': { kind: 'document', status: 404 },
  'DELETE /service-api/ingestion/{document_id}#document_id': { kind: 'document', status: 404 },
  'POST /manage/admin/doc-hidden#document_id': 'those who manage all connectors hide all documents',
  'POST /document/verify#document_id': 'an unreadable document is treated as missing: verification.test.ts',
  'POST /admin/sensitive-content/release#document_id': 'administrators decide about all documents',
  'POST /admin/sensitive-content/dismiss#document_id': 'administrators decide about all documents',
  'GET /service-api/connector-docs/{cc_pair_id}#cc_pair_id': { kind: 'pair', status: 404 },
  'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}#connector_id': CONNECTORS,
  'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}#credential_id': {
    kind: 'credential',
    status: 404,
    path: associated('/manage/admin/connector'),
  },
  'PUT /manage/connector/{connector_id}/credential/{credential_id}#connector_id': CONNECTORS,
  'PUT /manage/connector/{connector_id}/credential/{credential_id}#credential_id': {
    kind: 'credential',
    status: 404,
    path: associated('/manage/connector'),
  },
  'GET /manage/connector/{connector_id}#connector_id': CONNECTORS,
  'PATCH /manage/admin/connector/{connector_id}#connector_id': CONNECTORS,
  'DELETE /manage/admin/connector/{connector_id}#connector_id': CONNECTORS,
  'GET /manage/admin/connector/{connector_id}/files#connector_id': CONNECTORS,
  'POST /manage/admin/connector/{connector_id}/files/update#connector_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}#cc_pair_id': CONNECTORS,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/status#cc_pair_id': CONNECTORS,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/name#cc_pair_id': CONNECTORS,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/property#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/last_pruned#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/errors#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/skipped-documents#cc_pair_id': CONNECTORS,
  'POST /manage/admin/cc-pair/{cc_pair_id}/cancel#cc_pair_id': CONNECTORS,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/access#cc_pair_id': CONNECTORS,
  'POST /manage/admin/connector/indexing-status#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/deletion#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/missing-documents#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts/{index_attempt_id}/log#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts/{index_attempt_id}/log#index_attempt_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/prune#cc_pair_id': CONNECTORS,
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/sync-permissions#cc_pair_id': CONNECTORS,
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-permissions#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/sync-groups#cc_pair_id': CONNECTORS,
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-groups#cc_pair_id': CONNECTORS,
  'GET /manage/admin/cc-pair/{cc_pair_id}/get-docs-sync-status#cc_pair_id': CONNECTORS,
  'POST /manage/admin/connector/run-once#connector_id': CONNECTORS,
  'POST /manage/admin/connector/run-once#credential_ids': CONNECTORS,
  'POST /manage/admin/indexing/targeted-reindex#error_ids': CONNECTORS,
  'POST /manage/admin/indexing/targeted-reindex#cc_pair_id': CONNECTORS,
  'POST /manage/admin/indexing/targeted-reindex#document_id': CONNECTORS,
  'POST /manage/admin/connector/preview#credential_id': {
    kind: 'credential',
    status: 404,
    body: (id) => ({ source: 'file', connector_specific_config: {}, credential_id: id }),
  },
  'POST /manage/admin/connector/test#credential_id': {
    kind: 'credential',
    status: 404,
    body: (id) => ({ source: 'file', connector_specific_config: {}, credential_id: id }),
  },
  'POST /manage/admin/deletion-attempt#connector_id': CONNECTORS,
  'POST /manage/admin/deletion-attempt#credential_id': CONNECTORS,
  'GET /manage/admin/similar-credentials/{source}#source': NO_OBJECT,
  'PUT /manage/admin/credential/swap#connector_id': CONNECTORS,
  'PUT /manage/admin/credential/swap#new_credential_id': {
    kind: 'credential',
    status: 404,
    body: async (id) => ({ connector_id: await swapped(), new_credential_id: id }),
  },
  'GET /manage/credential/{credential_id}#credential_id': { kind: 'credential', status: 404 },
  'PATCH /manage/credential/{credential_id}#credential_id': { kind: 'credential', status: 404, body: credentialBody },
  'PUT /manage/credential/{credential_id}/allowed-origins#credential_id': {
    kind: 'credential',
    status: 404,
    body: () => ({ allowed_origins: [] }),
  },
  'DELETE /manage/credential/{credential_id}#credential_id': { kind: 'credential', status: 404 },
  'PUT /manage/admin/credential/{credential_id}#credential_id': {
    kind: 'credential',
    status: 404,
    body: credentialBody,
  },
  'DELETE /manage/admin/credential/{credential_id}#credential_id': { kind: 'credential', status: 404 },
  'DELETE /manage/credential/force/{credential_id}#credential_id': { kind: 'credential', status: 404 },
  'POST /manage/admin/document-set#cc_pair_ids': CONNECTORS,
  'PATCH /manage/admin/document-set#id': CONNECTORS,
  'PATCH /manage/admin/document-set#cc_pair_ids': CONNECTORS,
  'DELETE /manage/admin/document-set/{document_set_id}#document_set_id': CONNECTORS,
  'POST /admin/tool/custom#oauth_config_id': {
    kind: 'account',
    status: 404,
    body: (id) => ({ name: 'x', definition: DEFINITION, passthrough_auth: false, oauth_config_id: id }),
  },
  'PUT /admin/tool/custom/{tool_id}#tool_id': { kind: 'tool', status: 403, body: () => ({ name: 'x' }) },
  'PUT /admin/tool/custom/{tool_id}#oauth_config_id': 'looked for as when a tool is made: oauth.test.ts',
  'DELETE /admin/tool/custom/{tool_id}#tool_id': { kind: 'tool', status: 403 },
  'PATCH /admin/tool/status#tool_ids': {
    kind: 'tool',
    status: 403,
    body: (id) => ({ tool_ids: [id], enabled: false }),
  },
  'POST /admin/tool/{tool_id}/try#tool_id': { kind: 'tool', status: 403, body: () => ({ operation: 'now' }) },
  'POST /admin/tool/{tool_id}/try#failure_id': 'one of the same tool only: tool-bench.test.ts',
  'GET /admin/tool/{tool_id}/failures#tool_id': { kind: 'tool', status: 403 },
  'GET /admin/tool/{tool_id}/operations#tool_id': { kind: 'tool', status: 403 },
  'POST /admin/tool/{tool_id}/diff#tool_id': { kind: 'tool', status: 403, body: () => ({ definition: DEFINITION }) },
  'POST /admin/oauth-config/create#client_id': NO_OBJECT,
  'PUT /admin/oauth-config/{oauth_config_id}#client_id': NO_OBJECT,
  'PUT /admin/oauth-config/{oauth_config_id}#clear_client_id': NO_OBJECT,
  'GET /admin/oauth-config/{oauth_config_id}#oauth_config_id': { kind: 'account', status: 404 },
  'PUT /admin/oauth-config/{oauth_config_id}#oauth_config_id': {
    kind: 'account',
    status: 404,
    body: () => ({ name: 'x' }),
  },
  'DELETE /admin/oauth-config/{oauth_config_id}#oauth_config_id': { kind: 'account', status: 404 },
  'GET /admin/oauth-config/{oauth_config_id}/connections#oauth_config_id': ADMIN,
  'POST /oauth-config/initiate#oauth_config_id':
    'a user of a tool is sent to its provider and gets a token of their own',
  'DELETE /oauth-config/{oauth_config_id}/token#oauth_config_id': 'only the token of the caller is deleted',
  'PATCH /admin/mcp/server/{server_id}#server_id': { kind: 'mcp', status: 404, body: () => ({ name: 'x' }) },
  'DELETE /admin/mcp/server/{server_id}#server_id': { kind: 'mcp', status: 404 },
  'POST /admin/mcp/servers/create#existing_server_id': {
    kind: 'mcp',
    status: 404,
    body: (id) => ({
      name: 'x',
      server_url: 'https://mcp.example.com/mcp',
      auth_type: 'NONE',
      existing_server_id: id,
    }),
  },
  'POST /admin/mcp/servers/create#oauth_client_id': NO_OBJECT,
  'POST /admin/mcp/servers/update#server_id': { kind: 'mcp', status: 404, body: (id) => ({ server_id: id }) },
  'PATCH /admin/mcp/server/{server_id}/status#server_id': 'as PATCH without it: mcp-client.test.ts',
  'GET /admin/mcp/servers/{server_id}#server_id': { kind: 'mcp', status: 404 },
  'GET /admin/mcp/server/{server_id}/tools#server_id': ASKS_SERVER,
  'GET /admin/mcp/server/{server_id}/tools/snapshots#server_id': { kind: 'mcp', status: 404 },
  'GET /admin/mcp/server/{server_id}/db-tools#server_id': { kind: 'mcp', status: 404 },
  'GET /mcp/servers/persona/{persona_id}#persona_id': 'persona 0 is the only one, and everybody’s',
  'GET /mcp/server/{server_id}/tools#server_id': ASKS_SERVER,
  'POST /mcp#id': 'the number of a message, which its sender makes up',
  'POST /mcp/user-credentials#server_id': ASKS_SERVER,
  'POST /mcp/oauth/connect#server_id': ASKS_SERVER,
  'GET /tool/{tool_id}#tool_id': { kind: 'tool', status: 404 },
  'GET /admin/sign-in/providers/{provider_id}#provider_id': ADMIN,
  'PATCH /admin/sign-in/providers/{provider_id}#provider_id': ADMIN,
  'DELETE /admin/sign-in/providers/{provider_id}#provider_id': ADMIN,
  'POST /admin/sign-in/providers/{provider_id}/check#provider_id': ADMIN,
  'POST /admin/sign-in/providers/{provider_id}/test#provider_id': ADMIN,
  'GET /admin/sign-in/providers/{provider_id}/test#provider_id': ADMIN,
  'POST /admin/sign-in/providers/{provider_id}/ldap-test#provider_id': ADMIN,
  'DELETE /admin/sign-in/providers/{provider_id}/people/{user_id}#provider_id': ADMIN,
  'DELETE /admin/sign-in/providers/{provider_id}/people/{user_id}#user_id': ADMIN,
  'POST /admin/sign-in/providers#client_id': 'an id at the provider',
  'PATCH /admin/sign-in/providers/{provider_id}#client_id': 'an id at the provider',
  'POST /auth/oidc/backchannel-logout/{slug}#slug': 'the list of providers is public',
  'GET /auth/saml/{slug}/authorize#slug': 'the list of providers is public',
  'GET /auth/saml/{slug}/metadata#slug': 'public addresses: a provider needs them before it is switched on',
  'POST /admin/sign-in/providers#entity_id': 'an id at the provider',
  'PATCH /admin/sign-in/providers/{provider_id}#entity_id': 'an id at the provider',
  'PUT /admin/llm/provider#id': ADMIN,
  'DELETE /admin/llm/provider/{provider_id}#provider_id': ADMIN,
  'POST /admin/llm/default#provider_id': ADMIN,
  'POST /admin/llm/default-vision#provider_id': ADMIN,
  'POST /admin/llm/default-chat-naming#provider_id': ADMIN,
  'POST /admin/llm/test#id': ADMIN,
  'POST /admin/llm/available-models#id': ADMIN,
  'GET /admin/chat-session-history/{chat_session_id}#chat_session_id': ADMIN,
  'GET /llm/persona/{persona_id}/providers#persona_id': 'as GET /persona/{persona_id}',
  'PATCH /admin/settings#tenant_id': NO_OBJECT,
  'POST /admin/tool/{tool_id}/passthrough-grant#tool_id': ADMIN,
  'DELETE /admin/tool/{tool_id}/passthrough-grant#tool_id': ADMIN,
  'POST /admin/mcp/server/{server_id}/passthrough-grant#server_id': ADMIN,
  'DELETE /admin/mcp/server/{server_id}/passthrough-grant#server_id': ADMIN,
  'PUT /user/passthrough-consent#tool_id': 'test/api/passthrough.test.ts',
  'PUT /user/passthrough-consent#mcp_server_id': 'test/api/passthrough.test.ts',
  'DELETE /user/passthrough-consent/{consent_id}#consent_id': 'test/api/passthrough.test.ts',
  'POST /service-api/trash/restore#document_ids': 'test/api/trash.test.ts',
  'POST /service-api/trash/restore#cc_pair_id': 'test/api/trash.test.ts',
  'POST /service-api/trash/empty#document_ids': 'test/api/trash.test.ts',
  'PUT /admin/settings#tenant_id': NO_OBJECT,
  'GET /persona/{persona_id}#persona_id': { kind: 'persona', status: 404 },
  'POST /persona#tool_ids': 'tools are shown to all who may use them',
  'POST /persona#document_set_ids': CONNECTORS_SET,
  'POST /persona#default_model_configuration_id': MODEL,
  'POST /persona#uploaded_image_id': 'test/api/personas.test.ts',
  'POST /persona#label_ids': NO_OBJECT,
  'POST /persona#user_file_ids': NO_OBJECT,
  'POST /persona#hierarchy_node_ids': NO_OBJECT,
  'POST /persona#document_ids': NO_OBJECT,
  'PATCH /persona/{persona_id}#persona_id': { kind: 'persona', status: 404, body: personaBody },
  'PATCH /persona/{persona_id}#tool_ids': 'tools are shown to all who may use them',
  'PATCH /persona/{persona_id}#document_set_ids': CONNECTORS_SET,
  'PATCH /persona/{persona_id}#default_model_configuration_id': MODEL,
  'PATCH /persona/{persona_id}#uploaded_image_id': 'test/api/personas.test.ts',
  'PATCH /persona/{persona_id}#label_ids': NO_OBJECT,
  'PATCH /persona/{persona_id}#user_file_ids': NO_OBJECT,
  'PATCH /persona/{persona_id}#hierarchy_node_ids': NO_OBJECT,
  'PATCH /persona/{persona_id}#document_ids': NO_OBJECT,
  'DELETE /persona/{persona_id}#persona_id': { kind: 'persona', status: 404 },
  'PATCH /input_prompt/{input_prompt_id}#input_prompt_id': { kind: 'prompt', status: 404, body: promptBody },
  'DELETE /input_prompt/{input_prompt_id}#input_prompt_id': { kind: 'prompt', status: 404 },
  'PATCH /persona/{persona_id}/share#persona_id': { kind: 'persona', status: 404, body: () => ({}) },
  'PATCH /persona/{persona_id}/share#user_ids': 'whom it is shared with need not be there yet',
  'PATCH /persona/{persona_id}/share#group_ids': 'whom it is shared with need not be there yet',
  'PATCH /persona/{persona_id}/public#persona_id': { kind: 'persona', status: 404, body: () => ({ is_public: false }) },
  'PATCH /admin/persona/{persona_id}/listed#persona_id': ADMIN,
  'PATCH /admin/persona/{persona_id}/featured#persona_id': ADMIN,
  'PATCH /admin/persona/{persona_id}/undelete#persona_id': ADMIN,
  'POST /chat/send-chat-message#chat_session_id': {
    kind: 'chat',
    status: 404,
    body: (id) => question({ chat_session_id: id }),
  },
  'POST /chat/send-chat-message#persona_id': {
    kind: 'persona',
    status: 404,
    body: (id) => question({ chat_session_info: { persona_id: id } }),
  },
  'POST /chat/send-chat-message#project_id': {
    kind: 'project',
    status: 404,
    body: (id) => question({ chat_session_info: { project_id: id } }),
  },
  'POST /chat/send-chat-message#parent_message_id': 'only one of the own session: chat.test.ts',
  'POST /chat/send-chat-message#id': {
    kind: 'file',
    status: 404,
    body: (id) => question({ file_descriptors: [{ id, type: 'image' }] }),
  },
  'POST /chat/send-chat-message#user_file_id': {
    kind: 'file',
    status: 404,
    body: (id) => question({ file_descriptors: [{ id: 'x', type: 'image', user_file_id: id }] }),
  },
  'POST /chat/send-chat-message#allowed_tool_ids': 'narrows the tools of the persona',
  'POST /chat/send-chat-message#forced_tool_id': 'only one of the persona: chat.test.ts',
  'POST /chat/send-chat-message#model_configuration_id': MODEL,
  'GET /chat/chat-session/{chat_session_id}/resume-stream#chat_session_id': 'no JSON is answered: chat.test.ts',
  'POST /chat/stop-chat-session/{chat_session_id}#chat_session_id': { kind: 'chat', status: 404 },
  'POST /chat/confirm-tool-call#chat_session_id':
    'nothing is confirmed in a session that waits for nothing: talk.test.ts',
  'POST /chat/confirm-tool-call#confirmation_id': 'one of the own session that waits for it: talk.test.ts',
  'POST /chat/create-chat-session#persona_id': { kind: 'persona', status: 404, body: (id) => ({ persona_id: id }) },
  'POST /chat/create-chat-session#project_id': {
    kind: 'project',
    status: 404,
    body: (id) => ({ project_id: id }),
  },
  'GET /chat/get-chat-session/{chat_session_id}#chat_session_id': { kind: 'chat', status: 404 },
  'PUT /chat/rename-chat-session#chat_session_id': {
    kind: 'chat',
    status: 404,
    body: (id) => ({ chat_session_id: id, name: 'x' }),
  },
  'PATCH /chat/chat-session/{chat_session_id}#chat_session_id': {
    kind: 'chat',
    status: 404,
    body: () => ({ sharing_status: 'private' }),
  },
  'DELETE /chat/delete-chat-session/{chat_session_id}#chat_session_id': { kind: 'chat', status: 404 },
  'PUT /chat/update-chat-session-model#chat_session_id': OWN_CHAT,
  'PUT /chat/update-chat-session-temperature#chat_session_id': OWN_CHAT,
  'PUT /chat/update-chat-session-reasoning#chat_session_id': OWN_CHAT,
  'GET /chat/available-context-tokens/{chat_session_id}#chat_session_id': { kind: 'chat', status: 404 },
  'POST /chat/create-chat-message-feedback#chat_message_id': {
    kind: 'answer',
    status: 404,
    body: (id) => ({ chat_message_id: id, is_positive: true }),
  },
  'PUT /chat/set-message-as-latest#message_id': { kind: 'answer', status: 404, body: (id) => ({ message_id: id }) },
  'PUT /chat/set-preferred-response#user_message_id': 'the question of the answer: chat.test.ts',
  'PUT /chat/set-preferred-response#preferred_response_id': {
    kind: 'answer',
    status: 404,
    body: async (id) => ({ user_message_id: await questionOf(id), preferred_response_id: id }),
  },
  'GET /user/projects/file/{file_id}#file_id': { kind: 'file', status: 404 },
  'DELETE /user/projects/file/{file_id}#file_id': { kind: 'file', status: 404 },
  'POST /user/projects/file/statuses#file_ids': { kind: 'file', status: 200, body: (id) => ({ file_ids: [id] }) },
  'GET /chat/file/{file_id}#file_id': { kind: 'file', status: 404 },
  'POST /admin/api-key#user_group_ids': ADMIN,
  'POST /admin/api-key#group_ids': ADMIN,
  'PATCH /admin/api-key/{api_key_id}#api_key_id': ADMIN,
  'PATCH /admin/api-key/{api_key_id}#user_group_ids': ADMIN,
  'PATCH /admin/api-key/{api_key_id}#group_ids': ADMIN,
  'DELETE /admin/api-key/{api_key_id}#api_key_id': ADMIN,
  'POST /admin/api-key/{api_key_id}/regenerate#api_key_id': ADMIN,
  'DELETE /user/pats/{token_id}#token_id': { kind: 'token', status: 404 },
  'POST /auth/login#client_id': NO_OBJECT,
  'DELETE /auth/sessions/{session_id}#session_id': { kind: 'browserSession', status: 404 },
  'POST /auth/passkey/login#id': NO_OBJECT,
  'POST /auth/passkeys#id': NO_OBJECT,
  'DELETE /auth/passkeys/{passkey_id}#passkey_id':
    'keys have no passkeys; passkeys.test.ts tries that of another person',
  'PATCH /manage/admin/users/{user_id}#user_id': ADMIN,
  'DELETE /manage/admin/users/{user_id}/second-factors#user_id': ADMIN,
  'GET /manage/admin/users/{user_id}/sessions#user_id': ADMIN,
  'DELETE /manage/admin/users/{user_id}/sessions#user_id': ADMIN,
  'DELETE /manage/admin/users/{user_id}/sessions/{session_id}#user_id': ADMIN,
  'DELETE /manage/admin/users/{user_id}/sessions/{session_id}#session_id': ADMIN,
  'GET /manage/admin/users/{user_id}#user_id': ADMIN,
  'POST /search#persona_id': { kind: 'persona', status: 404, body: (id) => ({ query: 'shown', persona_id: id }) },
  'POST /search/suggest#persona_id': {
    kind: 'persona',
    status: 404,
    body: (id) => ({ query: 'shown', persona_id: id }),
  },
  'POST /search/send-search-message#persona_id': {
    kind: 'persona',
    status: 404,
    body: (id) => ({ search_query: 'shown', persona_id: id }),
  },
  'POST /search/feedback#search_id': {
    kind: 'search',
    status: 404,
    body: (id) => ({ search_id: id, document_id: 'shown', kind: 'click' }),
  },
  'POST /search/feedback#document_id': 'only one that the own search has shown: judgements.test.ts',
  'PUT /admin/relevance/judgements#document_id': JUDGES,
  'DELETE /admin/relevance/judgements/{judgement_id}#judgement_id': JUDGES,
  'POST /admin/relevance/replay#document_id': ADMIN,
  'POST /admin/relevance/replay#document_ids': ADMIN,
  'POST /admin/ranking/preview#document_id': ADMIN,
  'POST /admin/ranking/preview#document_ids': ADMIN,
  'PATCH /admin/ranking#document_id': ADMIN,
  'PATCH /admin/ranking#document_ids': ADMIN,
  'PUT /admin/alerts/{alert_id}/dismissal#alert_id': ALERTS,
  'DELETE /admin/alerts/{alert_id}/dismissal#alert_id': ALERTS,
  'POST /admin/webhook#cc_pair_ids': ADMIN,
  'PATCH /admin/webhook/{webhook_id}#webhook_id': ADMIN,
  'PATCH /admin/webhook/{webhook_id}#cc_pair_ids': ADMIN,
  'DELETE /admin/webhook/{webhook_id}#webhook_id': ADMIN,
  'POST /admin/webhook/{webhook_id}/test#webhook_id': ADMIN,
  'GET /admin/webhook/{webhook_id}/deliveries#webhook_id': ADMIN,
  'DELETE /admin/egress/approval/{approval_id}#approval_id': ADMIN,
  'DELETE /admin/secret-key/{kid}#kid': ADMIN,
  'POST /admin/backup/{backup_id}/download#backup_id': ADMIN,
  'GET /admin/backup/{backup_id}/file#backup_id': ADMIN,
  'DELETE /admin/backup/{backup_id}#backup_id': ADMIN,
  'PUT /admin/limits/{limit_id}#limit_id': ADMIN,
  'DELETE /admin/limits/{limit_id}#limit_id': ADMIN,
  'GET /admin/token-rate-limits/user-group/{group_id}#group_id': ADMIN,
  'POST /admin/token-rate-limits/user-group/{group_id}#group_id': ADMIN,
  'PUT /admin/token-rate-limits/rate-limit/{token_rate_limit_id}#token_rate_limit_id': ADMIN,
  'DELETE /admin/token-rate-limits/rate-limit/{token_rate_limit_id}#token_rate_limit_id': ADMIN,
  'POST /admin/limits#target_id': ADMIN,
  'POST /admin/scim/held-removals/{removal_id}/approve#removal_id': ADMIN,
  'POST /admin/scim/held-removals/{removal_id}/discard#removal_id': ADMIN,
  'POST /manage/admin/user-group#user_ids': ADMIN,
  'POST /manage/admin/user-group#cc_pair_ids': ADMIN,
  'PATCH /manage/admin/user-group/rename#id': ADMIN,
  'PATCH /manage/admin/user-group/{user_group_id}#user_group_id': CONNECTORS,
  'PATCH /manage/admin/user-group/{user_group_id}#user_ids': 'everybody sees all people: GET /users',
  'PATCH /manage/admin/user-group/{user_group_id}#cc_pair_ids': CONNECTORS,
  'DELETE /manage/admin/user-group/{user_group_id}#user_group_id': ADMIN,
  'POST /manage/admin/user-group/{user_group_id}/add-users#user_group_id': CONNECTORS,
  'POST /manage/admin/user-group/{user_group_id}/add-users#user_ids': 'everybody sees all people: GET /users',
  'GET /manage/admin/user-group/{user_group_id}#user_group_id': CONNECTORS,
  'POST /manage/admin/user-group/{user_group_id}/remove-users#user_group_id': CONNECTORS,
  'POST /manage/admin/user-group/{user_group_id}/remove-users#user_ids': 'everybody sees all people: GET /users',
  'POST /manage/admin/user-group/{user_group_id}/set-curator#user_group_id': ADMIN,
  'POST /manage/admin/user-group/{user_group_id}/set-curator#user_id': ADMIN,
  'GET /admin/person/{email}/export#email': ADMIN,
  'DELETE /admin/person/{email}#email': ADMIN,
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is about to be looked through.
type Json = any

/** Returns every property of a body that holds an id, at any depth. */
function idsOf(schema: Json, schemas: Record<string, Json>, seen: readonly string[] = []): string[] {
  if (schema?.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)
    return seen.includes(name) ? [] : idsOf(schemas[name], schemas, [...seen, name])
  }
  const properties = Object.entries(schema?.properties ?? {})
  const named = properties.map(([name]) => name).filter((it) => /(?:^|_)ids?$/.test(it))
  const inner = [...properties.map(([, it]) => it), schema?.items, ...(schema?.anyOf ?? [])]
  return [...named, ...inner.filter(Boolean).flatMap((it) => idsOf(it, schemas, seen))]
}

test('the table lists every id that an operation of the running program takes', async () => {
  const { paths, components } = await ok('GET', '/openapi.json')
  const taken = Object.entries<Record<string, Json>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters, requestBody }]) => {
      const inPath = parameters.filter((it: Json) => it.in === 'path').map((it: Json) => it.name)
      const contents = Object.values<Json>(requestBody?.content ?? {})
      const inBody = contents.flatMap((it) => idsOf(it.schema, components.schemas))
      return [...new Set([...inPath, ...inBody])].map((name) => `${method.toUpperCase()} ${path}#${name}`)
    }),
  )
  assert.deepEqual(taken.sort(), Object.keys(TABLE).sort())
})

const withoutId = ({ status, text }: Reply, id: Id) => [status, text.replaceAll(String(id), '#')]

for (const [row, closed] of Object.entries(TABLE)) {
  if (typeof closed === 'string') continue
  const [operation, name] = row.split('#') as [string, string]
  const [method, path] = operation.split(' ') as [string, string]
  const { kind, status, body } = closed
  test(`${row} of another user is ${status}${status === 403 ? '' : ', like one that does not exist'}`, async () => {
    const { make, missing, stranger, owner, remove } = KINDS[kind]!
    const request = async (key: string, id: Id) => {
      const address = (await closed.path?.(id)) ?? path.replace(`{${name}}`, String(id))
      const question: Question = body === undefined ? {} : { body: await body(id) }
      return ask(method, address, { key: keys[key]!, ...question })
    }
    const id = await make()
    const foreign = await request(stranger, id)
    assert.equal(foreign.status, status, foreign.text)
    const none = withoutId(await request(stranger, missing), missing)
    if (status !== 403) assert.deepEqual(withoutId(foreign, id), none)
    const own = await request(owner, id)
    assert.equal(own.status, 200, own.text)
    if (remove === undefined) return
    await remove(id)
    assert.deepEqual(withoutId(await request(owner, id), id), withoutId(await request(owner, missing), missing))
  })
}
