// Creates the objects that schemathesis cannot create itself. They are created just before each operation, so no earlier
// request can have deleted them, and short-lived objects exist too.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createStreamRequester, isType, type Line } from '../api/chat-client.ts'
import { form, formHeaders, png } from '../api/multipart-form.ts'
import { createRequester, type Reply, type Requester } from '../api/request.ts'
import { connectorOf, createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, waitFor } from '../server.ts'
import { makeSmallSamlProvider } from '../small-saml-provider.ts'
import { addressOf, type RemoteServers } from './start-remote-servers.ts'

// biome-ignore lint/suspicious/noExplicitAny: each caller checks the response.
type Json = any

/** Replaces generated values: single parameters, or the whole body. */
export interface Given {
  path?: Json
  query?: Json
  headers?: Json
  body?: Json
}

export interface Place {
  server: Server
  nearby: RemoteServers
  /** The key of the generated requests. */
  key: string
  /** The address of the record, if it is on PostgreSQL. */
  databaseUrl?: string | undefined
}

export type Fixture = Place & ReturnType<typeof createSetup> & { ask: Requester; name: () => string }

/** Starts a server that answers a POST of "METHOD /path" with the values for that operation. Returns its address. */
export async function startSeeds(place: Place): Promise<string> {
  const fixture = createFixture(place)
  const seeds = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await givenFor(fixture, await text(request))))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return `http://${await addressOf(seeds)}`
}

export function createFixture(place: Place): Fixture {
  const ask = createRequester(place.server)
  let made = 0
  return { ...place, ...createSetup(ask), ask, name: () => `Seeded ${++made}` }
}

export async function givenFor(fixture: Fixture, operation: string): Promise<Given> {
  const path: Json = {}
  for (const [, name = ''] of operation.matchAll(/\{(\w+)\}/g)) {
    const make = OBJECTS[name]
    if (make !== undefined) path[name] = await make(fixture)
  }
  const given = (await REQUESTS[operation]?.(fixture)) ?? {}
  return { ...given, path: { ...path, ...given.path } }
}

const makeDocument = async ({ push, name }: Fixture): Promise<string> => {
  const id = name()
  await push(documentOf(`Seeded as ${id}.`, { id }))
  return id
}

/** With an IBAN. */
const makeSensitiveDocument = async ({ push, name }: Fixture): Promise<string> => {
  const id = name()
  await push(documentOf('Pay to DE91500105173456789012.', { id }))
  return id
}

const aDocumentQuery = async (fixture: Fixture): Promise<Given> => ({
  query: { document_id: await makeDocument(fixture) },
})

const makeFile = async ({ ask, key }: Fixture): Promise<string> =>
  (await ask('POST', '/user/file/upload', { key, headers: formHeaders, bytes: form(png) })).body.id

interface Chat {
  chat_session_id: string
  /** The id of the answer's message. */
  message_id: number
}

/** Creates a session with a question and its answer. */
export const makeChat = ({ ok, key }: Fixture): Promise<Chat> =>
  ok('POST', '/chat/send-chat-message', { key, body: { message: 'seeded', stream: false } })

async function ofPrompt({ ok, name, key }: Fixture): Promise<Given> {
  const body = { prompt: name(), content: 'Sum up', active: true }
  const { id: input_prompt_id } = await ok('POST', '/input_prompt', { key, body })
  return { path: { input_prompt_id } }
}

const makeMcpServer = async ({ ok, name, nearby }: Fixture): Promise<number> =>
  (await ok('POST', '/admin/mcp/server', { body: { name: name(), server_url: nearby.open.url } })).id

/** Creates a server to which each person gives their own credentials. */
const makePersonalMcpServer = async ({ ok, name }: Fixture, body: Json): Promise<number> =>
  (await ok('POST', '/admin/mcp/servers/create', { body: { name: name(), auth_performer: 'PER_USER', ...body } }))
    .server_id

const providerOf = ({ name, nearby }: Fixture): Json => ({
  name: name(),
  provider: 'openai_compatible',
  api_base: nearby.model,
  model_configurations: ['plain', 'calling'].map((it) => ({
    ...{ name: it, is_visible: true },
    supports_image_input: true,
  })),
})

const makeProvider = async (fixture: Fixture): Promise<{ id: number; name: string }> =>
  fixture.ok('PUT', '/admin/llm/provider?is_creation=true', { body: providerOf(fixture) })

const signInProviderOf = ({ name }: Fixture): Json => ({
  slug: `p-${name()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')}-x`,
  name: name(),
  oidc: { issuer: 'https://idp.example', client_id: 'pharos', client_secret: 'secret' },
})

const makeSignInProvider = async (fixture: Fixture, changes: Json = {}): Promise<number> => {
  const body = { ...signInProviderOf(fixture), ...changes }
  return (await fixture.ok('POST', '/admin/sign-in/providers', { body })).id
}

const aSignInProvider = async (fixture: Fixture): Promise<Given> => ({
  path: { provider_id: await makeSignInProvider(fixture) },
})

const providerNearby = ({ nearby: { authority } }: Fixture): Json => ({
  oidc: { issuer: authority.origin, client_id: 'pharos', client_secret: 'secret' },
})

/** Its discovery document can be read. */
const aReachableProvider = async (fixture: Fixture): Promise<Given> => ({
  path: { provider_id: await makeSignInProvider(fixture, providerNearby(fixture)) },
})

async function anEnabledProvider(fixture: Fixture): Promise<Given> {
  const { slug } = signInProviderOf(fixture)
  await makeSignInProvider(fixture, { ...providerNearby(fixture), slug, is_enabled: true })
  return { query: { provider: slug } }
}

const aSamlProvider = async (fixture: Fixture) => {
  const { slug, name } = signInProviderOf(fixture)
  const { entityId, ssoUrl, certificate } = makeSmallSamlProvider()
  const saml = { entity_id: entityId, sso_url: ssoUrl, certificates: [certificate] }
  await fixture.ok('POST', '/admin/sign-in/providers', { body: { slug, name, is_enabled: true, saml } })
  return { path: { slug } }
}

/** Nothing listens there: the verdict says so. */
const anLdapProvider = async (fixture: Fixture): Promise<number> => {
  const { slug, name } = signInProviderOf(fixture)
  const ldap = { url: 'ldap://127.0.0.1:9', start_tls: false, dn_template: 'uid={username},dc=example,dc=org' }
  return (await fixture.ok('POST', '/admin/sign-in/providers', { body: { slug, name, ldap } })).id
}

export const makeTool = async ({ ok, name, nearby: { definition } }: Fixture): Promise<number> =>
  (await ok('POST', '/admin/tool/custom', { body: { name: name(), definition, passthrough_auth: false } })).id

async function makeOauthConfig({ ok, name, nearby: { site } }: Fixture): Promise<number> {
  const addresses = { authorization_url: `${site}/authorize`, token_url: `${site}/token` }
  const body = { name: name(), ...addresses, client_id: 'pharos', client_secret: 'secret' }
  return (await ok('POST', '/admin/oauth-config/create', { body })).id
}

/** Creates a curator's tool that receives a token of the caller after consent. */
async function makePassingTool({ ok, makeKey, name, nearby: { definition } }: Fixture): Promise<number> {
  const key = await makeKey({ name: name(), role: 'curator' })
  const body = { name: name(), definition, passthrough_auth: true, is_public: true }
  return (await ok('POST', '/admin/tool/custom', { key, body })).id
}

async function makeGrantedTool(fixture: Fixture): Promise<number> {
  const tool_id = await makePassingTool(fixture)
  await fixture.ok('POST', `/admin/tool/${tool_id}/passthrough-grant`, { body: { server_url: fixture.nearby.site } })
  return tool_id
}

async function givenConsent(fixture: Fixture): Promise<Given> {
  const body = { tool_id: await makeGrantedTool(fixture) }
  const [consent] = await fixture.ok('PUT', '/user/passthrough-consent', { key: fixture.key, body })
  return { path: { consent_id: consent.consent_id } }
}

const FILES = { source: 'file', connector_specific_config: { file_locations: [] } }

/** Creates a connector of a pulled source, with its pair. */
export async function makeReader({
  ok,
  makeConnector,
  name,
}: Fixture): Promise<{ connector_id: number; cc_pair_id: number }> {
  const connector_id = await makeConnector(name(), FILES)
  const { data } = await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  return { connector_id, cc_pair_id: data }
}

/** Creates a connector that accepts pushed documents, with its pair. */
async function makePushed({
  ok,
  makeConnector,
  name,
}: Fixture): Promise<{ connector_id: number; credential_id: number }> {
  const connector_id = await makeConnector(name())
  await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  return { connector_id, credential_id: 0 }
}

/** An alert about a connector that was paused long ago. */
export async function makeAlert(fixture: Fixture): Promise<number> {
  const { cc_pair_id } = await makeReader(fixture)
  // Over the API: a status that is written past the program's lock can be lost to a run that begins.
  await fixture.ok('PUT', `/manage/admin/cc-pair/${cc_pair_id}/status`, { body: { status: 'PAUSED' } })
  const longAgo = `update cc_pair set paused_at = 1 where id = ${cc_pair_id}`
  await alterRecord(fixture.server.dataDir, longAgo, fixture.databaseUrl)
  const find = async () => {
    const { open } = await fixture.ok('GET', '/admin/alerts')
    return open.find((it: Json) => it.cc_pair_id === cc_pair_id) ?? false
  }
  return (await waitFor(find, 'an alert')).id
}

const makeProject = async ({ ok, key, name }: Fixture): Promise<number> =>
  (await ok('POST', `/user/projects/create?name=${encodeURIComponent(name())}`, { key })).id

/** The objects by the name of a path parameter. */
const OBJECTS: Record<string, (fixture: Fixture) => Promise<string | number>> = {
  alert_id: makeAlert,
  cc_pair_id: (fixture) => fixture.makePair(fixture.name()),
  chat_session_id: async (fixture) => (await makeChat(fixture)).chat_session_id,
  document_id: makeDocument,
  removal_id: aHeldRemoval,
  file_id: makeFile,
  project_id: makeProject,
  provider_id: async (fixture) => (await makeProvider(fixture)).id,
  server_id: makeMcpServer,
}

/** Resets settings, because a generated request may have switched off the operation. */
const resetSettings = ({ ok }: Fixture): Promise<Reply['body']> => ok('PUT', '/admin/settings', { body: {} })

const ofChat =
  (body: Json = {}) =>
  async (fixture: Fixture): Promise<Given> => ({
    body: { chat_session_id: (await makeChat(fixture)).chat_session_id, ...body },
  })

const ofReader = async (fixture: Fixture): Promise<Given> => ({ path: await makeReader(fixture) })

async function shownDocument(fixture: Fixture): Promise<Given> {
  await resetSettings(fixture)
  const id = await makeDocument(fixture)
  const { search_id, results } = await fixture.search(id, {}, { key: fixture.key })
  return { body: { search_id, document_id: results[0].document_id, kind: 'up' } }
}

/** Asks a model that calls a tool and waits for consent. */
async function waitingCall(fixture: Fixture): Promise<Given> {
  const { ok, server, key } = fixture
  await resetSettings(fixture)
  const persona = { name: fixture.name(), description: '', system_prompt: '', task_prompt: '', is_public: true }
  const lists = {
    document_set_ids: [],
    tool_ids: [await makeTool(fixture)],
    starter_messages: [],
    users: [],
    groups: [],
  }
  const { id: persona_id } = await ok('POST', '/persona', { body: { ...persona, ...lists, datetime_aware: false } })
  const { name: model_provider } = await makeProvider(fixture)
  const llm_override = { model_provider, model_version: 'calling' }
  const body = { message: 'Close the ticket', chat_session_info: { persona_id }, llm_override }
  const answer = await createStreamRequester(server)('POST', '/chat/send-chat-message', { key, body })
  const { chat_session_id } = await answer.until((line: Line) => line.chat_session_id !== undefined)
  const { confirmation_id } = (await answer.until(isType('custom_tool_confirmation'))).obj
  answer.leave()
  return { body: { chat_session_id, confirmation_id, approve: true } }
}

/** Returns from the page of the authority. */
async function signedIn(fixture: Fixture): Promise<Given> {
  const { ok, key, nearby } = fixture
  const server_id = await makePersonalMcpServer(fixture, { server_url: nearby.guarded.url, auth_type: 'OAUTH' })
  const { oauth_url } = await ok('POST', '/mcp/oauth/connect', { key, body: { server_id } })
  return { query: nearby.authority.approve(oauth_url) }
}

/** Enough documents that a rebuild can be cancelled before it ends. */
const LARGE_DOCUMENTS = 20
const LARGE_TEXT = Array.from({ length: 20_000 }, (_, at) => `word${at * 7919}`).join(' ')

async function startedReindex({ push, ask, key, server }: Fixture): Promise<Given> {
  if (key !== server.key) return {}
  for (let at = 0; at < LARGE_DOCUMENTS; at++) await push(documentOf(LARGE_TEXT, { id: `large ${at}` }))
  // A rebuild that already runs is good enough.
  await ask('POST', '/admin/reindex')
  return {}
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'schemathesis', version: '4' } },
}

const ofDefault = async (fixture: Fixture): Promise<Given> => ({
  body: { provider_id: (await makeProvider(fixture)).id, model_name: 'plain' },
})

export const A_PASSWORD = 'correct horse battery staple'
const emailOf = ({ name }: Pick<Fixture, 'name'>) => `${name().replaceAll(' ', '-').toLowerCase()}@example.com`

async function anInvitation({ ok, name }: Pick<Fixture, 'ok' | 'name'>, email = emailOf({ name })): Promise<string> {
  const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails: [email] } })
  return invitations[0].link.split('#')[1]
}

export async function aPerson(fixture: Fixture): Promise<{ id: string; email: string; password: string }> {
  const email = emailOf(fixture)
  const body = { token: await anInvitation(fixture, email), password: A_PASSWORD }
  const reply = await fixture.ask('POST', '/auth/register', { body })
  if (reply.status !== 201) throw new Error(`the person was not created: ${reply.status}`)
  return { id: reply.body.id, email, password: A_PASSWORD }
}

async function aResetLink(fixture: Fixture): Promise<string> {
  const body = { user_email: (await aPerson(fixture)).email }
  return (await fixture.ok('POST', '/manage/admin/users/password-link', { body })).link.split('#')[1]
}

async function aGroup(fixture: Fixture): Promise<{ id: number; user_id: string }> {
  const { id: user_id } = await aPerson(fixture)
  const body = { name: fixture.name(), user_ids: [user_id] }
  return { id: (await fixture.ok('POST', '/manage/admin/user-group', { body })).id, user_id }
}

async function aLimit({ ok }: Fixture): Promise<number> {
  const body = { applies_to: 'user', token_budget: 1_000_000 }
  return (await ok('POST', '/admin/limits', { body })).id
}

const A_TOKEN_LIMIT = { enabled: false, token_budget: 1_000_000, period_hours: 24 }

async function aSession({ ok, key }: Fixture): Promise<Given> {
  await ok('POST', '/auth/session', { body: { api_key: key } })
  return { path: { session_id: (await ok('GET', '/auth/sessions', { key }))[0].id } }
}

/** A directory would have to remove a fifth of all people, and a person would have to sign in at a provider. */
async function aHeldRemoval(fixture: Fixture): Promise<number> {
  const { id } = await aPerson(fixture)
  await alterRecord(
    fixture.server.dataDir,
    `insert into scim_removal (person_id, kind, state, asked_at, is_in_effect) values ('${id}', 'suspend', 'held', 1, 0)`,
    fixture.databaseUrl,
  )
  const held = await fixture.ok('GET', '/admin/scim/held-removals?limit=1000')
  return held.find((it: Json) => it.user_id === id).id
}

async function aLinkedPerson(fixture: Fixture): Promise<Given> {
  const [provider_id, { id: user_id }] = [await makeSignInProvider(fixture), await aPerson(fixture)]
  await alterRecord(
    fixture.server.dataDir,
    `insert into person_identity (provider_id, subject, person_id, time_created, last_used_at)
      values (${provider_id}, '${user_id}', '${user_id}', 1, 1)`,
    fixture.databaseUrl,
  )
  return { path: { provider_id, user_id } }
}

/** The one of the registration. */
async function aSessionOfPerson(fixture: Fixture): Promise<Given> {
  const { id: user_id } = await aPerson(fixture)
  const [{ id: session_id }] = await fixture.ok('GET', `/manage/admin/users/${user_id}/sessions`)
  return { path: { user_id, session_id } }
}

export async function aScimToken({ ask, name }: Fixture): Promise<Given> {
  await ask('POST', '/admin/enterprise-settings/scim/token', { body: { name: name() } })
  return {}
}

const anExport = async ({ ok }: Fixture): Promise<Given> => ({
  query: await ok('POST', '/admin/query-history/start-export'),
})

/** The limits remain, so that later requests find them. */
async function switchOffLimits({ ok }: Fixture): Promise<Given> {
  for (const { id, requests_per_minute, token_budget, period_hours, enabled } of await ok('GET', '/admin/limits')) {
    const body = { requests_per_minute, token_budget, period_hours, enabled: false }
    if (enabled) await ok('PUT', `/admin/limits/${id}`, { body })
  }
  await ok('PATCH', '/admin/settings', { body: { daily_token_limit: null } })
  return {}
}

const REQUESTS: Record<string, (fixture: Fixture) => Given | Promise<Given>> = {
  'SWITCH OFF LIMITS': switchOffLimits,
  'POST /auth/session': ({ key }) => ({ headers: { 'X-Requested-With': 'schemathesis' }, body: { api_key: key } }),
  'POST /auth/login': async (fixture) => {
    const { email, password } = await aPerson(fixture)
    return { headers: { 'X-Requested-With': 'schemathesis' }, body: { username: email, password } }
  },
  'GET /admin/enterprise-settings/scim/token': aScimToken,
  'DELETE /admin/enterprise-settings/scim/token': aScimToken,
  'POST /admin/scim/link': async (fixture) => ({ body: { user_email: (await aPerson(fixture)).email } }),
  'DELETE /auth/sessions/{session_id}': aSession,
  'PATCH /manage/set-user-role': async (fixture) => ({
    body: { user_email: (await aPerson(fixture)).email, new_role: 'basic' },
  }),
  'DELETE /manage/admin/delete-user': async (fixture) => ({ body: { user_email: (await aPerson(fixture)).email } }),
  'DELETE /manage/admin/users/{user_id}/sessions/{session_id}': aSessionOfPerson,
  'DELETE /manage/admin/users/{user_id}/second-factors': async (fixture) => ({
    path: { user_id: (await aPerson(fixture)).id },
  }),
  'POST /admin/access/search-as': async (fixture) => {
    await fixture.ok('PATCH', '/admin/settings', { body: { view_as_enabled: true } })
    return { body: { person: (await aPerson(fixture)).id, query: 'seeded' } }
  },
  'GET /manage/admin/users/{user_id}': async (fixture) => ({ path: { user_id: (await aPerson(fixture)).id } }),
  'PATCH /manage/admin/users/{user_id}': async (fixture) => ({
    path: { user_id: (await aPerson(fixture)).id },
    body: { personal_name: fixture.name() },
  }),
  'POST /manage/admin/users/csv': (fixture) => ({ body: { file: [`email\n${emailOf(fixture)}\n`], dry_run: 'true' } }),
  'GET /manage/admin/document': aDocumentQuery,
  'GET /manage/admin/document/sections': aDocumentQuery,
  'GET /manage/admin/document/chunks': aDocumentQuery,
  'GET /manage/admin/document/readers': aDocumentQuery,
  'GET /admin/search/why': async (fixture) => ({
    query: { document_id: await makeDocument(fixture), query: 'seeded' },
  }),
  'POST /manage/admin/doc-hidden': async (fixture) => ({
    body: { document_id: await makeDocument(fixture), hidden: true },
  }),
  'POST /document/verify': async (fixture) => ({ body: { document_id: await makeDocument(fixture) } }),
  'POST /admin/sensitive-content/release': async (fixture) => ({
    body: { document_id: await makeSensitiveDocument(fixture), released: true },
  }),
  'POST /admin/sensitive-content/dismiss': async (fixture) => ({
    body: { document_id: await makeSensitiveDocument(fixture), kind: 'iban', dismissed: true },
  }),
  'GET /admin/access': async (fixture) => ({
    query: { document: await makeDocument(fixture), person: (await aPerson(fixture)).id },
  }),
  'PATCH /manage/admin/deactivate-user': async (fixture) => ({ body: { user_email: (await aPerson(fixture)).email } }),
  'PATCH /manage/admin/activate-user': async (fixture) => ({ body: { user_email: (await aPerson(fixture)).email } }),
  'POST /manage/admin/user-group': async (fixture) => ({
    body: { name: fixture.name(), user_ids: [(await aPerson(fixture)).id] },
  }),
  'PATCH /manage/admin/user-group/rename': async (fixture) => ({
    body: { id: (await aGroup(fixture)).id, name: fixture.name() },
  }),
  'PATCH /manage/admin/user-group/{user_group_id}': async (fixture) => {
    const { id, user_id } = await aGroup(fixture)
    return { path: { user_group_id: id }, body: { user_ids: [user_id], cc_pair_ids: [] } }
  },
  'DELETE /manage/admin/user-group/{user_group_id}': async (fixture) => ({
    path: { user_group_id: (await aGroup(fixture)).id },
  }),
  'POST /manage/admin/user-group/{user_group_id}/add-users': async (fixture) => ({
    path: { user_group_id: (await aGroup(fixture)).id },
    body: { user_ids: [(await aPerson(fixture)).id] },
  }),
  'GET /manage/admin/user-group/{user_group_id}': async (fixture) => ({
    path: { user_group_id: (await aGroup(fixture)).id },
  }),
  'POST /manage/admin/user-group/{user_group_id}/remove-users': async (fixture) => {
    const { id, user_id } = await aGroup(fixture)
    return { path: { user_group_id: id }, body: { user_ids: [user_id] } }
  },
  'POST /manage/admin/user-group/{user_group_id}/set-curator': async (fixture) => {
    const { id, user_id } = await aGroup(fixture)
    return { path: { user_group_id: id }, body: { user_id, is_curator: true } }
  },
  'POST /admin/sign-in/providers': (fixture) => ({ body: signInProviderOf(fixture) }),
  'GET /admin/sign-in/providers/{provider_id}': aSignInProvider,
  'PATCH /admin/sign-in/providers/{provider_id}': async (fixture) => ({
    ...(await aSignInProvider(fixture)),
    body: { name: 'Staff' },
  }),
  'DELETE /admin/sign-in/providers/{provider_id}': aSignInProvider,
  'POST /admin/sign-in/providers/{provider_id}/check': aReachableProvider,
  'POST /admin/sign-in/providers/{provider_id}/test': aReachableProvider,
  'DELETE /admin/sign-in/providers/{provider_id}/people/{user_id}': aLinkedPerson,
  'GET /auth/oidc/authorize': anEnabledProvider,
  'GET /admin/sign-in/providers/{provider_id}/test': aSignInProvider,
  'POST /admin/sign-in/providers/{provider_id}/ldap-test': async (fixture) => ({
    path: { provider_id: await anLdapProvider(fixture) },
    body: { username: 'ann', password: A_PASSWORD },
  }),
  'GET /auth/saml/{slug}/authorize': aSamlProvider,
  'GET /auth/saml/{slug}/metadata': aSamlProvider,
  'POST /admin/sign-in/saml-metadata': () => ({ body: { xml: makeSmallSamlProvider().metadata() } }),
  'POST /admin/limits': () => ({ body: { applies_to: 'user', token_budget: 1_000_000, enabled: false } }),
  'PUT /admin/limits/{limit_id}': async (fixture) => ({
    path: { limit_id: await aLimit(fixture) },
    body: { token_budget: 1_000_000 },
  }),
  'DELETE /admin/limits/{limit_id}': async (fixture) => ({ path: { limit_id: await aLimit(fixture) } }),
  'PUT /admin/token-rate-limits/rate-limit/{token_rate_limit_id}': async (fixture) => ({
    path: { token_rate_limit_id: await aLimit(fixture) },
    body: A_TOKEN_LIMIT,
  }),
  'DELETE /admin/token-rate-limits/rate-limit/{token_rate_limit_id}': async (fixture) => ({
    path: { token_rate_limit_id: await aLimit(fixture) },
  }),
  'POST /admin/token-rate-limits/user-group/{group_id}': async (fixture) => ({
    path: { group_id: (await aGroup(fixture)).id },
    body: A_TOKEN_LIMIT,
  }),
  'POST /auth/link': async (fixture) => ({ body: { token: await anInvitation(fixture) } }),
  'POST /auth/register': async (fixture) => ({
    headers: { 'X-Requested-With': 'schemathesis' },
    body: { token: await anInvitation(fixture), password: A_PASSWORD },
  }),
  'POST /auth/reset-password': async (fixture) => ({
    headers: { 'X-Requested-With': 'schemathesis' },
    body: { token: await aResetLink(fixture), password: A_PASSWORD },
  }),
  'PATCH /manage/admin/remove-invited-user': async (fixture) => {
    const user_email = emailOf(fixture)
    await fixture.ok('PUT', '/manage/admin/users', { body: { emails: [user_email] } })
    return { body: { user_email } }
  },
  'POST /manage/admin/users/password-link': async (fixture) => ({
    body: { user_email: (await aPerson(fixture)).email },
  }),
  'POST /mcp': () => ({ body: HELLO }),
  // The id of an own upload is that of its document.
  'GET /document/original': async (fixture) => ({ query: { document_id: await makeFile(fixture) } }),
  'GET /search/outline': async (fixture) => ({ query: { document_id: await makeDocument(fixture), section: 0 } }),
  'POST /search/feedback': shownDocument,
  'DELETE /admin/reindex': startedReindex,
  'PUT /admin/transcription': ({ nearby }) => ({ body: { url: nearby.model, model: 'whisper-1', api_key: null } }),
  'POST /admin/egress/approval': ({ name }) => ({
    body: { host: `${name().replace(' ', '-')}.invalid`, port: null, reason: 'Seeded' },
  }),
  'DELETE /admin/egress/approval/{approval_id}': async ({ ok, name }) => {
    const body = { host: `${name().replace(' ', '-')}.invalid`, reason: 'Seeded' }
    return { path: { approval_id: (await ok('POST', '/admin/egress/approval', { body })).id } }
  },

  'GET /manage/admin/connector/{connector_id}/files': ofReader,
  'POST /manage/admin/connector/{connector_id}/files/update': ofReader,
  'GET /manage/admin/cc-pair/{cc_pair_id}/prune': ofReader,
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune': async (fixture) => ({
    ...(await ofReader(fixture)),
    body: { confirm: null },
  }),
  'PUT /manage/admin/cc-pair/{cc_pair_id}/access': () => ({ body: { access_type: 'private', groups: ['Sales'] } }),
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts/{index_attempt_id}/log': async (fixture) => {
    const { cc_pair_id } = await makeReader(fixture)
    const { items } = await fixture.ok('GET', `/manage/admin/cc-pair/${cc_pair_id}/index-attempts`)
    return { path: { cc_pair_id, index_attempt_id: items[0].id } }
  },
  'POST /manage/admin/connector/preview': () => ({ body: FILES }),
  'POST /manage/admin/connector/test': () => ({ body: FILES }),
  'POST /manage/admin/connector/run-once': async (fixture) => ({
    body: { connector_id: (await makeReader(fixture)).connector_id },
  }),
  'PUT /manage/admin/credential/swap': async (fixture) => {
    const { connector_id } = await makePushed(fixture)
    const credential = { credential_json: {}, admin_public: true, source: connectorOf('').source }
    const { id: new_credential_id } = await fixture.ok('POST', '/manage/credential', { body: credential })
    return { body: { connector_id, new_credential_id } }
  },
  'PUT /manage/admin/cc-pair/{cc_pair_id}/property': () => ({ body: { name: 'refresh_frequency', value: '3600' } }),
  'POST /manage/admin/deletion-attempt': async (fixture) => ({ body: await makePushed(fixture) }),
  'PATCH /manage/admin/document-set': async ({ ok, makePair, name }) => {
    const cc_pair_ids = [await makePair(name())]
    const set = { description: '', cc_pair_ids, is_public: true, users: [], groups: [] }
    const id = await ok('POST', '/manage/admin/document-set', { body: { name: name(), ...set } })
    return { body: { id, ...set } }
  },

  'POST /admin/persona/upload-image': () => ({ body: { file: ['GIF89a'] } }),
  'PATCH /admin/tool/status': async (fixture) => ({ body: { tool_ids: [await makeTool(fixture)], enabled: true } }),
  'POST /admin/tool/{tool_id}/try': async (fixture) => ({
    path: { tool_id: await makeTool(fixture) },
    body: { operation: 'setTicket', arguments: { body: {} }, run: true },
  }),
  'GET /admin/tool/{tool_id}/operations': async (fixture) => ({ path: { tool_id: await makeTool(fixture) } }),
  'GET /admin/oauth-config/{oauth_config_id}/connections': async (fixture) => ({
    path: { oauth_config_id: await makeOauthConfig(fixture) },
  }),
  'POST /oauth-config/initiate': async (fixture) => ({ body: { oauth_config_id: await makeOauthConfig(fixture) } }),

  'POST /admin/tool/{tool_id}/passthrough-grant': async (fixture) => ({
    path: { tool_id: await makePassingTool(fixture) },
    body: { server_url: fixture.nearby.site },
  }),
  'DELETE /admin/tool/{tool_id}/passthrough-grant': async (fixture) => ({
    path: { tool_id: await makeGrantedTool(fixture) },
  }),
  'POST /admin/mcp/server/{server_id}/passthrough-grant': async ({ ok, name, nearby }) => {
    const body = { name: name(), server_url: nearby.open.url, auth_type: 'PT_OAUTH' }
    const { server_id } = await ok('POST', '/admin/mcp/servers/create', { body })
    return { path: { server_id }, body: { server_url: nearby.open.url } }
  },
  'PUT /user/passthrough-consent': async (fixture) => ({ body: { tool_id: await makeGrantedTool(fixture) } }),
  'DELETE /user/passthrough-consent/{consent_id}': givenConsent,

  'POST /admin/mcp/server': ({ name, nearby }) => ({ body: { name: name(), server_url: nearby.open.url } }),
  'PATCH /admin/mcp/server/{server_id}': ({ name }) => ({ body: { name: name() } }),
  'POST /admin/mcp/servers/create': ({ name, nearby }) => ({
    body: { name: name(), server_url: nearby.open.url, auth_type: 'NONE' },
  }),
  'POST /admin/mcp/servers/update': async (fixture) => ({ body: { server_id: await makeMcpServer(fixture) } }),
  'POST /mcp/user-credentials': async (fixture) => {
    const server = { server_url: fixture.nearby.open.url, auth_type: 'API_TOKEN' }
    return { body: { server_id: await makePersonalMcpServer(fixture, server), credentials: { api_key: 'seeded' } } }
  },
  'POST /mcp/oauth/connect': async (fixture) => {
    const server = { server_url: fixture.nearby.guarded.url, auth_type: 'OAUTH' }
    return { body: { server_id: await makePersonalMcpServer(fixture, server) } }
  },
  'POST /mcp/oauth/callback': signedIn,

  'GET /admin/query-history/export-status': anExport,
  'GET /admin/query-history/download': anExport,
  'POST /admin/query-history/start-export': () => ({ query: { start: '2020-01-01', end: '2030-01-01' } }),
  'GET /admin/query-history-csv': () => ({ query: { start: '2020-01-01', end: '2030-01-01' } }),
  'PUT /admin/llm/provider': (fixture) => ({ query: { is_creation: true }, body: providerOf(fixture) }),
  'POST /admin/llm/default': ofDefault,
  'POST /admin/llm/default-vision': ofDefault,
  'POST /admin/llm/default-chat-naming': ofDefault,
  'POST /admin/llm/test': ({ nearby }) => ({
    body: { provider: 'openai_compatible', api_base: nearby.model, model: 'plain' },
  }),
  'POST /admin/llm/available-models': ({ nearby }) => ({
    body: { provider: 'openai_compatible', api_base: nearby.model },
  }),
  'POST /admin/llm/test/default': async (fixture) => {
    await fixture.ok('POST', '/admin/llm/default', await ofDefault(fixture))
    return {}
  },

  'PUT /chat/chat-session/{chat_session_id}/readers': () => ({ body: { emails: ['seed@example.com'], group_ids: [] } }),
  'POST /user/projects/{project_id}/move_chat_session': ofChat(),
  'POST /user/projects/remove_chat_session': ofChat(),
  'PATCH /input_prompt/{input_prompt_id}': ofPrompt,
  'DELETE /input_prompt/{input_prompt_id}': ofPrompt,
  'PUT /chat/rename-chat-session': ofChat({ name: 'Seeded' }),
  'PUT /chat/update-chat-session-model': ofChat({ new_alternate_model: 'plain' }),
  'PUT /chat/update-chat-session-temperature': ofChat({ temperature_override: 1 }),
  'PUT /chat/update-chat-session-reasoning': ofChat(),
  'POST /chat/confirm-tool-call': waitingCall,
  'POST /chat/create-chat-message-feedback': async (fixture) => ({
    body: { chat_message_id: (await makeChat(fixture)).message_id, is_positive: true },
  }),
  'DELETE /chat/remove-chat-message-feedback': async (fixture) => ({
    query: { chat_message_id: (await makeChat(fixture)).message_id },
  }),
  'PUT /chat/set-message-as-latest': async (fixture) => ({
    body: { message_id: (await makeChat(fixture)).message_id },
  }),
  'PUT /chat/set-preferred-response': async (fixture) => {
    const { chat_session_id, message_id } = await makeChat(fixture)
    const { messages } = await fixture.ok('GET', `/chat/get-chat-session/${chat_session_id}`, { key: fixture.key })
    const { parent_message } = messages.find((it: Json) => it.message_id === message_id)
    return { body: { user_message_id: parent_message, preferred_response_id: message_id } }
  },
}
