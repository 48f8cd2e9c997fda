// docs/wire.md: an unknown field is refused if it resembles a known one, otherwise ignored and named.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from './request.ts'
import { connectorOf, documentOf, start } from './setup.ts'

const { server, ask, ok, makeConnector, makeKey } = await start()
const BATCH = '/service-api/ingestion/batch'
const INGESTION = '/service-api/ingestion'
const CONNECTOR = '/manage/admin/connector'

interface Detail {
  loc: (string | number)[]
  msg: string
  type: string
}

const tool = {
  name: 'Weather',
  passthrough_auth: false,
  definition: {
    openapi: '3.0.0',
    info: { title: 'Weather', description: 'Says the weather' },
    servers: [{ url: 'https://weather.example.com' }],
    paths: { '/now': { get: { operationId: 'now', summary: 'The weather now' } } },
  },
}
const warningsOf = ({ headers }: Reply) => headers['pharos-warnings']
const pushed = (document: Record<string, unknown>) => ({ document: documentOf('unknown', document) })

for (const [method, path, body, loc, meant] of [
  ['POST', '/search', { query: 'x', limit: 2 }, ['body', 'limit'], 'num_hits'],
  ['POST', '/search', { query: 'x', numHits: 2 }, ['body', 'numHits'], 'num_hits'],
  ['POST', '/search', { query: 'x', source_type: ['web'] }, ['body', 'source_type'], 'sources'],
  ['POST', '/search', { query: 'x', documentsets: [] }, ['body', 'documentsets'], 'document_sets'],
  ['POST', '/admin/api-key', { name: 'a', email: 'ada@example.com' }, ['body', 'email'], 'user_email'],
  ['POST', '/admin/api-key', { name: 'a', user: 'ada@example.com' }, ['body', 'user'], 'user_email or user_group_ids'],
  ['POST', '/admin/api-key', { name: 'a', groups: ['eng'] }, ['body', 'groups'], 'user_group_ids or group_ids'],
  ['POST', '/admin/api-key', { name: 'a', scope: ['search'] }, ['body', 'scope'], 'scopes'],
  ['POST', '/user/pats', { name: 'a', expires_in: 3 }, ['body', 'expires_in'], 'expiration_days'],
  ['POST', '/admin/webhook', { url: 'https://example.com', event: [] }, ['body', 'event'], 'events'],
  [
    'POST',
    CONNECTOR,
    connectorOf('Misspelled', { refresh_frequency: 60, refresh_freq: undefined }),
    ['body', 'refresh_frequency'],
    null,
  ],
  ['POST', '/admin/tool/custom', { ...tool, headers: [] }, ['body', 'headers'], 'custom_headers'],
  ['POST', INGESTION, pushed({ updated_at: 0 }), ['body', 'document', 'updated_at'], 'doc_updated_at'],
  ['POST', INGESTION, pushed({ doc_update_at: 0 }), ['body', 'document', 'doc_update_at'], 'doc_updated_at'],
  [
    'POST',
    INGESTION,
    pushed({ primary_owners: [{ emial: 'x@example.com' }] }),
    ['body', 'document', 'primary_owners', 0, 'emial'],
    'email',
  ],
  [
    'POST',
    INGESTION,
    pushed({ sections: [{ text: 'a' }, { text: 'b', links: 'x' }] }),
    ['body', 'document', 'sections', 1, 'links'],
    'link',
  ],
  [
    'POST',
    INGESTION,
    pushed({ external_access: { public: false } }),
    ['body', 'document', 'external_access', 'public'],
    'is_public',
  ],
  ['POST', `${INGESTION}?wait=indexed`, pushed({}), ['query', 'wait'], 'wait_for'],
  ['GET', '/service-api/receipts?page_size=5', undefined, ['query', 'page_size'], 'limit'],
] as const) {
  test(`${method} ${path} with ${loc.join('.')} is refused`, async () => {
    const reply = await ask(method, path, body === undefined ? {} : { body })
    const detail: Detail[] = reply.body.detail
    assert.equal(reply.status, 422, JSON.stringify(reply.body))
    const found = detail.find((it) => it.type === 'extra_forbidden')
    assert.deepEqual(found?.loc, loc)
    if (meant !== null) assert.equal(found?.msg, `Unknown field. Did you mean ${meant}?`)
    assert.equal(typeof reply.body.message, 'string')
  })
}

test('a misspelled required field is reported with the missing one', async () => {
  const { status, body } = await ask('POST', '/search', { body: { qeury: 'x' } })
  assert.equal(status, 422)
  assert.deepEqual(
    body.detail.map((it: Detail) => [it.loc.join('.'), it.type]),
    [
      ['body.query', 'missing'],
      ['body.qeury', 'extra_forbidden'],
    ],
  )
})

test('a body field in the query and a query parameter in the body are refused', async () => {
  const inQuery = await ask('POST', '/search?num_hits=2', { body: { query: 'x' } })
  assert.deepEqual(inQuery.body.detail, [
    { loc: ['query', 'num_hits'], msg: 'Send this field in the body, not in the query.', type: 'extra_forbidden' },
  ])
  const inBody = await ask('POST', INGESTION, { body: { ...pushed({}), wait_for: 'indexed' } })
  assert.deepEqual(inBody.body.detail, [
    { loc: ['body', 'wait_for'], msg: 'Send this field in the query, not in the body.', type: 'extra_forbidden' },
  ])
})

test('a rejected document is not stored', async () => {
  await ask('POST', INGESTION, { body: { document: documentOf('x', { id: 'refused-one', updated_at: 0 }) } })
  assert.equal((await ask('GET', `${INGESTION}/refused-one`)).status, 404)
})

test('an unknown field is ignored and named in a header', async () => {
  const reply = await ask('POST', INGESTION, { body: pushed({ colour: 'blue', sections: [{ text: 'a', weight: 3 }] }) })
  assert.equal(reply.status, 200)
  assert.equal(
    warningsOf(reply),
    '"body.document.sections.0.weight: unknown field, ignored", "body.document.colour: unknown field, ignored"',
  )
})

test('a response to a fully known request has no such header', async () => {
  assert.equal(warningsOf(await ask('POST', INGESTION, { body: pushed({}) })), undefined)
})

test('the header is bounded, one line, and ASCII', async () => {
  const colours = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`"\r\nSet-Cookie: ü${at}${'x'.repeat(900)}`, 1]),
  )
  const { status, headers } = await ask('POST', '/search', { body: { query: 'x', ...colours } })
  assert.equal(status, 200)
  const header = String(headers['pharos-warnings'])
  assert.match(header, /^[\x20-\x7e]+$/)
  assert.ok(header.length < 3_000, `${header.length} characters`)
  assert.ok(header.endsWith('"There are more warnings."'))
  assert.equal(headers['set-cookie'], undefined)
})

test('a request with more unknown fields than the limit is rejected', async () => {
  const names = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`zz${at}`, 1]))
  const { status, body } = await ask('POST', '/search', { body: { query: 'x', ...names } })
  assert.deepEqual([status, body.detail[0].type], [422, 'too_many_unknown'])
})

test('free-form objects accept any field', async () => {
  const metadata = { limit: '2', email: 'x', sectons: 'y', __proto__x: 'z' }
  const reply = await ask('POST', INGESTION, { body: pushed({ metadata }) })
  assert.deepEqual([reply.status, warningsOf(reply)], [200, undefined])
})

test('fields of the existing server are never rejected', async () => {
  const known = { doc_created_at: null, additional_info: 'x', file_id: null, parent_hierarchy_raw_node_id: null }
  const sections = [{ type: 'text', text: 'a', heading: null }]
  const document = documentOf('known', { ...known, sections, doc_metadata: {}, parent_hierarchy_node_id: 3 })
  await ok('POST', INGESTION, { body: { document } })
  const search = { skip_query_expansion: true, message_history: null, provider: null, model: null }
  await ok('POST', '/search', { body: { query: 'x', ...search } })
  await ok('POST', '/admin/api-key', { body: { name: 'by group', group_ids: [] } })
  const id = await makeConnector('Known association')
  const association = {
    name: 'x',
    access_type: 'public',
    groups: [],
    auto_sync_options: null,
    processing_mode: 'REGULAR',
  }
  await ok('PUT', `${CONNECTOR}/${id}/credential/0`, { body: association })
})

test('chats ignore unknown fields', async () => {
  const reply = await ask('POST', '/chat/create-chat-session', { body: { persona: 0, descripton: 'x' } })
  assert.equal(reply.status, 200)
  assert.match(`${warningsOf(reply)}`, /body\.descripton/)
})

test('rights are checked before fields', async () => {
  const key = await makeKey({ role: 'basic' })
  assert.equal((await ask('POST', '/admin/api-key', { key, body: { email: 'x' } })).status, 403)
})

test('a batch line is rejected alone and reports ignored fields', async () => {
  const lines = [
    { document: documentOf('x', { id: 'line-1' }) },
    { document: documentOf('x', { id: 'line-2', updated_at: 0 }) },
    { document: documentOf('x', { id: 'line-3', colour: 'blue' }) },
  ]
  const answer = await fetch(`${server.url}${BATCH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((it) => `${JSON.stringify(it)}\n`).join(''),
  })
  const answers = (await answer.text())
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))
  assert.deepEqual(answers[0], { line: 1, document_id: 'line-1', already_existed: false, status: 'accepted' })
  assert.deepEqual(answers[1].error.detail, [
    {
      loc: ['body', 'document', 'updated_at'],
      msg: 'Unknown field. Did you mean doc_updated_at?',
      type: 'extra_forbidden',
    },
  ])
  assert.deepEqual(answers[2].ignored_fields, ['body.document.colour'])
  assert.equal(answers[3].accepted, 2)
})
