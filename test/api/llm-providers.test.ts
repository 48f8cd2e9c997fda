// Language model providers, from the view of administrators and of users.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fails, lists, says, startModelServer } from '../model/model-server.ts'
import { start } from './setup.ts'

const environment = await startModelServer([says('Yes.')])
const { server, ask, ok, makeKey, alterRecord } = await start({
  ...environment.env('house-model'),
  LLM_KEY: 'the-key-of-the-operator',
  EGRESS_ALLOW: '127.0.0.1',
})
const PROVIDER = '/admin/llm/provider'
const KEY = 'sk-0123456789-abcdefghij'
const MASKED = 'sk-0...ghij'
// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests are about to find out.
type Json = any

let made = 0
const providerOf = (more: Json = {}): Json => ({
  name: `Provider ${++made}`,
  provider: 'openai_compatible',
  api_base: 'https://models.example.com/v1',
  api_key: KEY,
  model_configurations: [{ name: 'small', is_visible: true }],
  ...more,
})
const create = (more: Json = {}): Promise<Json> => ok('PUT', `${PROVIDER}?is_creation=true`, { body: providerOf(more) })
const update = (body: Json) => ok('PUT', `${PROVIDER}?is_creation=false`, { body })
const listed = async (id: number): Promise<Json> =>
  (await ok('GET', PROVIDER)).providers.find((it: Json) => it.id === id)

test('a provider is returned with its key masked, and the mask keeps the key', async () => {
  const provider = await create({ name: 'First', groups: [7, 'board'], custom_config: { region: 'eu-central-1-a' } })
  const { id, model_configurations: models, version } = provider
  assert.deepEqual(provider, {
    id,
    name: 'First',
    provider: 'openai_compatible',
    api_key: MASKED,
    api_base: 'https://models.example.com/v1',
    api_version: null,
    deployment_name: null,
    custom_config: { region: 'eu-c...-1-a' },
    custom_headers: [],
    is_public: true,
    is_auto_mode: false,
    groups: [7, 'board'],
    personas: [],
    model_configurations: [
      {
        id: models[0].id,
        name: 'small',
        display_name: 'small',
        is_visible: true,
        max_input_tokens: 8192,
        configured_max_input_tokens: null,
        supports_image_input: false,
        supports_tools: true,
      },
    ],
    fallback_order: null,
    first_token_timeout_ms: 60_000,
    idle_timeout_ms: 30_000,
    is_read_only: false,
    needs_secrets: false,
    version,
  })
  assert.deepEqual(await listed(id), provider)
})

test('a provider that was read can be written back without loss', async () => {
  const modelServer = await startModelServer()
  const provider = await create({
    api_base: modelServer.url,
    custom_headers: [{ key: 'X-Team', value: 'search-and-find' }],
  })
  const { version: _, ...facts } = provider
  for (const body of [provider, { ...provider, api_key: null, custom_config: null }]) {
    const { version, ...updated } = await update(body)
    assert.notEqual(version, provider.version)
    assert.deepEqual(updated, facts)
  }
  await ok('POST', '/admin/llm/test', { body: { ...provider, model: 'small' } })
  const { headers } = modelServer.requests[0]!
  assert.deepEqual([headers.authorization, headers['x-team']], [`Bearer ${KEY}`, 'search-and-find'])
})

test('a key that is marked as changed but not sent is deleted', async () => {
  const provider = await create()
  assert.equal((await update({ ...provider, api_key: null, api_key_changed: true })).api_key, null)
})

test('the mask of another key is rejected', async () => {
  const { id, name } = await create({ api_key: null })
  const body = providerOf({ id, name, api_key: '•'.repeat(12) })
  const { status, body: answer } = await ask('PUT', PROVIDER, { body })
  assert.deepEqual([status, answer.error_code], [400, 'INVALID_INPUT'])
})

test('a stored key is not sent to another server: changing the address requires the key', async () => {
  const provider = await create()
  const moved = { ...provider, api_base: 'https://elsewhere.example.com/v1' }
  const refused = await ask('PUT', PROVIDER, { body: moved })
  assert.deepEqual([refused.status, refused.body.error_code], [400, 'VALIDATION_ERROR'])
  assert.match(refused.body.detail, /^`api_base` points to another server: send api_key/)
  const tested = await ask('POST', '/admin/llm/test', { body: { ...moved, model: 'small', api_key: null } })
  assert.deepEqual([tested.status, tested.body.detail], [400, refused.body.detail])
  assert.equal((await update({ ...moved, api_key: 'sk-another-key-of-mine' })).api_base, moved.api_base)
  assert.equal((await update({ ...provider, api_key: null, api_key_changed: true })).api_key, null)
})

test('models with unchanged names keep their ids', async () => {
  const { model_configurations, ...provider } = await create({
    model_configurations: [{ name: 'small' }, { name: 'large', max_input_tokens: 200_000, display_name: 'Large' }],
  })
  const [small, large] = model_configurations
  const changed = await update({ ...provider, model_configurations: [{ name: 'new' }, { name: 'large' }] })
  const [first, second] = changed.model_configurations
  assert.deepEqual([first.id, first.name, first.max_input_tokens], [large.id, 'large', 8192])
  assert.ok(second.id > large.id && small.id < large.id)
  const kept = await update({ ...provider, model_configurations: null })
  assert.deepEqual(kept.model_configurations, changed.model_configurations)
})

test('an existing id cannot be created, and an unknown id cannot be updated', async () => {
  const { id, name } = await create()
  for (const body of [providerOf({ id }), providerOf({ id: 0 }), providerOf({ name: 'environment' })]) {
    const { status, body: answer } = await ask('PUT', `${PROVIDER}?is_creation=true`, { body })
    assert.deepEqual([status, answer.error_code], [409, 'DUPLICATE_RESOURCE'], JSON.stringify(answer))
  }
  for (const body of [providerOf({ id: 999_999 }), providerOf()]) {
    const { status, body: answer } = await ask('PUT', PROVIDER, { body })
    assert.deepEqual([status, answer.error_code], [404, 'NOT_FOUND'])
    assert.match(answer.detail, /^Not Found: LLM provider .* does not exist\.$/)
  }
  assert.equal((await update(providerOf({ name, provider: 'vllm' }))).id, id)
})

test('two providers can have the same name and are distinguished by their ids', async () => {
  const first = await create({ name: 'Twins' })
  const second = await create({
    name: 'Twins',
    api_base: 'https://elsewhere.example.com/v1',
    api_key: 'sk-of-the-second-one',
  })
  assert.notEqual(second.id, first.id)
  assert.deepEqual([await listed(first.id), await listed(second.id)], [first, second])
  const unclear = await ask('PUT', PROVIDER, { body: providerOf({ name: 'Twins' }) })
  assert.deepEqual([unclear.status, unclear.body.error_code], [400, 'VALIDATION_ERROR'])
  assert.match(unclear.body.detail, new RegExp(`Send the \`id\` of one of them \\(${first.id}, ${second.id}\\)`))
  assert.equal((await update({ ...second, name: 'Third' })).id, second.id)
  assert.equal((await update(providerOf({ name: 'Twins', is_public: false }))).id, first.id)
})

test('the name of the environment provider cannot be reused', async () => {
  const one = await create()
  const { status } = await ask('PUT', PROVIDER, { body: { ...one, name: 'environment' } })
  assert.equal(status, 409)
})

test('the last of several models with the same name is used, and the response warns about it', async () => {
  const models = [{ name: 'a', max_input_tokens: 1_000 }, { name: 'b' }, { name: 'a', max_input_tokens: 2_000 }]
  const { status, body, headers } = await ask('PUT', `${PROVIDER}?is_creation=true`, {
    body: providerOf({ model_configurations: models }),
  })
  assert.equal(status, 200)
  assert.deepEqual(
    body.model_configurations.map((it: Json) => [it.name, it.max_input_tokens, it.configured_max_input_tokens]),
    [
      ['a', 2_000, 2_000],
      ['b', 8_192, null],
    ],
  )
  assert.match(String(headers['pharos-warnings']), /model_configurations: a: duplicate names, the last one is used/)
})

test('a context size that equals the default is not stored, so that it follows the default', async () => {
  const sent = { name: 'gpt-4o-mini', max_input_tokens: 128_000 }
  const made = await create({
    provider: 'openai',
    model_configurations: [sent, { name: 'x', max_input_tokens: 4_096 }],
  })
  assert.deepEqual(
    made.model_configurations.map((it: Json) => [it.max_input_tokens, it.configured_max_input_tokens]),
    [
      [128_000, null],
      [4_096, 4_096],
    ],
  )
})

test('the context size of a model is known if its provider publishes it', async () => {
  const sizes = async (provider: string, ...names: string[]) => {
    const model_configurations = names.map((name) => ({ name }))
    const made = await create({ provider, model_configurations })
    return made.model_configurations.map((it: Json) => it.max_input_tokens)
  }
  assert.deepEqual(
    await sizes('openai', 'gpt-4', 'gpt-4o-mini', 'gpt-4.1', 'my-own'),
    [8_192, 128_000, 1_047_576, 8_192],
  )
  assert.deepEqual(await sizes('anthropic', 'claude-sonnet-4'), [200_000])
  assert.deepEqual(await sizes('ollama', 'gpt-4o'), [8_192])
})

for (const [what, more, loc, msg] of [
  [
    'nowhere',
    { provider: 'my own', api_base: null },
    'api_base',
    /Set api_base to the URL that serves its \/chat\/completions/,
  ],
  ['no address', { api_base: 'models' }, 'api_base', /is not an address that can be called/],
  ['a metadata service', { api_base: 'http://169.254.169.254/v1' }, 'api_base', /No setting opens it/],
  ['a private network', { api_base: 'http://10.1.2.3/v1' }, 'api_base', /EGRESS_ALLOW=10\.1\.2\.3/],
  ['a password', { api_base: 'https://me:secret@models.example.com' }, 'api_base', /contains a user name or password/],
  ['a header of the connection', { custom_headers: [{ key: 'Host', value: 'x' }] }, 'custom_headers', /cannot be set/],
  ['no name', { name: ' ' }, 'name', /pattern/],
  ['a timeout of nothing', { idle_timeout_ms: 0 }, 'idle_timeout_ms', /greater than or equal to 100/],
] as [string, Json, string, RegExp][])
  test(`${what} is rejected with its location`, async () => {
    const { status, body } = await ask('PUT', `${PROVIDER}?is_creation=true`, { body: providerOf(more) })
    assert.equal(status, 422, JSON.stringify(body))
    assert.deepEqual(body.detail[0].loc.slice(0, 2), ['body', loc])
    assert.match(body.detail[0].msg, msg)
  })

test('the program itself is rejected as a model server', async () => {
  const { status, body } = await ask('PUT', `${PROVIDER}?is_creation=true`, {
    body: providerOf({ api_base: `${server.url}/v1` }),
  })
  assert.equal(status, 422)
  assert.match(body.detail[0].msg, /is this service or one of its back ends/)
})

test('a well-known provider kind needs no address', async () => {
  const kinds: Json[] = await ok('GET', '/admin/llm/built-in/options')
  const openai = kinds.find((it) => it.name === 'openai')
  assert.deepEqual([openai.default_api_base, openai.api_base_required], ['https://api.openai.com/v1', false])
  assert.equal((await create({ provider: 'openai', api_base: null })).api_base, null)
})

test('the environment provider has id 0 and is read-only', async () => {
  const house = await listed(0)
  assert.deepEqual([house.name, house.is_read_only, house.api_key], ['environment', true, 'the-...ator'])
  assert.deepEqual(
    house.model_configurations.map((it: Json) => it.name),
    ['house-model'],
  )
  for (const reply of [await ask('PUT', PROVIDER, { body: house }), await ask('DELETE', `${PROVIDER}/0`)]) {
    assert.deepEqual([reply.status, reply.body.error_code], [400, 'VALIDATION_ERROR'])
    assert.match(reply.body.detail, /is defined by the settings LLM_URL, LLM_KEY and LLM_MODEL\. Change it there/)
  }
})

test('a default model must exist', async () => {
  const { id } = await create({ model_configurations: [{ name: 'small', supports_image_input: true }] })
  for (const [path, field] of [
    ['default', 'default_text'],
    ['default-vision', 'default_vision'],
    ['default-chat-naming', 'default_chat_naming'],
  ]) {
    const body = { provider_id: id, model_name: 'small' }
    assert.equal(await ok('POST', `/admin/llm/${path}`, { body }), null)
    assert.deepEqual((await ok('GET', PROVIDER))[field!], body)
    const unknown = await ask('POST', `/admin/llm/${path}`, { body: { provider_id: id, model_name: 'large' } })
    assert.equal(unknown.status, 400)
    assert.match(unknown.body.detail, /has no model "large"\. Its models: small\./)
    const nobody = await ask('POST', `/admin/llm/${path}`, { body: { provider_id: 999_999, model_name: 'small' } })
    assert.deepEqual([nobody.status, nobody.body.error_code], [404, 'NOT_FOUND'])
  }
})

for (const [path, field] of [
  ['default-chat-naming', 'default_chat_naming'],
  ['default-vision', 'default_vision'],
] as const)
  test(`${field} can be unset, even if there is none`, async () => {
    const { id } = await create({ model_configurations: [{ name: 'small', supports_image_input: true }] })
    await ok('POST', `/admin/llm/${path}`, { body: { provider_id: id, model_name: 'small' } })
    for (let times = 0; times < 2; times++) {
      assert.equal(await ok('DELETE', `/admin/llm/${path}`), null)
      assert.equal((await ok('GET', PROVIDER))[field], null)
    }
  })

test('the default vision model must be marked as reading pictures', async () => {
  const { id, name } = await create()
  for (const [provider_id, model_name, wayOut] of [
    [
      id,
      'small',
      /^Model "small" of provider "[^"]+" is not marked .+ set its `supports_image_input` to true first\.$/,
    ],
    [0, 'house-model', /is not marked as reading pictures\. If it reads pictures, set LLM_PICTURES=on\.$/],
  ] as const) {
    const { status, body } = await ask('POST', '/admin/llm/default-vision', { body: { provider_id, model_name } })
    assert.deepEqual([status, body.error_code], [400, 'VALIDATION_ERROR'])
    assert.match(body.detail, wayOut)
  }
  const marked = await update(
    providerOf({ id, name, model_configurations: [{ name: 'small', supports_image_input: true }] }),
  )
  assert.equal(marked.model_configurations[0].supports_image_input, true)
  assert.equal(await ok('POST', '/admin/llm/default-vision', { body: { provider_id: id, model_name: 'small' } }), null)
})

test('models that are known to read pictures are marked, and an administrator decides', async () => {
  const readers = async (more: Json): Promise<Json> => {
    const { id, name, model_configurations } = await create(more)
    return { id, name, read: model_configurations.map((it: Json) => it.supports_image_input) }
  }
  const models = [{ name: 'gpt-4o' }, { name: 'gpt-3.5-turbo' }, { name: 'o3-mini' }, { name: 'new-model' }]
  const known = await readers({ provider: 'openai', model_configurations: models })
  assert.deepEqual(known.read, [true, false, false, false])
  assert.deepEqual((await readers({ model_configurations: models })).read, [false, false, false, false])
  const { id, name } = known
  const changed = [
    { name: 'gpt-4o', supports_image_input: false },
    { name: 'new-model', supports_image_input: true },
  ]
  await update(providerOf({ id, name, provider: 'openai', model_configurations: changed }))
  const kept = await update(providerOf({ id, name, provider: 'openai', model_configurations: models }))
  const byName = kept.model_configurations.map((it: Json) => [it.name, it.supports_image_input])
  assert.deepEqual(Object.fromEntries(byName), {
    'gpt-4o': false,
    'gpt-3.5-turbo': false,
    'o3-mini': false,
    'new-model': true,
  })
})

test('the test of a model that reads pictures sends one', async () => {
  const modelServer = await startModelServer(({ body }) =>
    Array.isArray(body.messages[0].content) && body.model === 'blind'
      ? fails(400, 'blind is not a multimodal model')
      : says('Yes.'),
  )
  const model_configurations = ['seeing', 'blind'].map((name) => ({ name, supports_image_input: true }))
  const provider = await create({ api_base: modelServer.url, model_configurations })
  await ok('POST', '/admin/llm/test', { body: { ...provider, model: 'seeing' } })
  const [picture] = modelServer.requests[0]!.body.messages[0].content
  assert.match(picture.image_url.url, /^data:image\/png;base64,iVBORw0KGgo/)
  const failed = await ask('POST', '/admin/llm/test', { body: { ...provider, model: 'blind' } })
  assert.deepEqual(
    [failed.status, failed.body.detail],
    [400, 'The model does not respond: blind does not read pictures.'],
  )
})

test('the provider of the default model is only deleted with force, and then there is no default', async () => {
  const { id } = await create()
  await ok('POST', '/admin/llm/default', { body: { provider_id: id, model_name: 'small' } })
  const refused = await ask('DELETE', `${PROVIDER}/${id}`)
  assert.equal(refused.status, 400)
  assert.match(refused.body.detail, /^Cannot delete the default LLM provider/)
  assert.equal(await ok('DELETE', `${PROVIDER}/${id}?force=true`), null)
  assert.equal((await ok('GET', PROVIDER)).default_text, null)
  assert.equal((await ask('DELETE', `${PROVIDER}/${id}`)).status, 404)
})

test('a deleted model is no longer the default', async () => {
  const provider = await create()
  await ok('POST', '/admin/llm/default', { body: { provider_id: provider.id, model_name: 'small' } })
  await update({ ...provider, model_configurations: [{ name: 'large' }] })
  assert.equal((await ok('GET', PROVIDER)).default_text, null)
  const { status, body } = await ask('POST', '/admin/llm/test/default')
  assert.deepEqual([status, body.detail], [400, 'No default model is set. Set one with POST /admin/llm/default.'])
})

test('a test calls the model and reports errors', async () => {
  const modelServer = await startModelServer([
    says('yes'),
    fails(401, `Incorrect API key provided: ${KEY}`),
    fails(404, 'no such model'),
  ])
  const body = { provider: 'openai_compatible', model: 'small', api_base: modelServer.url, api_key: KEY }
  assert.equal(await ok('POST', '/admin/llm/test', { body }), null)
  assert.equal(modelServer.requests[0]!.body.model, 'small')
  const unauthorized = await ask('POST', '/admin/llm/test', { body })
  assert.deepEqual(
    [unauthorized.status, unauthorized.body],
    [
      400,
      {
        error_code: 'VALIDATION_ERROR',
        detail: 'The model does not respond: the server of small rejected the key.',
      },
    ],
  )
  const unknown = await ask('POST', '/admin/llm/test', { body })
  assert.equal(unknown.body.detail, 'The model does not respond: the server does not know small: no such model.')
})

test('a test of an unreachable server reports its address to administrators', async () => {
  const modelServer = await startModelServer()
  await modelServer.end()
  const body = { provider: 'openai_compatible', model: 'small', api_base: modelServer.url }
  const { body: answer } = await ask('POST', '/admin/llm/test', { body })
  assert.match(answer.detail, /^The model does not respond: There is no connection to 127\.0\.0\.1 on port \d+\.$/)
})

test('a deployment name replaces the model name, with the API version in the URL', async () => {
  const modelServer = await startModelServer()
  const body = {
    provider: 'azure',
    model: 'small',
    api_base: modelServer.url,
    api_key: KEY,
    deployment_name: 'prod',
    api_version: '2026-01-01',
  }
  await ok('POST', '/admin/llm/test', { body })
  const [asked] = modelServer.requests
  assert.deepEqual([asked!.body.model, asked!.path], ['prod', '/v1/chat/completions?api-version=2026-01-01'])
})

test('the environment provider can be tested and be the default', async () => {
  await ok('POST', '/admin/llm/test', { body: { id: 0, provider: 'openai_compatible', model: 'house-model' } })
  await ok('POST', '/admin/llm/default', { body: { provider_id: 0, model_name: 'house-model' } })
  assert.equal(await ok('POST', '/admin/llm/test/default'), null)
  const asked = environment.requests.at(-1)!
  assert.deepEqual([asked.body.model, asked.headers.authorization], ['house-model', 'Bearer the-key-of-the-operator'])
})

test('users see the models available to them, without key or address', async () => {
  const boards = await makeKey({ role: 'basic', user_group_ids: ['board'] })
  const others = await makeKey({ role: 'basic' })
  const models = [
    { name: 'seen', display_name: 'Seen' },
    { name: 'unseen', is_visible: false },
  ]
  const closed = await create({ is_public: false, groups: ['board'], model_configurations: models })
  const narrow = await create({ personas: [0] })
  const namesFor = async (key: string, path = '/llm/provider') => {
    const { text } = await ask('GET', path, { key })
    assert.ok(!/api_key|api_base|models\.example\.com|127\.0\.0\.1|sk-0/.test(text), text)
    return JSON.parse(text).providers
  }
  const [mine, foreign] = [await namesFor(boards), await namesFor(others)]
  const ids = (providers: Json[]) => providers.map((it) => it.id)
  assert.deepEqual([ids(mine).includes(closed.id), ids(foreign).includes(closed.id)], [true, false])
  assert.ok(ids(foreign).includes(0))
  assert.deepEqual(
    mine.find((it: Json) => it.id === closed.id).model_configurations.map((it: Json) => it.name),
    ['seen'],
  )
  assert.ok(!ids(foreign).includes(narrow.id))
  assert.ok(ids(await namesFor(others, '/llm/persona/0/providers')).includes(narrow.id))
  assert.equal((await ask('GET', '/llm/persona/999/providers', { key: others })).status, 404)
})

test('a default model that is not available to a user is null for them', async () => {
  const others = await makeKey({ role: 'basic' })
  const { id } = await create({ is_public: false, groups: ['board'] })
  await ok('POST', '/admin/llm/default', { body: { provider_id: id, model_name: 'small' } })
  assert.equal((await ok('GET', '/llm/provider', { key: others })).default_text, null)
  assert.equal((await ok('GET', '/llm/provider')).default_text.provider_id, id)
})

test('changes of providers are audited without their values', async () => {
  const { id } = await create({ name: 'Written down' })
  const text = JSON.stringify(await ok('GET', `/admin/audit?object_type=llm_provider&object_id=${id}`))
  assert.match(text, /llm_provider\.put/)
  assert.ok(!text.includes(KEY))
})

test('token usage is reported together with limits', async () => {
  const key = await makeKey({ role: 'basic', name: 'Counted', daily_token_limit: 1_000 })
  const keys: Json[] = await ok('GET', '/admin/api-key')
  const { user_id, api_key_id, daily_token_limit } = keys.find((it) => it.api_key_name === 'Counted')
  assert.equal(daily_token_limit, 1_000)
  const day = new Date().toISOString().slice(0, 10)
  const row = `'${day}', '${user_id}', 'small', 120, 30, 2`
  await alterRecord(`insert into token_usage (day, user_id, model, input_tokens, output_tokens, calls) values (${row})`)
  await ok('PATCH', '/admin/settings', { body: { daily_token_limit: 5_000 } })
  const counts = { input_tokens: 120, output_tokens: 30, calls: 2 }
  const own = await ok('GET', '/llm/usage', { key })
  assert.deepEqual(own, {
    daily_token_limit: 1_000,
    used_today: 150,
    from: own.from,
    renewed_at: own.renewed_at,
    by_day: [{ day, ...counts }],
    by_model: [{ model: 'small', ...counts }],
  })
  const all = await ok('GET', '/admin/llm/usage?days=1')
  assert.deepEqual([all.daily_token_limit, all.used_today, all.from], [5_000, 150, day])
  assert.deepEqual(all.by_key, [
    {
      user_id,
      api_key_id,
      api_key_name: 'Counted',
      user_email: null,
      daily_token_limit: 1_000,
      used_today: 150,
      ...counts,
    },
  ])
  const other = await makeKey({ role: 'basic' })
  assert.deepEqual((await ok('GET', '/llm/usage', { key: other })).by_day, [])
  await ok('PATCH', `/admin/api-key/${api_key_id}`, { body: { name: 'Counted' } })
  assert.equal((await ok('GET', '/llm/usage', { key })).daily_token_limit, 1_000)
  await ok('PATCH', `/admin/api-key/${api_key_id}`, { body: { daily_token_limit: null } })
  assert.equal((await ok('GET', '/llm/usage', { key })).daily_token_limit, null)
})

test('a provider that was changed meanwhile is not overwritten', async () => {
  const created = await create()
  const body = { ...created, name: 'Renamed', expected_version: created.version }
  const renamed = await update(body)
  assert.equal(renamed.name, 'Renamed')
  const late = await ask('PUT', PROVIDER, { body })
  assert.deepEqual([late.status, late.body.error_code], [409, 'LLM_PROVIDER_CHANGED'])
  await update({ ...body, expected_version: renamed.version })
})

test('a server is asked for its models, with the stored key', async () => {
  const modelServer = await startModelServer([
    lists('small', 'large', 'small', ' '),
    fails(404, 'no such path'),
    fails(401, `Incorrect API key provided: ${KEY}`),
    { headers: { 'content-type': 'text/html' }, steps: [{ raw: '<h1>Hello</h1>' }] },
  ])
  const { id, provider } = await create({ api_base: modelServer.url })
  const body = { id, provider, api_base: modelServer.url }
  const found = await ok('POST', '/admin/llm/available-models', { body })
  assert.deepEqual(found, [
    { name: 'large', max_input_tokens: null },
    { name: 'small', max_input_tokens: null },
  ])
  const [asked] = modelServer.requests
  assert.deepEqual([asked!.path, asked!.headers.authorization], ['/v1/models', `Bearer ${KEY}`])
  const details: string[] = []
  for (let at = 0; at < 3; at++) {
    const { status, body: error } = await ask('POST', '/admin/llm/available-models', { body })
    assert.equal(status, 400)
    details.push(error.detail)
  }
  assert.deepEqual(details, [
    'The server does not list its models: it has no list of models at this address.',
    'The server does not list its models: the server of this provider rejected the key.',
    'The server does not list its models: it has no list of models at this address.',
  ])
})

test('token usage is exported as CSV, with the person', async () => {
  const key = await makeKey({ name: 'Exported', role: 'basic', user_email: 'ann@example.com' })
  const me = await ok('GET', '/me', { key })
  await alterRecord(
    `insert into token_usage (day, user_id, model, input_tokens, output_tokens, calls) values ('2999-01-01', '${me.id}', 'small', 12, 3, 1)`,
  )
  const all = await ok('GET', '/admin/llm/usage?days=1')
  assert.equal(all.by_key.find((it: Json) => it.user_id === me.id)?.user_email, 'ann@example.com')
  const { body } = await ask('GET', '/admin/llm/usage/csv?days=1')
  const lines = String(body).trim().split('\r\n')
  assert.equal(lines[0], 'day,person,key,model,input_tokens,output_tokens,calls')
  assert.equal(lines[1], '2999-01-01,ann@example.com,,small,12,3,1')
})
