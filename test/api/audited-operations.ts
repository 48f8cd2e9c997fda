// The reviewed table of audited operations: the request that succeeds, and the entry that it leaves.

import { alterRecord } from '../record.ts'
import {
  A_PASSWORD,
  aPerson,
  aScimToken,
  type Fixture,
  type Given,
  makeChat,
  makeReader,
  makeTool,
} from '../servers/schemathesis-seeds.ts'
import { createAuthenticator } from './authenticator.ts'
import { form, formHeaders } from './multipart-form.ts'
import { as, cookieOf, createApp } from './people.ts'
import type { Question, Reply } from './request.ts'
import { connectorOf, documentOf } from './setup.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test checks each response.
type Json = any

export interface AuditedRequest extends Given, Pick<Question, 'key' | 'bytes'> {
  /** The person that the entry is about. */
  about?: string
  /** The actor, if it is not the administrator's key. */
  actor?: string | RegExp
}

/** The expected object: a path parameter `{x}`, a field of the answer `.x`, another text, the person, or none. */
type ObjectOf = string | null | RegExp | { person: true } | ((request: AuditedRequest, reply: Reply) => unknown)
type Prepare = (fixture: Fixture) => AuditedRequest | Promise<AuditedRequest>
/** Without `prepare`, the requests for schemathesis do. */
export type AuditedOperation = [action: string, object: ObjectOf, prepare?: Prepare]

const PERSON = { person: true } as const
export const ORIGIN = 'https://search.example.com'
const GROUPS = '/manage/admin/user-group'

interface SignedIn {
  id: string
  email: string
  cookie: string
}

/** A person with a session of their own. */
async function signedIn(fixture: Fixture): Promise<SignedIn> {
  const { id, email } = await aPerson(fixture)
  const body = { username: email, password: A_PASSWORD }
  const { headers } = await fixture.ask('POST', '/auth/login', { key: null, body })
  return { id, email, cookie: cookieOf(headers) }
}

const ofPerson =
  (more: (person: SignedIn, fixture: Fixture) => Given | Promise<Given> = () => ({})): Prepare =>
  async (fixture) => {
    const person = await signedIn(fixture)
    return { ...as(person.cookie), actor: person.id, about: person.email, ...(await more(person, fixture)) }
  }

const withBody =
  (body: (fixture: Fixture) => Json): Prepare =>
  async (fixture) => ({ body: await body(fixture) })

const withPath =
  (path: (fixture: Fixture) => Json, body?: Json): Prepare =>
  async (fixture) => ({ path: await path(fixture), ...(body !== undefined && { body }) })

const aboutEmail: Prepare = async (fixture) => {
  const { email } = await aPerson(fixture)
  return { body: { user_email: email }, about: email }
}

const anId = ({ path }: AuditedRequest) => path.user_id

async function aDocument({ push, name }: Fixture): Promise<string> {
  const id = name()
  await push(documentOf('Seeded', { id }))
  return id
}

async function aTrashed({ ok, push, name }: Fixture): Promise<string> {
  const id = name()
  await push(documentOf('Seeded', { id }))
  await ok('DELETE', `/service-api/ingestion/${encodeURIComponent(id)}`)
  return id
}

/** A pair whose permissions are synced, as after its first run. */
async function aSyncedPair(fixture: Fixture) {
  const { cc_pair_id } = await makeReader(fixture)
  const { dataDir } = fixture.server
  await alterRecord(dataDir, `update cc_pair set access_type = 'sync' where id = ${cc_pair_id}`)
  await alterRecord(dataDir, `update cc_pair_schedule set access_freq = 86400 where cc_pair_id = ${cc_pair_id}`)
  return { cc_pair_id }
}

const aCredential = (fixture: Fixture) => ({
  ...{
    credential_json: { token: 'CANARY-of-credentials' },
    admin_public: true,
    source: 'zendesk',
    name: fixture.name(),
  },
})
const credentialPath = withPath(async (fixture) => ({
  credential_id: (await fixture.ok('POST', '/manage/credential', { body: aCredential(fixture) })).id,
}))
const changedCredential =
  (body: (fixture: Fixture) => Json): Prepare =>
  async (fixture) => ({ ...(await credentialPath(fixture)), body: body(fixture) })

const connectorPath = withPath(async (fixture) => ({
  connector_id: await fixture.makeConnector(fixture.name()),
  credential_id: 0,
}))

const aSet = async ({ makePair, name }: Fixture) => ({
  ...{ name: name(), description: '', cc_pair_ids: [await makePair(name())], is_public: true, users: [], groups: [] },
})

const aPersona = ({ name }: Fixture) => ({
  ...{ name: name(), description: '', document_set_ids: [], tool_ids: [], system_prompt: '', task_prompt: '' },
  datetime_aware: true,
})
const personaPath = async (fixture: Fixture) => ({
  persona_id: (await fixture.ok('POST', '/persona', { body: aPersona(fixture) })).id,
})

const aConfig = ({ name, nearby: { site } }: Fixture) => ({
  ...{ name: name(), authorization_url: `${site}/authorize`, token_url: `${site}/token` },
  ...{ client_id: 'pharos', client_secret: 'CANARY-of-a-client' },
})
const configPath = async (fixture: Fixture) => ({
  oauth_config_id: (await fixture.ok('POST', '/admin/oauth-config/create', { body: aConfig(fixture) })).id,
})

const WEBHOOK_SECRET = `whsec_${Buffer.from('CANARY of a webhook, 32 bytes...').toString('base64')}`
const aWebhook = ({ nearby: { site } }: Fixture) => ({ url: `${site}/hook`, secret: WEBHOOK_SECRET })
const webhookPath = async (fixture: Fixture) => ({
  webhook_id: (await fixture.ok('POST', '/admin/webhook', { body: aWebhook(fixture) })).id,
})

const keyPath = async ({ ok, name }: Fixture) => ({
  api_key_id: (await ok('POST', '/admin/api-key', { body: { name: name(), role: 'basic' } })).api_key_id,
})

const A_LIMIT = { enabled: false, token_budget: 1_000_000, period_hours: 24 }

const toolPath = async (fixture: Fixture) => ({ tool_id: await makeTool(fixture) })

/** A person whose authenticator app is set up. */
const withSecondFactor = (more: (person: SignedIn) => Given): Prepare =>
  ofPerson(async (person, { ok }) => {
    const { uri } = await ok('POST', '/auth/second-factor', { ...as(person.cookie), body: { password: A_PASSWORD } })
    await ok('POST', '/auth/second-factor/confirm', { ...as(person.cookie), body: { code: createApp(uri).code() } })
    return more(person)
  })

const newPasskey = async ({ cookie, email }: SignedIn, { ok }: Fixture) => {
  const options = await ok('POST', '/auth/passkeys/options', { ...as(cookie), body: { password: A_PASSWORD } })
  const response = createAuthenticator(email).create(options.challenge, ORIGIN, { rpID: new URL(ORIGIN).hostname })
  return { name: 'Laptop', response }
}

/** A request of the directory. The token is new, and the last one ends. */
const ofDirectory =
  (prepare: (fixture: Fixture, key: string) => AuditedRequest | Promise<AuditedRequest>): Prepare =>
  async (fixture) => {
    const { raw_token: key } = await aDirectoryToken(fixture)
    return { key, actor: /^scim/, ...(await prepare(fixture, key)) }
  }
async function aDirectoryToken({ ask, name }: Fixture): Promise<Json> {
  return (await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: name() } })).body
}
const aScimUser = ({ name }: Fixture) => {
  const userName = `${name().toLowerCase().replaceAll(' ', '-')}@scim.example`
  return { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName, active: true }
}
const scimUser = async (fixture: Fixture, key: string) => {
  const body = aScimUser(fixture)
  const made = await fixture.ask('POST', '/scim/v2/Users', { key, body })
  return { path: { id: made.body.id }, about: body.userName }
}
const aScimGroup = ({ name }: Fixture) => ({
  ...{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: name() },
})
const scimGroup = async (fixture: Fixture, key: string) => {
  const made = await fixture.ask('POST', '/scim/v2/Groups', { key, body: aScimGroup(fixture) })
  return { path: { id: made.body.id } }
}
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const patch = (value: Json) => ({ schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value }] })

export const AUDITED: Record<string, AuditedOperation> = {
  'DELETE /service-api/ingestion/{document_id}': ['document.delete', '{document_id}'],
  'POST /service-api/ingestion/retry': ['document.retry', null, () => ({ body: { all: true } })],
  'POST /manage/admin/doc-hidden': ['document.set_hidden', ({ body }) => body.document_id],
  'POST /document/verify': ['document.verify', ({ body }) => body.document_id],
  'GET /admin/sensitive-content/csv': ['sensitive_content.export', null],
  'POST /admin/sensitive-content/release': ['sensitive_content.release', ({ body }) => body.document_id],
  'POST /admin/sensitive-content/dismiss': ['sensitive_content.dismiss', ({ body }) => body.document_id],
  'GET /service-api/receipts/csv': ['document.export_list', null],
  'GET /manage/admin/document/sections': ['document.read', ({ query }) => query?.document_id],
  'GET /manage/admin/document/chunks': ['document.read', ({ query }) => query?.document_id],
  'GET /manage/admin/document/readers': ['access.list_readers', ({ query }) => query?.document_id],
  'GET /admin/search/why': ['access.explain_missing', null],
  'POST /service-api/trash/restore': [
    'document.restore',
    ({ body }) => body.document_ids[0],
    withBody(async (fixture) => ({ document_ids: [await aTrashed(fixture)] })),
  ],
  'POST /service-api/trash/empty': [
    'document.purge',
    ({ body }) => body.document_ids[0],
    withBody(async (fixture) => ({ document_ids: [await aTrashed(fixture)] })),
  ],
  'PATCH /admin/ranking': ['ranking.update', null, () => ({ body: { half_life_days: 30 } })],
  'GET /admin/access': [
    'access.explain',
    PERSON,
    async ({ makePair, push, name, ...fixture }) => {
      const { id, email } = await aPerson({ makePair, push, name, ...fixture })
      await push(documentOf('Seeded', { id: 'explained' }))
      return { query: { document: 'explained', person: id }, about: email }
    },
  ],
  'POST /admin/access/search-as': [
    'access.viewed_as',
    PERSON,
    async (fixture) => {
      await fixture.ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
      const { id, email } = await aPerson(fixture)
      return { body: { person: id, query: 'CANARY of a query' }, about: email }
    },
  ],
  'POST /admin/access/report': ['access.report', null],
  'POST /admin/sign-in/saml-metadata': ['sign_in_provider.read_metadata', null],
  'GET /admin/relevance/judgements/csv': ['judgement.export', null],
  'GET /admin/relevance/queries/csv': ['query_report.export', null, () => ({ query: { list: 'top' } })],
  'PUT /admin/relevance/judgements': [
    'judgement.put',
    '.id',
    withBody(async (fixture) => ({ query: 'CANARY of a query', document_id: await aDocument(fixture), grade: 1 })),
  ],
  'DELETE /admin/relevance/judgements/{judgement_id}': [
    'judgement.delete',
    '{judgement_id}',
    withPath(async (fixture) => {
      const body = { query: 'seeded', document_id: await aDocument(fixture), grade: 1 }
      return { judgement_id: (await fixture.ok('PUT', '/admin/relevance/judgements', { body })).id }
    }),
  ],
  'POST /manage/admin/connector': ['connector.create', '.id', withBody(({ name }) => connectorOf(name()))],
  'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}': ['cc_pair.create', '.data', connectorPath],
  'PUT /manage/connector/{connector_id}/credential/{credential_id}': ['cc_pair.create', '.data', connectorPath],
  'POST /manage/admin/connector/preview': ['connector.preview', /credential 0/],
  'POST /manage/admin/connector/test': ['connector.test', /credential 0/],
  'POST /manage/admin/connector/run-once': ['connector.run', ({ body }) => body.connector_id],
  'POST /manage/admin/cc-pair/{cc_pair_id}/cancel': ['cc_pair.cancel', '{cc_pair_id}'],
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune': ['cc_pair.prune', '{cc_pair_id}'],
  'POST /manage/admin/indexing/targeted-reindex': [
    'cc_pair.reread',
    null,
    withBody(async (fixture) => ({
      targets: [{ cc_pair_id: (await makeReader(fixture)).cc_pair_id, document_id: 'x' }],
    })),
  ],
  'PATCH /manage/admin/connector/{connector_id}': [
    'connector.update',
    '{connector_id}',
    async (fixture) => ({ ...(await connectorPath(fixture)), body: connectorOf(fixture.name()) }),
  ],
  'DELETE /manage/admin/connector/{connector_id}': ['connector.delete', '{connector_id}', connectorPath],
  'POST /manage/admin/connector/file/upload': [
    'connector_file.upload',
    null,
    () => ({
      headers: formHeaders,
      bytes: form({ field: 'files', name: 'a.txt', type: 'text/plain', content: 'CANARY of a file' }),
    }),
  ],
  'POST /manage/admin/connector/{connector_id}/files/update': [
    'connector.change_files',
    '{connector_id}',
    async (fixture) => ({
      path: { connector_id: (await makeReader(fixture)).connector_id },
      headers: formHeaders,
      bytes: form({ field: 'files', name: 'a.txt', type: 'text/plain', content: 'CANARY of a file' }),
    }),
  ],
  'PUT /manage/admin/cc-pair/{cc_pair_id}/status': [
    'cc_pair.set_status',
    '{cc_pair_id}',
    withPath(async (it) => ({ cc_pair_id: (await makeReader(it)).cc_pair_id }), { status: 'PAUSED' }),
  ],
  'PUT /manage/admin/cc-pair/{cc_pair_id}/name': [
    'cc_pair.rename',
    '{cc_pair_id}',
    async ({ makePair, name }) => ({ path: { cc_pair_id: await makePair(name()) }, query: { new_name: name() } }),
  ],
  'PUT /manage/admin/cc-pair/{cc_pair_id}/access': [
    'cc_pair.set_access',
    '{cc_pair_id}',
    withBody(() => ({ access_type: 'public' })),
  ],
  'GET /manage/admin/connector/indexing-status/csv': ['cc_pair.export_list', null],
  'PUT /manage/admin/cc-pair/{cc_pair_id}/property': ['cc_pair.set_property', '{cc_pair_id}'],
  'POST /manage/admin/deletion-attempt': [
    'cc_pair.delete',
    ({ body }) => new RegExp(`^connector ${body.connector_id},`),
  ],
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-permissions': [
    'cc_pair.sync_access',
    '{cc_pair_id}',
    withPath(aSyncedPair),
  ],
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-groups': ['cc_pair.sync_access', '{cc_pair_id}', withPath(aSyncedPair)],
  'POST /manage/credential': ['credential.create', '.id', withBody(aCredential)],
  'PUT /manage/admin/credential/swap': ['cc_pair.swap_credential', ({ body }) => `connector ${body.connector_id}`],
  'PUT /manage/admin/credential/{credential_id}': [
    'credential.update',
    '{credential_id}',
    changedCredential(({ name }) => ({ name: name(), credential_json: { token: 'CANARY-of-credentials' } })),
  ],
  'PATCH /manage/credential/{credential_id}': ['credential.replace', '{credential_id}', changedCredential(aCredential)],
  'PUT /manage/credential/{credential_id}/allowed-origins': [
    'credential.allow_origins',
    '{credential_id}',
    changedCredential(() => ({ allowed_origins: ['https://source.example'] })),
  ],
  'DELETE /manage/credential/{credential_id}': ['credential.delete', '{credential_id}', credentialPath],
  'DELETE /manage/admin/credential/{credential_id}': ['credential.delete', '{credential_id}', credentialPath],
  'DELETE /manage/credential/force/{credential_id}': ['credential.abandon', '{credential_id}', credentialPath],
  'POST /manage/admin/document-set': ['document_set.create', (_, { body }) => body, withBody(aSet)],
  'PATCH /manage/admin/document-set': ['document_set.update', ({ body }) => body.id],
  'DELETE /manage/admin/document-set/{document_set_id}': [
    'document_set.delete',
    '{document_set_id}',
    withPath(async (fixture) => ({
      document_set_id: await fixture.ok('POST', '/manage/admin/document-set', { body: await aSet(fixture) }),
    })),
  ],
  'POST /admin/tool/custom': [
    'tool.create',
    '.id',
    withBody(({ name, nearby: { definition } }) => ({
      ...{ name: name(), definition, passthrough_auth: false },
      custom_headers: [{ key: 'X-Key', value: 'CANARY-of-a-header' }],
    })),
  ],
  'PUT /admin/tool/custom/{tool_id}': [
    'tool.update',
    '{tool_id}',
    withPath(toolPath, { custom_headers: [{ key: 'X-Key', value: 'CANARY-of-a-header' }] }),
  ],
  'DELETE /admin/tool/custom/{tool_id}': ['tool.delete', '{tool_id}', withPath(toolPath)],
  'PATCH /admin/tool/status': ['tool.switch', ({ body }) => body.tool_ids.join(' ')],
  'POST /admin/tool/{tool_id}/try': ['tool.try', '{tool_id}'],
  'POST /admin/tool/{tool_id}/passthrough-grant': ['tool.grant_passthrough', '{tool_id}'],
  'DELETE /admin/tool/{tool_id}/passthrough-grant': ['tool.revoke_passthrough', '{tool_id}'],
  'POST /admin/mcp/server/{server_id}/passthrough-grant': ['mcp_server.grant_passthrough', '{server_id}'],
  'DELETE /admin/mcp/server/{server_id}/passthrough-grant': [
    'mcp_server.revoke_passthrough',
    '{server_id}',
    withPath(async ({ ok, name, nearby }) => {
      const body = { name: name(), server_url: nearby.open.url, auth_type: 'PT_OAUTH' }
      const { server_id } = await ok('POST', '/admin/mcp/servers/create', { body })
      const grant = { server_url: nearby.open.url }
      await ok('POST', `/admin/mcp/server/${server_id}/passthrough-grant`, { body: grant })
      return { server_id }
    }),
  ],
  'POST /admin/oauth-config/create': ['oauth_config.create', '.id', withBody(aConfig)],
  'PUT /admin/oauth-config/{oauth_config_id}': [
    'oauth_config.update',
    '{oauth_config_id}',
    withPath(configPath, { client_secret: 'CANARY-of-a-client' }),
  ],
  'DELETE /admin/oauth-config/{oauth_config_id}': ['oauth_config.delete', '{oauth_config_id}', withPath(configPath)],
  'GET /admin/chat-session-history': ['chat_history.list', null],
  'GET /admin/chat-session-history/{chat_session_id}': [
    'chat_history.read',
    '{chat_session_id}',
    withPath(async (fixture) => ({ chat_session_id: (await makeChat(fixture)).chat_session_id })),
  ],
  'POST /admin/query-history/start-export': ['chat_history.start_export', '.request_id'],
  'GET /admin/query-history/download': ['chat_history.export', null],
  'GET /admin/query-history-csv': ['chat_history.export', null],
  'POST /admin/mcp/server': ['mcp_server.create', '.id'],
  'PATCH /admin/mcp/server/{server_id}': ['mcp_server.update', '{server_id}'],
  'DELETE /admin/mcp/server/{server_id}': ['mcp_server.delete', '{server_id}'],
  'PATCH /admin/mcp/server/{server_id}/status': [
    'mcp_server.set_status',
    '{server_id}',
    async ({ ok, name, nearby }) => ({
      path: {
        server_id: (await ok('POST', '/admin/mcp/server', { body: { name: name(), server_url: nearby.open.url } })).id,
      },
      query: { status: 'DISCONNECTED' },
    }),
  ],
  'POST /admin/mcp/servers/create': ['mcp_server.authorize', '.server_id'],
  'POST /admin/mcp/servers/update': ['mcp_server.choose_tools', ({ body }) => body.server_id],
  'POST /persona': ['persona.create', '.id', withBody(aPersona)],
  'PATCH /persona/{persona_id}': [
    'persona.update',
    '{persona_id}',
    async (fixture) => ({ path: await personaPath(fixture), body: aPersona(fixture) }),
  ],
  'DELETE /persona/{persona_id}': ['persona.delete', '{persona_id}', withPath(personaPath)],
  'PATCH /persona/{persona_id}/share': ['persona.share', '{persona_id}', withPath(personaPath, { user_ids: [] })],
  'PATCH /persona/{persona_id}/public': ['persona.publish', '{persona_id}', withPath(personaPath, { is_public: true })],
  'PUT /admin/llm/provider': ['llm_provider.put', '.id'],
  'DELETE /admin/llm/provider/{provider_id}': ['llm_provider.delete', '{provider_id}'],
  'POST /admin/llm/test': ['llm_provider.test', null],
  'POST /admin/llm/available-models': ['llm_provider.discover', null],
  'GET /admin/llm/usage/csv': ['llm_provider.export_usage', null],
  'POST /admin/llm/test/default': ['llm_provider.test_default', null],
  'POST /admin/llm/default': ['llm_provider.set_default_text', ({ body }) => body.provider_id],
  'POST /admin/llm/default-vision': ['llm_provider.set_default_vision', ({ body }) => body.provider_id],
  'DELETE /admin/llm/default-vision': ['llm_provider.unset_default_vision', null],
  'POST /admin/llm/default-chat-naming': ['llm_provider.set_default_chat_naming', ({ body }) => body.provider_id],
  'DELETE /admin/llm/default-chat-naming': ['llm_provider.unset_default_chat_naming', null],
  'POST /admin/limits': ['limit.create', '.id'],
  'PUT /admin/limits/{limit_id}': ['limit.update', '{limit_id}'],
  'DELETE /admin/limits/{limit_id}': ['limit.delete', '{limit_id}'],
  'POST /admin/token-rate-limits/global': ['limit.create', '.token_id', () => ({ body: A_LIMIT })],
  'POST /admin/token-rate-limits/users': ['limit.create', '.token_id', () => ({ body: A_LIMIT })],
  'POST /admin/token-rate-limits/user-group/{group_id}': ['limit.create', '.token_id'],
  'PUT /admin/token-rate-limits/rate-limit/{token_rate_limit_id}': ['limit.update', '{token_rate_limit_id}'],
  'DELETE /admin/token-rate-limits/rate-limit/{token_rate_limit_id}': ['limit.delete', '{token_rate_limit_id}'],
  'PATCH /admin/persona/{persona_id}/listed': [
    'persona.list',
    '{persona_id}',
    withPath(personaPath, { is_listed: false }),
  ],
  'PATCH /admin/persona/{persona_id}/featured': [
    'persona.feature',
    '{persona_id}',
    withPath(personaPath, { is_featured: true }),
  ],
  'PATCH /admin/persona/{persona_id}/undelete': [
    'persona.undelete',
    '{persona_id}',
    withPath(async (fixture) => {
      const path = await personaPath(fixture)
      await fixture.ok('DELETE', `/persona/${path.persona_id}`)
      return path
    }),
  ],
  'PUT /admin/alerts/{alert_id}/dismissal': ['alert.dismiss', '{alert_id}', () => ({ body: { for: 'me' } })],
  'DELETE /admin/alerts/{alert_id}/dismissal': ['alert.restore', '{alert_id}'],
  'POST /admin/webhook': ['webhook.create', '.id', withBody(aWebhook)],
  'PATCH /admin/webhook/{webhook_id}': [
    'webhook.update',
    '{webhook_id}',
    withPath(webhookPath, { secret: WEBHOOK_SECRET }),
  ],
  'DELETE /admin/webhook/{webhook_id}': ['webhook.delete', '{webhook_id}', withPath(webhookPath)],
  'POST /admin/webhook/{webhook_id}/test': ['webhook.test', '{webhook_id}', withPath(webhookPath)],
  'POST /admin/api-key': ['api_key.create', '.api_key_id', withBody(({ name }) => ({ name: name(), role: 'basic' }))],
  'PATCH /admin/api-key/{api_key_id}': [
    'api_key.update',
    '{api_key_id}',
    withPath(keyPath, { name: 'Renamed', role: 'basic' }),
  ],
  'POST /admin/api-key/{api_key_id}/regenerate': ['api_key.regenerate', '{api_key_id}', withPath(keyPath)],
  'DELETE /admin/api-key/{api_key_id}': ['api_key.delete', '{api_key_id}', withPath(keyPath)],
  'POST /user/pats': ['token.create', '.id', () => ({ body: { name: 'Seeded' } })],
  'DELETE /user/pats/{token_id}': [
    'token.delete',
    '{token_id}',
    withPath(async ({ ok, name }) => ({ token_id: (await ok('POST', '/user/pats', { body: { name: name() } })).id })),
  ],
  'POST /auth/session': ['session.create', 'key', ({ key }) => ({ key: null, body: { api_key: key } })],
  'POST /auth/login': [
    'session.create',
    'password',
    async (fixture) => {
      const { id, email, password } = await aPerson(fixture)
      return { key: null, body: { username: email, password }, actor: id }
    },
  ],
  'POST /auth/logout': ['session.delete', null, ofPerson()],
  'POST /auth/register': [
    'account_link.accept',
    null,
    async ({ ok, name }) => {
      const emails = [`${name().toLowerCase().replaceAll(' ', '-')}@example.com`]
      const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails } })
      const token = invitations[0].link.split('#')[1]
      return { key: null, body: { token, password: A_PASSWORD }, actor: /./ }
    },
  ],
  'POST /auth/reset-password': [
    'account_link.accept',
    null,
    async (fixture) => {
      const { id, email } = await aPerson(fixture)
      const { link } = await fixture.ok('POST', '/manage/admin/users/password-link', { body: { user_email: email } })
      return { key: null, body: { token: link.split('#')[1], password: A_PASSWORD }, actor: id }
    },
  ],
  'PUT /admin/sign-in/registration': ['registration.update', null, () => ({ body: { domains: [] } })],
  'DELETE /auth/session': ['session.delete', null, ofPerson()],
  'DELETE /auth/sessions/{session_id}': ['session.delete', '{session_id}'],
  'DELETE /auth/sessions': ['session.delete_others', null, ofPerson()],
  'POST /password/change-password': [
    'person.password',
    null,
    ofPerson(() => ({ body: { old_password: A_PASSWORD, new_password: 'another staple of horses' } })),
  ],
  'DELETE /manage/admin/users/{user_id}/sessions': [
    'person.end_sessions',
    anId,
    async (fixture) => ({
      path: { user_id: (await signedIn(fixture)).id },
    }),
  ],
  'DELETE /manage/admin/users/{user_id}/sessions/{session_id}': ['person.end_session', anId],
  'POST /auth/second-factor': ['second_factor.start', null, ofPerson(() => ({ body: { password: A_PASSWORD } }))],
  'POST /auth/second-factor/confirm': [
    'second_factor.enable',
    null,
    ofPerson(async ({ cookie }, { ok }) => {
      const { uri } = await ok('POST', '/auth/second-factor', { ...as(cookie), body: { password: A_PASSWORD } })
      return { body: { code: createApp(uri).code() } }
    }),
  ],
  'POST /auth/second-factor/recovery-codes': [
    'second_factor.renew_codes',
    null,
    withSecondFactor(() => ({ body: { password: A_PASSWORD } })),
  ],
  'POST /auth/second-factor/disable': [
    'second_factor.disable',
    null,
    withSecondFactor(() => ({ body: { password: A_PASSWORD } })),
  ],
  'DELETE /manage/admin/users/{user_id}/second-factors': ['person.reset_second_factors', anId],
  'POST /auth/passkeys': [
    'passkey.create',
    '.id',
    ofPerson(async (person, fixture) => ({ body: await newPasskey(person, fixture) })),
  ],
  'DELETE /auth/passkeys/{passkey_id}': [
    'passkey.delete',
    '{passkey_id}',
    ofPerson(async (person, fixture) => {
      const body = await newPasskey(person, fixture)
      const { id } = await fixture.ok('POST', '/auth/passkeys', { ...as(person.cookie), body })
      return { path: { passkey_id: id } }
    }),
  ],
  'POST /auth/oidc/logout': ['session.delete', null, ofPerson()],
  'POST /admin/sign-in/providers/{provider_id}/ldap-test': ['sign_in_provider.test', '{provider_id}'],
  'POST /admin/sign-in/providers': ['sign_in_provider.create', '.id'],
  'PATCH /admin/sign-in/providers/{provider_id}': ['sign_in_provider.update', '{provider_id}'],
  'DELETE /admin/sign-in/providers/{provider_id}': ['sign_in_provider.delete', '{provider_id}'],
  'POST /admin/sign-in/providers/{provider_id}/check': ['sign_in_provider.check', '{provider_id}'],
  'POST /admin/sign-in/providers/{provider_id}/test': ['sign_in_provider.test', '{provider_id}'],
  'DELETE /admin/sign-in/providers/{provider_id}/people/{user_id}': [
    'sign_in_provider.unlink',
    '{provider_id}',
    withPath(async (fixture) => {
      const oidc = { issuer: 'https://idp.example', client_id: 'pharos', client_secret: 'CANARY-of-a-client' }
      const slug = fixture.name().toLowerCase().replaceAll(' ', '-')
      const body = { slug, name: slug, oidc }
      const { id: provider_id } = await fixture.ok('POST', '/admin/sign-in/providers', { body })
      const { id: user_id } = await aPerson(fixture)
      const columns = 'provider_id, subject, person_id, time_created, last_used_at'
      const row = `insert into person_identity (${columns}) values (${provider_id}, 'ann', '${user_id}', 1, 1)`
      await alterRecord(fixture.server.dataDir, row)
      return { provider_id, user_id }
    }),
  ],
  'PUT /manage/admin/users': [
    'person.invite',
    '1 people',
    withBody(({ name }) => ({ emails: [`${name().toLowerCase().replaceAll(' ', '-')}@example.com`] })),
  ],
  'PATCH /manage/admin/remove-invited-user': [
    'person.withdraw_invitation',
    PERSON,
    async ({ ok, name }) => {
      const user_email = `${name().toLowerCase().replaceAll(' ', '-')}@example.com`
      await ok('PUT', '/manage/admin/users', { body: { emails: [user_email] } })
      return { body: { user_email }, about: user_email }
    },
  ],
  'POST /manage/admin/users/password-link': ['person.password_link', PERSON, aboutEmail],
  'POST /manage/admin/first-admin-link': ['person.first_admin_link', null],
  'GET /admin/audit/csv': ['audit.export', null],
  'GET /admin/audit/ndjson': ['audit.export', null],
  'GET /admin/person/{email}/export': [
    'person.export',
    PERSON,
    async (fixture) => {
      const { email } = await aPerson(fixture)
      return { path: { email }, about: email }
    },
  ],
  'DELETE /admin/person/{email}': [
    'person.delete',
    '.pseudonym',
    async (fixture) => ({ path: { email: (await aPerson(fixture)).email } }),
  ],
  'DELETE /manage/admin/delete-user': ['person.delete', '.pseudonym'],
  'PATCH /manage/set-user-role': [
    'person.role',
    PERSON,
    async (fixture) => {
      const { email } = await aPerson(fixture)
      return { body: { user_email: email, new_role: 'curator' }, about: email }
    },
  ],
  'PATCH /manage/admin/deactivate-user': ['person.suspend', PERSON, aboutEmail],
  'PATCH /manage/admin/activate-user': ['person.activate', PERSON, aboutEmail],
  'PATCH /manage/admin/users/{user_id}': ['person.name', anId],
  'GET /user/data': ['person.export', null, ofPerson(() => ({}))],
  'PATCH /user/personalization': ['person.name', null, ofPerson(() => ({ body: { name: 'CANARY of a name' } }))],
  'GET /manage/admin/users/csv': ['person.export_list', null],
  'POST /manage/admin/users/csv': [
    'person.import',
    null,
    ({ name }) => ({
      headers: formHeaders,
      bytes: form({
        ...{ field: 'file', name: 'people.csv', type: 'text/csv' },
        content: `email\n${name().toLowerCase().replaceAll(' ', '-')}@example.com\n`,
      }),
    }),
  ],
  [`POST ${GROUPS}`]: ['user_group.create', '.id'],
  [`PATCH ${GROUPS}/rename`]: ['user_group.rename', ({ body }) => body.id],
  [`PATCH ${GROUPS}/{user_group_id}`]: ['user_group.update', '{user_group_id}'],
  [`DELETE ${GROUPS}/{user_group_id}`]: ['user_group.delete', '{user_group_id}'],
  [`POST ${GROUPS}/{user_group_id}/add-users`]: ['user_group.update', '{user_group_id}'],
  [`POST ${GROUPS}/{user_group_id}/remove-users`]: ['user_group.update', '{user_group_id}'],
  [`POST ${GROUPS}/{user_group_id}/set-curator`]: ['user_group.curator', '{user_group_id}'],
  'POST /admin/enterprise-settings/scim/token': [
    'scim_token.create',
    '.id',
    withBody(({ name }) => ({ name: name() })),
  ],
  'DELETE /admin/enterprise-settings/scim/token': ['scim_token.delete', null, aScimToken],
  'POST /admin/scim/link': ['person.scim_link', PERSON, aboutEmail],
  'POST /scim/v2/Users': [
    'person.scim_create',
    PERSON,
    ofDirectory((fixture) => {
      const body = aScimUser(fixture)
      return { body, about: body.userName }
    }),
  ],
  'PUT /scim/v2/Users/{id}': [
    'person.scim_update',
    PERSON,
    ofDirectory(async (fixture, key) => {
      const user = await scimUser(fixture, key)
      return { ...user, body: { ...aScimUser(fixture), userName: user.about, displayName: 'Ann' } }
    }),
  ],
  'PATCH /scim/v2/Users/{id}': [
    'person.scim_update',
    PERSON,
    ofDirectory(async (fixture, key) => ({ ...(await scimUser(fixture, key)), body: patch({ displayName: 'Ann' }) })),
  ],
  'DELETE /scim/v2/Users/{id}': ['person.scim_delete', /^person-/, ofDirectory(scimUser)],
  'POST /scim/v2/Groups': ['user_group.scim_create', '.id', ofDirectory((fixture) => ({ body: aScimGroup(fixture) }))],
  'PUT /scim/v2/Groups/{id}': [
    'user_group.scim_update',
    '{id}',
    ofDirectory(async (fixture, key) => ({ ...(await scimGroup(fixture, key)), body: aScimGroup(fixture) })),
  ],
  'PATCH /scim/v2/Groups/{id}': [
    'user_group.scim_update',
    '{id}',
    ofDirectory(async (fixture, key) => ({
      ...(await scimGroup(fixture, key)),
      body: patch({ displayName: fixture.name() }),
    })),
  ],
  'DELETE /scim/v2/Groups/{id}': ['user_group.scim_delete', '{id}', ofDirectory(scimGroup)],
  'PATCH /admin/settings': ['settings.update', null, () => ({ body: { trash_retention_days: 30 } })],
  'PUT /admin/settings': ['settings.replace', null, () => ({ body: {} })],
  'POST /admin/reindex': ['index.rebuild', (_, { body }) => body.building.generation],
  'DELETE /admin/reindex': ['index.cancel_rebuild', null],
  'POST /admin/egress/approval': ['egress_approval.create', '.id'],
  'DELETE /admin/egress/approval/{approval_id}': ['egress_approval.delete', '{approval_id}'],
  'POST /admin/secret-key/rotate': ['secret_key.rotate', null],
  'PUT /admin/transcription': [
    'transcription_model.put',
    null,
    () => ({ body: { url: 'https://speech.example.com/v1', model: 'whisper-1' } }),
  ],
  'DELETE /admin/transcription': ['transcription_model.delete', null],
  'POST /admin/transcription/retry': ['transcription.retry', null],
  'POST /admin/transcription/reread': ['transcription.reread', null],
  'PUT /admin/captions': ['captions.put', null, () => ({ body: { is_on: false } })],
  'DELETE /admin/captions': ['captions.delete', null],
  'POST /admin/captions/retry': ['captions.retry', null],
  'POST /admin/recognition/retry': ['recognition.retry', null],
  'POST /admin/recognition/reread': ['recognition.reread', null],
}
