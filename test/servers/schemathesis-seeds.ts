// What schemathesis does not find a way to. It is made at the moment when an operation is asked, so nothing that was
// asked before can have taken it away, and what lasts a moment only is there as well.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Ask, asking, type Reply } from '../api/ask.ts'
import { isType, type Line, streaming } from '../api/chatting.ts'
import { form, formHeaders, png } from '../api/form.ts'
import { connectorOf, documentOf, stepsOf } from '../api/steps.ts'
import type { Server } from '../server.ts'
import { addressOf, type Nearby } from './start-nearby.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into where they are used.
type Json = any

/** Takes the place of what is made up: single parameters, and the whole body. */
interface Given {
  path?: Json
  query?: Json
  headers?: Json
  body?: Json
}

export interface Place {
  server: Server
  nearby: Nearby
  /** Of whoever asks what schemathesis makes up. */
  key: string
}

type Stage = Place & ReturnType<typeof stepsOf> & { ask: Ask; name: () => string }

/** Answers a POST of "METHOD /path" with what that operation needs. The address. */
export async function startSeeds(place: Place): Promise<string> {
  const ask = asking(place.server)
  let made = 0
  const stage = { ...place, ...stepsOf(ask), ask, name: () => `Seeded ${++made}` }
  const seeds = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await givenFor(stage, await text(request))))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  return `http://${await addressOf(seeds)}`
}

async function givenFor(stage: Stage, operation: string): Promise<Given> {
  const path: Json = {}
  for (const [, name = ''] of operation.matchAll(/\{(\w+)\}/g)) {
    const make = OBJECTS[name]
    if (make !== undefined) path[name] = await make(stage)
  }
  const given = (await REQUESTS[operation]?.(stage)) ?? {}
  return { ...given, path: { ...path, ...given.path } }
}

// ── Objects ─────────────────────────────────────────────────────────────────

const makeDocument = async ({ push, name }: Stage): Promise<string> => {
  const id = name()
  await push(documentOf(`Seeded as ${id}.`, { id }))
  return id
}

const makeFile = async ({ ask, key }: Stage): Promise<string> =>
  (await ask('POST', '/user/file/upload', { key, headers: formHeaders, bytes: form(png) })).body.id

interface Chat {
  chat_session_id: string
  /** Of the answer. */
  message_id: number
}

/** With a question and its answer. */
const makeChat = ({ ok, key }: Stage): Promise<Chat> =>
  ok('POST', '/chat/send-chat-message', { key, body: { message: 'seeded', stream: false } })

const makeMcpServer = async ({ ok, name, nearby }: Stage): Promise<number> =>
  (await ok('POST', '/admin/mcp/server', { body: { name: name(), server_url: nearby.open.url } })).id

/** Everybody gives it credentials of their own. */
const makePersonalMcpServer = async ({ ok, name }: Stage, body: Json): Promise<number> =>
  (await ok('POST', '/admin/mcp/servers/create', { body: { name: name(), auth_performer: 'PER_USER', ...body } }))
    .server_id

const providerOf = ({ name, nearby }: Stage): Json => ({
  name: name(),
  provider: 'openai_compatible',
  api_base: nearby.model,
  model_configurations: ['plain', 'calling'].map((it) => ({ name: it, is_visible: true })),
})

const makeProvider = async (stage: Stage): Promise<{ id: number; name: string }> =>
  stage.ok('PUT', '/admin/llm/provider?is_creation=true', { body: providerOf(stage) })

const makeTool = async ({ ok, name, nearby: { definition } }: Stage): Promise<number> =>
  (await ok('POST', '/admin/tool/custom', { body: { name: name(), definition, passthrough_auth: false } })).id

/** Of a curator; it receives a token of whoever asks once that is allowed. */
async function makePassingTool({ ok, makeKey, name, nearby: { definition } }: Stage): Promise<number> {
  const key = await makeKey({ name: name(), role: 'curator' })
  const body = { name: name(), definition, passthrough_auth: true, is_public: true }
  return (await ok('POST', '/admin/tool/custom', { key, body })).id
}

async function makeGrantedTool(stage: Stage): Promise<number> {
  const tool_id = await makePassingTool(stage)
  await stage.ok('POST', `/admin/tool/${tool_id}/passthrough-grant`, { body: { server_url: stage.nearby.site } })
  return tool_id
}

async function givenConsent(stage: Stage): Promise<Given> {
  const body = { tool_id: await makeGrantedTool(stage) }
  const [consent] = await stage.ok('PUT', '/user/passthrough-consent', { key: stage.key, body })
  return { path: { consent_id: consent.consent_id } }
}

const FILES = { source: 'file', connector_specific_config: { file_locations: [] } }

/** A connector of a source that is pulled from, with its pair. */
async function makeReader({ ok, makeConnector, name }: Stage): Promise<{ connector_id: number; cc_pair_id: number }> {
  const connector_id = await makeConnector(name(), FILES)
  const { data } = await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  return { connector_id, cc_pair_id: data }
}

/** A connector that is pushed to, with its pair. */
async function makePushed({
  ok,
  makeConnector,
  name,
}: Stage): Promise<{ connector_id: number; credential_id: number }> {
  const connector_id = await makeConnector(name())
  await ok('PUT', `/manage/admin/connector/${connector_id}/credential/0`)
  return { connector_id, credential_id: 0 }
}

/** By the name of a parameter of the path. */
const OBJECTS: Record<string, (stage: Stage) => Promise<string | number>> = {
  cc_pair_id: (stage) => stage.makePair(stage.name()),
  chat_session_id: async (stage) => (await makeChat(stage)).chat_session_id,
  document_id: makeDocument,
  file_id: makeFile,
  provider_id: async (stage) => (await makeProvider(stage)).id,
  server_id: makeMcpServer,
}

// ── Requests ────────────────────────────────────────────────────────────────

/** Some settings switch off what is about to be asked, and somebody may have made them up. */
const resetSettings = ({ ok }: Stage): Promise<Reply['body']> => ok('PUT', '/admin/settings', { body: {} })

const ofChat =
  (body: Json = {}) =>
  async (stage: Stage): Promise<Given> => ({
    body: { chat_session_id: (await makeChat(stage)).chat_session_id, ...body },
  })

const ofReader = async (stage: Stage): Promise<Given> => ({ path: await makeReader(stage) })

async function shownDocument(stage: Stage): Promise<Given> {
  await resetSettings(stage)
  const id = await makeDocument(stage)
  const { search_id, results } = await stage.search(id, {}, { key: stage.key })
  return { body: { search_id, document_id: results[0].document_id, kind: 'up' } }
}

/** A question to a model that wants to call a tool, and waits for somebody to agree. */
async function waitingCall(stage: Stage): Promise<Given> {
  const { ok, server, key } = stage
  await resetSettings(stage)
  const persona = { name: stage.name(), description: '', system_prompt: '', task_prompt: '', is_public: true }
  const lists = { document_set_ids: [], tool_ids: [await makeTool(stage)], starter_messages: [], users: [], groups: [] }
  const { id: persona_id } = await ok('POST', '/persona', { body: { ...persona, ...lists, datetime_aware: false } })
  const { name: model_provider } = await makeProvider(stage)
  const llm_override = { model_provider, model_version: 'calling' }
  const body = { message: 'Close the ticket', chat_session_info: { persona_id }, llm_override }
  const answer = await streaming(server)('POST', '/chat/send-chat-message', { key, body })
  const { chat_session_id } = await answer.until((line: Line) => line.chat_session_id !== undefined)
  const { confirmation_id } = (await answer.until(isType('custom_tool_confirmation'))).obj
  answer.leave()
  return { body: { chat_session_id, confirmation_id, approve: true } }
}

/** Back from the page of the authority. */
async function signedIn(stage: Stage): Promise<Given> {
  const { ok, key, nearby } = stage
  const server_id = await makePersonalMcpServer(stage, { server_url: nearby.guarded.url, auth_type: 'OAUTH' })
  const { oauth_url } = await ok('POST', '/mcp/oauth/connect', { key, body: { server_id } })
  return { query: nearby.authority.approve(oauth_url) }
}

/** So much that an index is not made before it can be given up. */
const LARGE_DOCUMENTS = 20
const LARGE_TEXT = Array.from({ length: 20_000 }, (_, at) => `word${at * 7919}`).join(' ')

async function startedReindex({ push, ask, key, server }: Stage): Promise<Given> {
  if (key !== server.key) return {}
  for (let at = 0; at < LARGE_DOCUMENTS; at++) await push(documentOf(LARGE_TEXT, { id: `large ${at}` }))
  // One may be under way already, which does as well.
  await ask('POST', '/admin/reindex')
  return {}
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'schemathesis', version: '4' } },
}

const ofDefault = async (stage: Stage): Promise<Given> => ({
  body: { provider_id: (await makeProvider(stage)).id, model_name: 'plain' },
})

const anExport = async ({ ok }: Stage): Promise<Given> => ({
  query: await ok('POST', '/admin/query-history/start-export'),
})

const REQUESTS: Record<string, (stage: Stage) => Given | Promise<Given>> = {
  'POST /auth/session': ({ key }) => ({ headers: { 'X-Requested-With': 'schemathesis' }, body: { api_key: key } }),
  'POST /mcp': () => ({ body: HELLO }),
  'POST /search/feedback': shownDocument,
  'DELETE /admin/reindex': startedReindex,
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
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune': async (stage) => ({
    ...(await ofReader(stage)),
    body: { confirm: null },
  }),
  'POST /manage/admin/connector/preview': () => ({ body: FILES }),
  'POST /manage/admin/connector/run-once': async (stage) => ({
    body: { connector_id: (await makeReader(stage)).connector_id },
  }),
  'PUT /manage/admin/credential/swap': async (stage) => {
    const { connector_id } = await makePushed(stage)
    const credential = { credential_json: {}, admin_public: true, source: connectorOf('').source }
    const { id: new_credential_id } = await stage.ok('POST', '/manage/credential', { body: credential })
    return { body: { connector_id, new_credential_id } }
  },
  'PUT /manage/admin/cc-pair/{cc_pair_id}/property': () => ({ body: { name: 'refresh_frequency', value: '3600' } }),
  'POST /manage/admin/deletion-attempt': async (stage) => ({ body: await makePushed(stage) }),
  'PATCH /manage/admin/document-set': async ({ ok, makePair, name }) => {
    const cc_pair_ids = [await makePair(name())]
    const set = { description: '', cc_pair_ids, is_public: true, users: [], groups: [] }
    const id = await ok('POST', '/manage/admin/document-set', { body: { name: name(), ...set } })
    return { body: { id, ...set } }
  },

  'POST /admin/persona/upload-image': () => ({ body: { file: ['GIF89a'] } }),
  'PATCH /admin/tool/status': async (stage) => ({ body: { tool_ids: [await makeTool(stage)], enabled: true } }),
  'POST /admin/tool/{tool_id}/try': async (stage) => ({
    path: { tool_id: await makeTool(stage) },
    body: { operation: 'setTicket', arguments: { body: {} }, run: true },
  }),
  'POST /oauth-config/initiate': async ({ ok, name, nearby: { site } }) => {
    const addresses = { authorization_url: `${site}/authorize`, token_url: `${site}/token` }
    const config = { name: name(), ...addresses, client_id: 'pharos', client_secret: 'secret' }
    const { id: oauth_config_id } = await ok('POST', '/admin/oauth-config/create', { body: config })
    return { body: { oauth_config_id } }
  },

  'POST /admin/tool/{tool_id}/passthrough-grant': async (stage) => ({
    path: { tool_id: await makePassingTool(stage) },
    body: { server_url: stage.nearby.site },
  }),
  'DELETE /admin/tool/{tool_id}/passthrough-grant': async (stage) => ({
    path: { tool_id: await makeGrantedTool(stage) },
  }),
  'POST /admin/mcp/server/{server_id}/passthrough-grant': async ({ ok, name, nearby }) => {
    const body = { name: name(), server_url: nearby.open.url, auth_type: 'PT_OAUTH' }
    const { server_id } = await ok('POST', '/admin/mcp/servers/create', { body })
    return { path: { server_id }, body: { server_url: nearby.open.url } }
  },
  'PUT /user/passthrough-consent': async (stage) => ({ body: { tool_id: await makeGrantedTool(stage) } }),
  'DELETE /user/passthrough-consent/{consent_id}': givenConsent,

  'POST /admin/mcp/server': ({ name, nearby }) => ({ body: { name: name(), server_url: nearby.open.url } }),
  'PATCH /admin/mcp/server/{server_id}': ({ name }) => ({ body: { name: name() } }),
  'POST /admin/mcp/servers/create': ({ name, nearby }) => ({
    body: { name: name(), server_url: nearby.open.url, auth_type: 'NONE' },
  }),
  'POST /admin/mcp/servers/update': async (stage) => ({ body: { server_id: await makeMcpServer(stage) } }),
  'POST /mcp/user-credentials': async (stage) => {
    const server = { server_url: stage.nearby.open.url, auth_type: 'API_TOKEN' }
    return { body: { server_id: await makePersonalMcpServer(stage, server), credentials: { api_key: 'seeded' } } }
  },
  'POST /mcp/oauth/connect': async (stage) => {
    const server = { server_url: stage.nearby.guarded.url, auth_type: 'OAUTH' }
    return { body: { server_id: await makePersonalMcpServer(stage, server) } }
  },
  'POST /mcp/oauth/callback': signedIn,

  'GET /admin/query-history/export-status': anExport,
  'GET /admin/query-history/download': anExport,
  'POST /admin/query-history/start-export': () => ({ query: { start: '2020-01-01', end: '2030-01-01' } }),
  'GET /admin/query-history-csv': () => ({ query: { start: '2020-01-01', end: '2030-01-01' } }),
  'PUT /admin/llm/provider': (stage) => ({ query: { is_creation: true }, body: providerOf(stage) }),
  'POST /admin/llm/default': ofDefault,
  'POST /admin/llm/default-vision': ofDefault,
  'POST /admin/llm/default-chat-naming': ofDefault,
  'POST /admin/llm/test': ({ nearby }) => ({
    body: { provider: 'openai_compatible', api_base: nearby.model, model: 'plain' },
  }),
  'POST /admin/llm/test/default': async (stage) => {
    await stage.ok('POST', '/admin/llm/default', await ofDefault(stage))
    return {}
  },

  'PUT /chat/rename-chat-session': ofChat({ name: 'Seeded' }),
  'PUT /chat/update-chat-session-model': ofChat({ new_alternate_model: 'plain' }),
  'PUT /chat/update-chat-session-temperature': ofChat({ temperature_override: 1 }),
  'PUT /chat/update-chat-session-reasoning': ofChat(),
  'POST /chat/confirm-tool-call': waitingCall,
  'POST /chat/create-chat-message-feedback': async (stage) => ({
    body: { chat_message_id: (await makeChat(stage)).message_id, is_positive: true },
  }),
  'DELETE /chat/remove-chat-message-feedback': async (stage) => ({
    query: { chat_message_id: (await makeChat(stage)).message_id },
  }),
  'PUT /chat/set-message-as-latest': async (stage) => ({ body: { message_id: (await makeChat(stage)).message_id } }),
  'PUT /chat/set-preferred-response': async (stage) => {
    const { chat_session_id, message_id } = await makeChat(stage)
    const { messages } = await stage.ok('GET', `/chat/get-chat-session/${chat_session_id}`, { key: stage.key })
    const { parent_message } = messages.find((it: Json) => it.message_id === message_id)
    return { body: { user_message_id: parent_message, preferred_response_id: message_id } }
  },
}
