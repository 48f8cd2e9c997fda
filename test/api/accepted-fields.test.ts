// Accepted fields take effect; fields that would have none are rejected by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from './request.ts'
import { connectorOf, documentOf, start } from './setup.ts'

const { ask, ok, push, listed, makeConnector, makePair } = await start()
const CONNECTOR = '/manage/admin/connector'
const INGESTION = '/service-api/ingestion'
const LISTING = '/manage/admin/connector/indexing-status'

type Json = Record<string, unknown>
const places = ({ body }: Reply) => (body.detail as { loc: unknown[] }[]).map((it) => it.loc.join('.'))
const warningsOf = ({ headers }: Reply) => String(headers['pharos-warnings'])

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
const persona = {
  name: 'P',
  description: 'x',
  document_set_ids: [],
  tool_ids: [],
  system_prompt: '',
  task_prompt: '',
  datetime_aware: true,
}
const provider = {
  authorization_url: 'https://id.example.com/a',
  token_url: 'https://id.example.com/t',
  client_id: 'a',
  client_secret: 'b',
}
const NAMED: [method: string, path: string, body: Json][] = [
  ['POST', CONNECTOR, connectorOf('x')],
  ['PUT', `${CONNECTOR}/1/credential/0`, {}],
  ['POST', '/manage/credential', { source: 'jira', admin_public: true, credential_json: {} }],
  ['POST', '/admin/tool/custom', tool],
  ['POST', '/persona', persona],
  ['POST', '/admin/api-key', {}],
  ['POST', '/user/pats', {}],
  ['POST', '/manage/admin/document-set', { description: '', cc_pair_ids: [], is_public: true }],
  ['POST', '/admin/mcp/server', { server_url: 'https://mcp.example.com' }],
  ['POST', '/admin/oauth-config/create', provider],
]
for (const [method, path, body] of NAMED) {
  for (const name of ['', ' \t\n', 'x'.repeat(1_001)]) {
    test(`${method} ${path} rejects a name of ${name.length} characters ${JSON.stringify(name.slice(0, 3))}`, async () => {
      const reply = await ask(method, path, { body: { ...body, name } })
      assert.deepEqual([reply.status, ...places(reply)], [422, 'body.name'])
    })
  }
}

for (const email of [
  'nobody',
  '@example.com',
  'ada@',
  'ada @example.com',
  'a@b\n',
  '@',
  `${'a'.repeat(320)}@example.com`,
]) {
  test(`an owner with the e-mail address ${JSON.stringify(email.slice(0, 20))} is rejected`, async () => {
    const document = documentOf('x', { primary_owners: [{ email }] })
    const reply = await ask('POST', INGESTION, { body: { document } })
    assert.deepEqual([reply.status, ...places(reply)], [422, 'body.document.primary_owners.0.email'])
  })
}

for (const email of ['ada@example.com', 'ada@localhost', '"a.b"@example.com', 'ü@bücher.example', '', null]) {
  test(`an owner with the e-mail address ${JSON.stringify(email)} is accepted`, async () => {
    await ok('POST', INGESTION, { body: { document: documentOf('x', { secondary_owners: [{ email }] }) } })
  })
}

for (const [source, connector_specific_config, loc] of [
  ['web', {}, 'base_url'],
  ['web', { baseurl: 'https://example.com' }, 'base_url'],
  ['github', { repositories: 'x' }, 'repo_owner'],
  ['ticket_tracker', { project_key: null }, 'tracker_base_url'],
] as const) {
  test(`a ${source} connector with ${JSON.stringify(connector_specific_config)} is rejected at creation`, async () => {
    const body = connectorOf(`Without ${loc}`, { source, connector_specific_config })
    const reply = await ask('POST', CONNECTOR, { body })
    assert.equal(reply.status, 422)
    assert.ok(places(reply).includes(`body.connector_specific_config.${loc}`), JSON.stringify(reply.body))
  })
}

test('a misspelled config field is rejected, and other unknown fields are ignored and reported', async () => {
  const base_url = 'https://example.com'
  const typo = await ask('POST', CONNECTOR, {
    body: connectorOf('Typo', { source: 'web', connector_specific_config: { base_url, max_page: 3 } }),
  })
  assert.deepEqual(typo.body.detail, [
    {
      loc: ['body', 'connector_specific_config', 'max_page'],
      msg: 'Unknown field. Did you mean max_pages?',
      type: 'extra_forbidden',
    },
  ])
  const other = await ask('POST', CONNECTOR, {
    body: connectorOf('Other', { source: 'web', connector_specific_config: { base_url, colour: 'blue' } }),
  })
  assert.deepEqual(
    [other.status, warningsOf(other)],
    [200, '"body.connector_specific_config.colour: unknown field, ignored"'],
  )
})

test('the config of a source without a connector is free-form', async () => {
  const connector_specific_config = { channels: ['general'], max_page: 3 }
  await ok('POST', CONNECTOR, { body: connectorOf('Free', { source: 'slack', connector_specific_config }) })
})

test('a source without a connector gets a warning at creation, at association and in the listing', async () => {
  const made = await ask('POST', CONNECTOR, { body: connectorOf('Chat', { source: 'slack' }) })
  const warning =
    'No connector reads "slack". This connector only accepts documents that are pushed with its cc_pair_id.'
  assert.deepEqual(made.body.warnings, [warning])
  assert.equal(warningsOf(made), `"${warning.replaceAll('"', "'")}"`)
  const associated = await ask('PUT', `${CONNECTOR}/${made.body.id}/credential/0`)
  assert.equal(associated.body.success, true)
  assert.ok(associated.body.message.endsWith(warning), associated.body.message)
  assert.equal(warningsOf(associated), `"${warning.replaceAll('"', "'")}"`)
  const item = (await listed()).find((it) => it.cc_pair_id === associated.body.data)
  assert.match(item.status_reason, /^Nothing here pulls from "slack"/)
})

test('a source with a connector has no warning', async () => {
  const connector_specific_config = { file_locations: [] }
  const made = await ask('POST', CONNECTOR, {
    body: connectorOf('Files', { source: 'file', connector_specific_config }),
  })
  assert.deepEqual([Object.keys(made.body), made.headers['pharos-warnings']], [['id', 'credential'], undefined])
})

for (const source of ['intranet', 'ingestion_api', 'file']) {
  test(`a ${source} connector rejects a credential of another source`, async () => {
    const credential = { source: 'jira', admin_public: true, credential_json: { jira_api_token: 'x' } }
    const { id: credential_id } = await ok('POST', '/manage/credential', { body: credential })
    const config = source === 'file' ? { connector_specific_config: { file_locations: [] } } : {}
    const id = await makeConnector(`Foreign ${source}`, { source, ...config })
    const reply = await ask('PUT', `${CONNECTOR}/${id}/credential/${credential_id}`)
    assert.deepEqual(
      [reply.status, reply.body.detail],
      [400, `Credential ${credential_id} is for "jira", but connector ${id} needs one for "${source}".`],
    )
  })
}

test('sources of connectors without a pair are not listed', async () => {
  await makeConnector('Loose', { source: 'loose-source' })
  await makePair('Tied', {}, { source: 'tied-source' })
  const { sources } = await ok('GET', '/manage/indexed-sources')
  assert.deepEqual([sources.includes('loose-source'), sources.includes('tied-source')], [false, true])
  const { facets } = await ok('POST', '/search', { body: { query: 'x', facets: true } })
  assert.ok(!JSON.stringify(facets).includes('loose-source'))
})

test('a document pushed to pair 1 makes it appear in the listing, and the pair remains built-in', async () => {
  const isListed = async () =>
    (await ok('POST', LISTING, { body: { get_all_connectors: true } }))
      .flatMap((it: { indexing_statuses: { cc_pair_id: number }[] }) => it.indexing_statuses)
      .find((it: { cc_pair_id: number }) => it.cc_pair_id === 1)
  await push(documentOf('pushed without a pair'))
  await ask('POST', INGESTION, { body: { document: documentOf('x', { sections: 3 }), cc_pair_id: 1 } })
  assert.equal(await isListed(), undefined)
  await push(documentOf('pushed with the pair', { id: 'named' }), { cc_pair_id: 1 })
  const item = await isListed()
  assert.deepEqual([item.source, item.is_editable], ['ingestion_api', false])
  assert.ok(item.docs_indexed >= 1)
  for (const [method, path, body] of [
    ['POST', '/manage/admin/deletion-attempt', { connector_id: 0, credential_id: 0 }],
    ['PUT', '/manage/admin/cc-pair/1/status', { status: 'PAUSED' }],
  ] as const) {
    assert.equal((await ask(method, path, { body })).body.error_code, 'CONNECTOR_BUILT_IN')
  }
})

for (const llm_override of [
  { model_provider: 'nope' },
  { model_version: 'nope' },
  { model_configuration_id: 999_999 },
  { model_provider: 'nope', model_version: 'x'.repeat(1_000) },
]) {
  test(`an llm_override of ${JSON.stringify(llm_override).slice(0, 60)} is 404 and the error names it`, async () => {
    for (const stream of [true, false]) {
      const body = { message: 'Hello?', llm_override, stream }
      const { status, body: answer } = await ask('POST', '/chat/send-chat-message', { body })
      assert.deepEqual([status, answer.error_code], [404, 'NOT_FOUND'])
      assert.ok(answer.detail.includes(String(Object.values(llm_override)[0])), answer.detail)
      assert.ok(answer.detail.length < 500)
    }
  })
}

test('an llm_override without a model is ignored', async () => {
  const llm_override = { temperature: 0.5, model_provider: null, model_version: '' }
  await ok('POST', '/chat/send-chat-message', { body: { message: 'Hello?', llm_override, stream: false } })
})

test('an llm_override with a known model is used', async () => {
  const body = {
    name: 'house',
    provider: 'openai_compatible',
    api_base: 'https://models.example.com/v1',
    model_configurations: [{ name: 'small' }],
  }
  const made = await ask('PUT', '/admin/llm/provider?is_creation=true', { body })
  assert.equal(made.status, 200)
  const llm_override = { model_provider: 'house', model_version: 'small' }
  await ok('POST', '/chat/send-chat-message', { body: { message: 'Hello?', llm_override, stream: false } })
  const unknown = { model_provider: 'house', model_version: 'large' }
  const refused = await ask('POST', '/chat/send-chat-message', { body: { message: 'Hello?', llm_override: unknown } })
  assert.match(refused.body.detail, /model "house large" of llm_override does not exist/)
})
