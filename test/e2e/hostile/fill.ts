// A service whose every name and text was written by an attacker: 200 items of all kinds.
import type { createSetup } from '../../api/setup.ts'
import { HOSTILE_LINKS } from '../hostile-answers.ts'
import type { createPayloads } from './payloads.ts'

type Setup = ReturnType<typeof createSetup>
export interface Place {
  setup: Setup
  payloads: ReturnType<typeof createPayloads>
  /** A server whose answers are hostile. */
  origin: string
  mcpUrl: string
  modelUrl: string
}

/** How many of each kind there are. */
const KINDS = {
  documents: 80,
  groups: 15,
  connectors: 15,
  agents: 15,
  documentSets: 10,
  prompts: 15,
  projects: 10,
  webhooks: 10,
  tools: 10,
  mcpServers: 2,
  providers: 3,
  oauthConfigs: 5,
  keys: 10,
} as const
type Kind = keyof typeof KINDS

/** Ids for the addresses of pages, by the kind. */
export type Made = Record<Kind | 'chats', string[]>

type Make = (place: Place, name: string, at: number) => Promise<unknown>

const MAKERS: Record<Exclude<Kind, 'agents' | 'documents' | 'documentSets'>, Make> = {
  groups: async ({ setup }, name) =>
    (await setup.ok('POST', '/manage/admin/user-group', { body: { name, user_ids: [], cc_pair_ids: [] } })).id,
  connectors: async ({ setup }, name) => setup.makePair(name),
  prompts: async ({ setup, payloads }, prompt, at) =>
    (await setup.ok('POST', '/input_prompt', { body: { prompt, content: `${payloads.textAt(at)}.` } })).id,
  projects: async ({ setup }, name) =>
    (await setup.ok('POST', `/user/projects/create?${new URLSearchParams({ name, description: name })}`)).id,
  webhooks: async ({ setup }, name) =>
    (await setup.ok('POST', '/admin/webhook', { body: { url: `http://127.0.0.1:9/?${encodeURIComponent(name)}` } })).id,
  tools: makeTool,
  mcpServers: makeMcpServer,
  providers: async ({ setup, modelUrl }, name) => {
    const model_configurations = [{ name, display_name: name, is_visible: true }]
    const body = { name, provider: 'openai_compatible', api_base: modelUrl, api_key: 'k', model_configurations }
    return (await setup.ok('PUT', '/admin/llm/provider?is_creation=true', { body })).id
  },
  oauthConfigs: async ({ setup, origin }, name) => {
    const addresses = { authorization_url: 'https://login.example.com/authorize', token_url: `${origin}/token` }
    const body = {
      name,
      ...addresses,
      client_id: name,
      client_secret: 's',
      scopes: ['<svg/onload=alert(window.ran=1)>'],
    }
    return (await setup.ok('POST', '/admin/oauth-config/create', { body })).id
  },
  keys: async ({ setup }, name) => setup.makeKey({ name, role: 'limited', scopes: ['ingest'] }),
}

export async function fill(place: Place): Promise<Made> {
  const made: Made = { ...emptyMade() }
  let at = 0
  for (const kind of Object.keys(MAKERS) as (keyof typeof MAKERS)[])
    for (let nth = 0; nth < KINDS[kind]; nth += 1, at += 1)
      made[kind].push(String(await MAKERS[kind](place, place.payloads.nameAt(at), at)))
  for (let nth = 0; nth < KINDS.documents; nth += 1, at += 1) made.documents.push(await pushDocument(place, made, at))
  for (let nth = 0; nth < KINDS.documentSets; nth += 1, at += 1)
    made.documentSets.push(String(await makeDocumentSet(place, made, at)))
  for (let nth = 0; nth < KINDS.agents; nth += 1, at += 1) made.agents.push(String(await makeAgent(place, made, at)))
  return made
}

const emptyMade = (): Made => {
  const kinds = [...(Object.keys(KINDS) as Kind[]), 'chats' as const]
  return Object.fromEntries(kinds.map((it) => [it, [] as string[]])) as Made
}

async function makeTool({ setup, payloads, origin }: Place, name: string, at: number): Promise<unknown> {
  const text = payloads.textAt(at)
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' }, description: text }]
  const definition = {
    openapi: '3.0.0',
    info: { title: name, description: text },
    servers: [{ url: origin }],
    paths: { '/things/{id}': { get: { operationId: `getThing${at}`, summary: name, description: text, parameters } } },
  }
  const body = { name, description: text, definition, passthrough_auth: false }
  return (await setup.ok('POST', '/admin/tool/custom', { body })).id
}

async function makeMcpServer({ setup, payloads, mcpUrl }: Place, name: string, at: number): Promise<unknown> {
  const body = { name, server_url: mcpUrl, description: payloads.textAt(at) }
  const { id } = await setup.ok('POST', '/admin/mcp/server', { body })
  await setup.ok('GET', `/admin/mcp/server/${id}/tools/snapshots?source=mcp`)
  return id
}

async function pushDocument({ setup, payloads }: Place, { connectors }: Made, at: number): Promise<string> {
  const text = payloads.textAt(at)
  const name = payloads.nameAt(at)
  const document = {
    id: `thing ${name}`,
    ...{ semantic_identifier: name, title: name, source: at % 4 === 0 ? name.slice(0, 90) : 'web' },
    sections: [
      { heading: name, text: `a thing that is hostile: ${text}`, link: HOSTILE_LINKS[at % HOSTILE_LINKS.length] },
    ],
    metadata: { [name.slice(0, 80)]: [name, text.slice(0, 200)] },
    primary_owners: [{ display_name: name }],
  }
  const cc_pair_id = Number(connectors[at % connectors.length])
  await setup.ok('POST', '/service-api/ingestion', { body: { document, cc_pair_id } })
  return document.id
}

const makeDocumentSet = ({ setup, payloads }: Place, { connectors }: Made, at: number): Promise<unknown> => {
  const body = { name: payloads.nameAt(at), description: payloads.textAt(at), is_public: true }
  const cc_pair_ids = [Number(connectors[at % connectors.length])]
  return setup.ok('POST', '/manage/admin/document-set', { body: { ...body, cc_pair_ids } })
}

async function makeAgent({ setup, payloads }: Place, { tools, documentSets }: Made, at: number): Promise<unknown> {
  const name = payloads.nameAt(at)
  const body = {
    ...{ name, description: payloads.textAt(at), system_prompt: payloads.textAt(at + 1), task_prompt: name },
    ...{ datetime_aware: true, is_public: true, starter_messages: [{ name, message: name }] },
    document_set_ids: [Number(documentSets[at % documentSets.length])],
    tool_ids: [1, Number(tools[at % tools.length])],
  }
  return (await setup.ok('POST', '/persona', { body })).id
}

/** Questions, steps, tool answers and answers that are hostile. */
export async function chat({ setup, payloads }: Place, made: Made): Promise<void> {
  for (const [nth, agent] of made.agents.slice(0, 6).entries()) {
    const message = `A question about a thing: ${payloads.textAt(nth * 7)}`.slice(0, 3_000)
    const body = { message, stream: false, chat_session_info: { persona_id: Number(agent) } }
    const { chat_session_id } = await setup.ok('POST', '/chat/send-chat-message', { body })
    made.chats.push(chat_session_id)
  }
}

/** Searches of people, and settings of administrators. */
export async function rank({ setup, payloads }: Place, { documents }: Made): Promise<void> {
  const names = Array.from({ length: 6 }, (_, at) => payloads.nameAt(at * 3))
  for (const query of names) await setup.search(query)
  const pins = names.map((query) => ({ query, document_ids: documents.slice(0, 2) }))
  const synonyms = [names.slice(0, 2)]
  const boosts = [{ document_id: documents[0], factor: 2 }]
  await setup.ok('PATCH', '/admin/ranking', { body: { pins, boosts, synonyms } })
  for (const [at, query] of names.entries())
    await setup.ok('PUT', '/admin/relevance/judgements', { body: { query, document_id: documents[at], grade: at % 4 } })
  await setup.ok('PATCH', '/admin/settings', { body: { query_min_people: 1 } })
  await setup.ok('POST', '/admin/egress/approval', { body: { host: 'wiki.example.com', reason: names[0] } })
}
