// Smaller endpoints that clients of the existing server call: response shapes, and 501 for missing features.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makePair, makeKey } = await start({ EMBEDDING: 'off' })

let ann: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  await push(documentOf('The okapi lives in the forest.', { id: 'okapi', semantic_identifier: 'Okapi' }))
  const external_access = { is_public: false, external_user_emails: ['bob@example.com'] }
  await push(documentOf('The secret okapi.', { id: 'secret', external_access }))
})

const SEARCH = '/search/send-search-message'

test('a search returns documents in one response, with content on request', async () => {
  const found = await ok('POST', SEARCH, { key: ann, body: { search_query: 'okapi' } })
  const { search_docs, ...rest } = found
  assert.deepEqual(rest, {
    all_executed_queries: ['okapi'],
    doc_selection_reasoning: null,
    llm_selected_doc_ids: null,
    error: null,
  })
  assert.deepEqual(
    search_docs.map((it: Record<string, unknown>) => [it.document_id, it.content]),
    [['okapi', null]],
  )
  const whole = await ok('POST', SEARCH, { key: ann, body: { search_query: 'okapi', include_content: true } })
  assert.equal(whole.search_docs[0].content, 'The okapi lives in the forest.')
})

test('a streaming search returns lines: first the queries, then the documents', async () => {
  const { status, headers, text } = await ask('POST', SEARCH, {
    key: ann,
    body: { search_query: 'okapi', stream: true, run_query_expansion: true, filters: { source_type: ['web'] } },
  })
  assert.deepEqual([status, headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
  const lines = text
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))
  assert.deepEqual(
    lines.map((it) => it.type),
    ['search_queries', 'search_docs'],
  )
  assert.deepEqual(lines[1].search_docs.length, 1)
  assert.match(String(headers['pharos-warnings']), /run_query_expansion/)
})

test('a persona restricts the search, and an unknown persona is 404', async () => {
  const { status } = await ask('POST', SEARCH, { key: ann, body: { search_query: 'okapi', persona_id: 999 } })
  assert.equal(status, 404)
})

test('the embedding settings are those in use; there are no secondary settings', async () => {
  const current = await ok('GET', '/search-settings/get-current-search-settings', { key: ann })
  assert.deepEqual([current.model_name, current.model_dim, current.api_key], ['', 0, null])
  assert.equal(await ok('GET', '/search-settings/get-secondary-search-settings', { key: ann }), null)
  assert.deepEqual(await ok('GET', '/search-settings/get-all-search-settings', { key: ann }), {
    current_settings: current,
    secondary_settings: null,
  })
  assert.deepEqual(await ok('GET', '/admin/embedding'), [])
  assert.deepEqual(await ok('GET', '/admin/embedding/embedding-provider'), [])
  for (const [method, path] of [
    ['PUT', '/admin/embedding/embedding-provider'],
    ['DELETE', '/admin/embedding/embedding-provider/openai'],
  ] as const) {
    const { status, body } = await ask(method, path, method === 'PUT' ? { body: {} } : {})
    assert.deepEqual([status, body.error_code], [400, 'VALIDATION_ERROR'])
    assert.match(body.detail, /EMBEDDING_URL/)
    assert.equal((await ask(method, path, { key: ann })).status, 403)
  }
})

test('documents of a pair are listed with their index time', async () => {
  const pair = await makePair('Listed')
  for (const id of ['a', 'b', 'c']) await push(documentOf('x', { id: `listed-${id}` }), { cc_pair_id: pair })
  const path = `/manage/admin/cc-pair/${pair}/get-docs-sync-status`
  const states = await ok('GET', path)
  assert.deepEqual(
    states.map((it: { doc_id: string }) => it.doc_id),
    ['listed-a', 'listed-b', 'listed-c'],
  )
  assert.ok(states.every((it: { last_synced: string; last_modified: string }) => it.last_synced >= it.last_modified))
  const page = await ok('GET', `${path}?after=listed-a&limit=1`)
  assert.deepEqual([page.length, page[0].doc_id], [1, 'listed-b'])
  assert.equal((await ask('GET', '/manage/admin/cc-pair/999999/get-docs-sync-status')).status, 404)
})

test('a permission sync of a pushed pair is rejected with the reason', async () => {
  const pair = await makePair('Pushed')
  for (const what of ['sync-permissions', 'sync-groups']) {
    const path = `/manage/admin/cc-pair/${pair}/${what}`
    assert.equal(await ok('GET', path), null)
    const { status, body } = await ask('POST', path)
    assert.deepEqual([status, body.error_code], [400, 'NOT_RUNNABLE'])
    assert.match(body.detail, /access_type "sync"/)
  }
})

for (const [method, path, sentence] of [
  ['GET', '/admin/image-generation/config', /does not generate images/],
  ['POST', '/admin/image-generation/test', /does not generate images/],
  ['GET', '/federated', /does not support federated search/],
  ['POST', '/federated', /does not support federated search/],
  ['DELETE', '/federated/7', /does not support federated search/],
  ['POST', '/tenants/create', /a single tenant/],
  ['GET', '/tenants/billing-information', /a single tenant/],
] as const) {
  test(`${method} ${path} is 501 with one sentence`, async () => {
    const { status, body } = await ask(method, path, { key: ann })
    assert.deepEqual([status, body.error_code], [501, 'NOT_IMPLEMENTED'])
    assert.match(body.detail, sentence)
    assert.equal((await ask(method, path, { key: null })).status, 401)
  })
}
