// Pharos as an MCP server, called by the official client over HTTP.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push, makeKey, makePair } = await start()
const closed = { is_public: false, external_user_emails: ['owner@example.com'], external_user_group_ids: [] }
const ERAS = ['legacy', 'auto'] as const

let owner = ''
let outsider = ''
before(async () => {
  owner = await makeKey({ role: 'basic', user_email: 'owner@example.com' })
  outsider = await makeKey({ role: 'basic', user_email: 'outsider@example.com' })
  await push(
    documentOf('Ferries leave the harbour at noon.', {
      id: 'ferry',
      semantic_identifier: 'Ferry times',
      metadata: { team: 'port' },
      doc_updated_at: '2026-03-01T00:00:00Z',
      sections: [
        { text: 'Ferries leave the harbour at noon.', link: 'https://example.com/ferry', heading: 'Departures' },
        { text: 'They come back 🛳 at night.' },
      ],
    }),
  )
  await push(documentOf('Ferries are old.', { id: 'old', doc_updated_at: '2020-01-01T00:00:00Z' }))
  for (let at = 0; at < 5; at++) {
    const more = { id: `hidden-${at}`, semantic_identifier: `Vault canaryquokka`, source: 'vault' }
    await push(documentOf(`Ferries and canaryquokka${at}.`, { ...more, external_access: closed }))
  }
})

interface Found {
  results: { id: string; title: string; url: string; text: string }[]
  total: number
}

/** Runs the work with a client that is connected with that key. */
async function connected<T>(
  work: (client: Client) => Promise<T>,
  { key = server.key, era = 'auto' }: { key?: string; era?: (typeof ERAS)[number] } = {},
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const call = (name: string, args: Record<string, unknown>, who: Parameters<typeof connected>[1] = {}) =>
  connected((client) => client.callTool({ name, arguments: args }), who)
const searched = async (args: Record<string, unknown>, key?: string): Promise<Found> => {
  const { structuredContent, isError, content } = await call('search', args, key === undefined ? {} : { key })
  assert.ok(!isError, JSON.stringify(content))
  return structuredContent as unknown as Found
}
const textOf = ({ content }: { content: unknown[] }) => (content[0] as { text: string }).text

for (const era of ERAS) {
  test(`${era}: the client gets the server info and the tools`, () =>
    connected(
      async (client) => {
        assert.equal(client.getServerVersion()?.name, 'pharos')
        assert.match(client.getInstructions() ?? '', /search/)
        const { tools } = await client.listTools()
        assert.deepEqual(
          tools.map((it) => [it.name, it.annotations?.readOnlyHint]),
          [
            ['search', true],
            ['fetch', true],
            ['ask', true],
          ],
        )
        assert.equal(tools[0]!.inputSchema.type, 'object')
      },
      { era },
    ))

  test(`${era}: search finds a document, and fetch reads it`, async () => {
    const answer = await call('search', { query: 'harbour departures' }, { era })
    const { results } = answer.structuredContent as unknown as Found
    assert.deepEqual(
      { ...results[0], text: undefined },
      {
        id: 'ferry',
        title: 'Ferry times',
        url: 'https://example.com/ferry',
        text: undefined,
        source: 'web',
        updated_at: '2026-03-01T00:00:00.000Z',
        metadata: { team: 'port' },
      },
    )
    assert.match(results[0]!.text, /at noon/)
    assert.deepEqual(
      JSON.parse(textOf(answer)),
      answer.structuredContent,
      'the text content equals the structured content',
    )
    const relaxed = await call('search', { query: '"departures harbour"' }, { era })
    assert.deepEqual((relaxed.structuredContent as unknown as { relaxed: string[] }).relaxed, ['departures harbour'])
    const nothing = await call('search', { query: 'zeppelin' }, { era })
    const { no_match, closest } = nothing.structuredContent as unknown as { no_match: boolean; closest: unknown[] }
    assert.deepEqual([no_match, closest], [true, []])
    const fetched = await call('fetch', { id: results[0]!.id }, { era })
    assert.deepEqual(fetched.structuredContent, {
      id: 'ferry',
      title: 'Ferry times',
      url: 'https://example.com/ferry',
      text: 'Departures\nFerries leave the harbour at noon.\n\nThey come back 🛳 at night.',
      metadata: { team: 'port' },
      source: 'web',
      updated_at: '2026-03-01T00:00:00.000Z',
      total_characters: 74,
      next_offset: null,
    })
  })

  test(`${era}: ask answers with citations of documents that the caller may read`, async () => {
    const steps: number[] = []
    const asked = await connected(
      (client) =>
        client.callTool(
          { name: 'ask', arguments: { question: 'When do ferries leave the harbour?' } },
          { onprogress: ({ progress }) => void steps.push(progress) },
        ),
      { era, key: outsider },
    )
    const { answer, is_extractive, citations } = asked.structuredContent as {
      answer: string
      is_extractive: boolean
      citations: { id: string; title: string; url: string; quote: string }[]
    }
    assert.ok(!asked.isError, textOf(asked))
    assert.deepEqual([is_extractive, steps[0]], [true, 1])
    assert.match(answer, /noon/)
    const cited = citations.find((it) => it.id === 'ferry')
    assert.deepEqual([cited?.title, cited?.url], ['Ferry times', 'https://example.com/ferry'])
    assert.doesNotMatch(JSON.stringify(asked), /canaryquokka|hidden-/)
  })

  test(`${era}: sources are resources, with counts for the caller`, async () => {
    const list = (key: string) => connected((client) => client.listResources(), { key, era })
    const uris = async (key: string) => (await list(key)).resources.map((it) => it.uri).sort()
    assert.deepEqual(await uris(owner), ['pharos://source/vault', 'pharos://source/web'])
    assert.deepEqual(await uris(outsider), ['pharos://source/web'])
    const read = await connected((client) => client.readResource({ uri: 'pharos://source/web' }), { era })
    const [content] = read.contents as { text: string; uri: string }[]
    const { documents, newest } = JSON.parse(content!.text)
    assert.deepEqual([documents, newest.map((it: { id: string }) => it.id)], [2, ['ferry', 'old']])
  })
}

test('search with a persona is restricted to its document sets, and an unknown persona is an error', async () => {
  const pair = await makePair('Ferry office')
  await push(documentOf('A tramway needs tickets.', { id: 'tickets', source: 'tram' }), { cc_pair_id: pair })
  await push(documentOf('A tramway needs rails.', { id: 'rails', source: 'tram' }))
  const set = { name: 'Ferry office', description: '', cc_pair_ids: [pair], is_public: true }
  const persona = {
    ...{ name: 'Clerk', description: '', system_prompt: '', task_prompt: '', datetime_aware: true, tool_ids: [] },
    document_set_ids: [await ok('POST', '/manage/admin/document-set', { body: set })],
  }
  const { id: persona_id } = await ok('POST', '/persona', { body: persona })
  const { results } = await searched({ query: 'tramway', persona_id })
  assert.deepEqual(
    results.map((it) => it.id),
    ['tickets'],
  )
  const refused = await call('search', { query: 'tramway', persona_id: 999_999 })
  assert.deepEqual([refused.isError, textOf(refused)], [true, 'Persona with id 999999 does not exist.'])
})

test('sources, time, tags, sets and a limit narrow a search', async () => {
  const ids = async (args: object) => (await searched({ query: 'ferries', ...args })).results.map((it) => it.id).sort()
  assert.deepEqual(await ids({ sources: ['web'] }), ['ferry', 'old'])
  assert.deepEqual(await ids({ sources: ['web'], updated_after: '2025-01-01' }), ['ferry'])
  assert.deepEqual(await ids({ tags: [{ tag_key: 'team', tag_value: 'port' }] }), ['ferry'])
  assert.deepEqual(await ids({ document_sets: ['no such set'] }), [])
  assert.equal((await ids({ num: 1 })).length, 1)
})

test('a long document is read in pieces that split no character', async () => {
  let text = ''
  for (let offset: number | null = 0; offset !== null; ) {
    const { structuredContent } = await call('fetch', { id: 'ferry', offset, max_characters: 59 })
    const piece = structuredContent as { text: string; next_offset: number | null }
    text += piece.text
    offset = piece.next_offset
  }
  assert.equal(text, 'Departures\nFerries leave the harbour at noon.\n\nThey come back 🛳 at night.')
  let steps = 0
  for (let offset: number | null = 0; offset !== null; steps++) {
    const { structuredContent } = await call('fetch', { id: 'ferry', offset, max_characters: 1 })
    const { next_offset } = structuredContent as { next_offset: number | null }
    assert.ok(next_offset === null || next_offset > offset)
    offset = next_offset
  }
  assert.equal(steps, 73, 'the ship is one character')
})

test('documents that the caller may not read do not exist for them', async () => {
  assert.equal((await searched({ query: 'canaryquokka1', num: 50 }, owner)).results[0]?.id, 'hidden-1')
  const found = await searched({ query: 'ferries', num: 50 }, outsider)
  assert.deepEqual([found.results.map((it) => it.id).sort(), found.total], [['ferry', 'old'], 2])
  const closedOne = await call('fetch', { id: 'hidden-1' }, { key: outsider })
  const noOne = await call('fetch', { id: 'hidden-never' }, { key: outsider })
  assert.deepEqual([closedOne.isError, textOf(closedOne)], [true, textOf(noOne)])
  for (const uri of ['pharos://source/vault', 'pharos://document/hidden-1', 'pharos://document-set/77']) {
    await assert.rejects(
      connected((client) => client.readResource({ uri }), { key: outsider }),
      (error: Error) => !/canary/.test(error.message),
      uri,
    )
  }
  const { contents } = await connected((client) => client.readResource({ uri: 'pharos://document/hidden-1' }), {
    key: owner,
  })
  assert.match((contents[0] as { text: string }).text, /canaryquokka1/)
})

test('a document set is a resource for users with access, and counts what they may read', async () => {
  const pair = await makePair('Port', { access_type: 'public' })
  await push(documentOf('Quays', { id: 'quay' }), { cc_pair_id: pair })
  await push(documentOf('Quays', { id: 'closed quay', external_access: closed }), { cc_pair_id: pair })
  const set = { description: 'About the port', cc_pair_ids: [pair] }
  const id = await ok('POST', '/manage/admin/document-set', { body: { ...set, name: 'Port', is_public: true } })
  const body = { ...set, name: 'Board', is_public: false, groups: ['board'] }
  const closedId = await ok('POST', '/manage/admin/document-set', { body })
  const read = async (uri: string, key: string) => {
    const { contents } = await connected((client) => client.readResource({ uri }), { key })
    return JSON.parse((contents[0] as { text: string }).text)
  }
  assert.deepEqual((await read(`pharos://document-set/${id}`, outsider)).documents, 1)
  assert.deepEqual((await read(`pharos://document-set/${id}`, owner)).documents, 2)
  const { resources } = await connected((client) => client.listResources(), { key: outsider })
  assert.ok(resources.some((it) => it.name === 'Port' && it.description === 'About the port'))
  assert.ok(!resources.some((it) => it.name === 'Board'))
  await assert.rejects(read(`pharos://document-set/${closedId}`, outsider))
})

test('a key without the right to search sees no search tool, and a key without rights is rejected', async () => {
  const pats = await ok('POST', '/user/pats', { key: outsider, body: { name: 'Chat', scopes: ['write:chat'] } })
  const names = await connected(async (client) => (await client.listTools()).tools.map((it) => it.name), {
    key: pats.token,
  })
  assert.deepEqual(names, ['ask'])
  const refused = await call('search', { query: 'x' }, { key: pats.token }).catch((error: Error) => error)
  assert.ok(refused instanceof Error && /not found/.test(refused.message))
  const ingest = await makeKey({ role: 'limited', scopes: ['ingest'] })
  await assert.rejects(call('search', { query: 'x' }, { key: ingest }), /403|permission|right/i)
})

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const initialize = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
})
const accept = { accept: 'application/json, text/event-stream' }
const raw = (body: unknown, headers: Record<string, string> = {}, key?: string | null): Promise<Reply> =>
  ask('POST', '/mcp', {
    bytes: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...accept, ...headers },
    ...(key !== undefined && { key }),
  })

test('without a key the response is 401 with WWW-Authenticate', async () => {
  const { status, headers } = await raw(initialize, {}, null)
  assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer'])
})

test('a known protocol revision is accepted, and the newest is offered otherwise', async () => {
  for (const [asked, answered] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['1999-01-01', '2025-11-25'],
  ]) {
    const { status, text } = await raw({ ...initialize, params: { ...initialize.params, protocolVersion: asked } })
    assert.equal(status, 200)
    assert.ok(text.includes(`"protocolVersion":"${answered}"`), text)
  }
  const { status, body } = await raw(message('tools/list'), { 'mcp-protocol-version': '1999-01-01' })
  assert.equal(status, 400)
  assert.match(body.error.message, /1999-01-01/)
})

test('a page of another origin is rejected, one of this origin is not', async () => {
  const { status, body } = await raw(initialize, { origin: 'https://evil.example' })
  assert.deepEqual([status, body.error_code], [403, 'ORIGIN_REFUSED'])
  assert.equal((await raw(initialize, { origin: 'null' })).status, 403)
  assert.equal((await raw(initialize, { origin: server.url })).status, 200)
})

for (const method of ['GET', 'DELETE']) {
  test(`${method} is 405, because there are no sessions`, async () => {
    const { status, headers } = await ask(method, '/mcp', { headers: accept })
    assert.deepEqual([status, headers.allow], [405, 'POST'])
  })
}

for (const [what, body, status, code] of [
  ['invalid JSON', '{"jsonrpc":', 400, -32700],
  ['nothing', '', 400, -32700],
  ['a batch', [message('tools/list'), message('tools/list')], 400, -32600],
  ['an object that is not a message', { hello: 1 }, 400, -32600],
] as const) {
  test(`${what} is an error of the protocol`, async () => {
    const answer = await raw(body)
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text)
  })
}

test('unknown methods and unknown tools are protocol errors', async () => {
  assert.match((await raw(message('no/such'))).text, /-32601/)
  assert.match((await raw(message('tools/call', { name: 'constructor', arguments: {} }))).text, /-32602/)
})

test('invalid arguments are reported with the name of the field', async () => {
  const answer = await call('search', { query: '', num: 1_000 })
  assert.equal(answer.isError, true)
  assert.match(textOf(answer), /query/)
  assert.match(textOf(answer), /num/)
})

test('a message of more than a mebibyte is refused', async () => {
  const { status } = await raw(message('tools/call', { name: 'search', arguments: { query: 'x'.repeat(1 << 20) } }))
  assert.equal(status, 413)
})

test('the description covers messages, event streams and protocol errors', async () => {
  const { paths, components } = await ok('GET', '/openapi.json', { key: null })
  const { requestBody, responses } = paths['/mcp'].post
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/MCPMessage' } } }
  assert.deepEqual(requestBody, { required: true, content })
  assert.deepEqual(components.schemas.MCPMessage.required, ['jsonrpc', 'method'])
  const reply = { schema: { $ref: '#/components/schemas/MCPReply' } }
  const event = { schema: { $ref: '#/components/schemas/MCPEvent' } }
  assert.deepEqual(responses[200].content, { 'application/json': reply, 'text/event-stream': event })
  assert.deepEqual(components.schemas.MCPEvent.required, ['data'])
  assert.deepEqual([responses[202].content, '422' in responses], [undefined, false])
  for (const [body, headers, status] of [
    ['{', {}, 400],
    [initialize, { accept: 'application/json' }, 406],
    [initialize, { 'content-type': 'text/plain' }, 415],
  ] as const) {
    assert.equal((await raw(body, headers)).status, status)
    assert.deepEqual(responses[status].content, { 'application/json': reply })
  }
})

test('a notification is accepted without a response body', async () => {
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...accept, authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  })
  assert.deepEqual([answer.status, await answer.text()], [202, ''])
})

test('the same responses are available under /api', async () => {
  assert.equal((await ask('POST', '/api/mcp', { bytes: JSON.stringify(initialize), headers: accept })).status, 200)
})
