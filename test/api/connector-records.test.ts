import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { connectorOf, documentOf, start } from './setup.ts'

const { ask, ok, push, makeConnector, makeKey, makePair } = await start()
const CONNECTOR = '/manage/admin/connector'

let basic: string
before(async () => {
  basic = await makeKey({ role: 'basic' })
})

interface Shown {
  id: number
}
const idsOf = (items: Shown[]): number[] => items.map((it) => it.id)

test('a connector is shown as it was created', async () => {
  const connector_specific_config = { base_url: 'https://a.example', deep: { n: 1 } }
  const made = { connector_specific_config, indexing_start: '2026-01-02T03:04:05Z' }
  const id = await makeConnector('Shown', made)
  await ok('PUT', `${CONNECTOR}/${id}/credential/0`)
  const { time_created, time_updated, version, ...connector } = await ok('GET', `/manage/connector/${id}`)
  assert.deepEqual(connector, {
    id,
    name: 'Shown',
    source: 'intranet',
    input_type: 'poll',
    connector_specific_config,
    refresh_freq: 3600,
    prune_freq: 86400,
    indexing_start: '2026-01-02T03:04:05.000Z',
    credential_ids: [0],
  })
  assert.equal(time_created, time_updated)
  for (const path of ['/manage/connector', CONNECTOR]) {
    const listed = (await ok('GET', path)).find((it: Shown) => it.id === id)
    assert.deepEqual(listed, { ...connector, time_created, time_updated, version }, path)
  }
})

test('a connector without a pair is listed, the built-in ingestion connector is not', async () => {
  const id = await makeConnector('Without a pair')
  const ids = idsOf(await ok('GET', '/manage/connector'))
  assert.deepEqual([ids.includes(id), ids.includes(0)], [true, false])
  assert.equal((await ok('GET', '/manage/connector/0')).name, 'Ingestion API')
})

test('connectors can be filtered by credential', async () => {
  const credential = { credential_json: { t: 'x' }, admin_public: true, source: 'zendesk' }
  const { id: credentialId } = await ok('POST', '/manage/credential', { body: credential })
  const id = await makeConnector('Of a credential', { source: 'zendesk' })
  await ok('PUT', `${CONNECTOR}/${id}/credential/${credentialId}`)
  assert.deepEqual(idsOf(await ok('GET', `${CONNECTOR}?credential=${credentialId}`)), [id])
  assert.deepEqual(await ok('GET', `${CONNECTOR}?credential=424242`), [])
  assert.equal((await ask('GET', `${CONNECTOR}?credential=x`)).status, 422)
})

test('connectors are paged by limit and after', async () => {
  const all = idsOf(await ok('GET', '/manage/connector'))
  assert.deepEqual(idsOf(await ok('GET', '/manage/connector?limit=1')), all.slice(0, 1))
  assert.deepEqual(idsOf(await ok('GET', `${CONNECTOR}?after=${all[0]}`)), all.slice(1))
})

test('a change replaces the connector', async () => {
  const id = await makeConnector('Before')
  const body = connectorOf('After', { source: 'file', refresh_freq: null, prune_freq: null })
  const changed = await ok('PATCH', `${CONNECTOR}/${id}`, { body })
  assert.deepEqual([changed.name, changed.source, changed.refresh_freq], ['After', 'file', null])
  assert.equal(changed.prune_freq, 604_800)
  assert.deepEqual(await ok('GET', `/manage/connector/${id}`), changed)
})

test('a connector may keep its name but not use the name of another', async () => {
  const id = await makeConnector('Mine')
  await makeConnector('Theirs')
  await ok('PATCH', `${CONNECTOR}/${id}`, { body: connectorOf('Mine') })
  const { status, body } = await ask('PATCH', `${CONNECTOR}/${id}`, { body: connectorOf('Theirs') })
  assert.deepEqual([status, body.error_code], [400, 'CONNECTOR_NAME_TAKEN'])
})

test('a change requires the complete connector', async () => {
  const id = await makeConnector('Whole')
  assert.equal((await ask('PATCH', `${CONNECTOR}/${id}`, { body: { name: 'Half' } })).status, 422)
})

test('a connector without pairs can be deleted', async () => {
  const id = await makeConnector('Deleted')
  assert.deepEqual(await ok('DELETE', `${CONNECTOR}/${id}`), {
    success: true,
    message: 'Connector deleted successfully',
    data: id,
  })
  const { status, body } = await ask('GET', `/manage/connector/${id}`)
  assert.deepEqual(
    [status, body],
    [404, { error_code: 'CONNECTOR_NOT_FOUND', detail: `Connector ${id} does not exist.` }],
  )
  await makeConnector('Deleted')
})

test('a connector with a pair cannot be deleted', async () => {
  const id = await makeConnector('Used')
  await ok('PUT', `${CONNECTOR}/${id}/credential/0`)
  const { status, body } = await ask('DELETE', `${CONNECTOR}/${id}`)
  assert.deepEqual([status, body.error_code], [400, 'CONNECTOR_NOT_DELETABLE'])
  await ok('GET', `/manage/connector/${id}`)
})

for (const [method, path, body, status, code] of [
  ['PATCH', `${CONNECTOR}/0`, connectorOf('Zero'), 400, 'CONNECTOR_BUILT_IN'],
  ['DELETE', `${CONNECTOR}/0`, undefined, 400, 'CONNECTOR_BUILT_IN'],
  ['PATCH', `${CONNECTOR}/424242`, connectorOf('Nobody'), 404, 'CONNECTOR_NOT_FOUND'],
  ['DELETE', `${CONNECTOR}/424242`, undefined, 404, 'CONNECTOR_NOT_FOUND'],
  ['GET', '/manage/connector/424242', undefined, 404, 'CONNECTOR_NOT_FOUND'],
] as const) {
  test(`${method} ${path} is ${code}`, async () => {
    const reply = await ask(method, path, { body })
    assert.deepEqual([reply.status, reply.body.error_code], [status, code])
  })
}

test('every key that may search gets the sources of connectors, distinct and sorted', async () => {
  await makePair('Last source', {}, { source: 'zulip' })
  await makePair('First source', {}, { source: 'airtable' })
  await makeConnector('Never associated', { source: 'aaa' })
  const { sources } = await ok('GET', '/manage/indexed-sources', { key: basic })
  assert.deepEqual(sources, [...new Set(sources)].sort())
  assert.deepEqual([sources[0], sources.at(-1), sources.includes('ingestion_api')], ['airtable', 'zulip', false])
})

test('the status list shows each pair with its connector and credential', async () => {
  const id = await makeConnector('In the list')
  const association = { name: 'Pair in the list', access_type: 'private', groups: [4, 'x'] }
  const { data } = await ok('PUT', `${CONNECTOR}/${id}/credential/0`, { body: association })
  const listed = await ok('GET', `${CONNECTOR}/status`)
  const { connector, credential, ...rest } = listed.find((it: { cc_pair_id: number }) => it.cc_pair_id === data)
  assert.deepEqual(rest, {
    cc_pair_id: data,
    name: 'Pair in the list',
    access_type: 'private',
    groups: [4, 'x'],
    pull: {
      state: 'pushed',
      reason: 'No connector reads "intranet". Documents must be pushed to this pair.',
      until: null,
      next: null,
      completeness: { source_documents: null, counted_at: null, indexed_documents: 0 },
    },
  })
  assert.deepEqual(connector, await ok('GET', `/manage/connector/${id}`))
  assert.deepEqual(credential, await ok('GET', '/manage/credential/0'))
  assert.ok(listed.every((it: { cc_pair_id: number }) => it.cc_pair_id !== 1))
})

test('the status list is paged by limit and after', async () => {
  const idsOfPairs = async (query: string) =>
    (await ok('GET', `${CONNECTOR}/status${query}`)).map((it: { cc_pair_id: number }) => it.cc_pair_id)
  const all = await idsOfPairs('')
  assert.ok(all.length > 1)
  assert.deepEqual(await idsOfPairs('?limit=1'), all.slice(0, 1))
  assert.deepEqual(await idsOfPairs(`?after=${all[0]}`), all.slice(1))
  assert.equal((await ask('GET', `${CONNECTOR}/status?limit=0`)).status, 422)
})

test('the short status shows for each readable pair whether it has documents', async () => {
  const full = await makePair('Full', { access_type: 'public' }, { source: 'guru' })
  await makePair('Closed', { access_type: 'private' }, { source: 'gong' })
  await push(documentOf('x', { id: 'in full' }), { cc_pair_id: full })
  const of = async (source: string, key: string) =>
    (await ok('GET', '/manage/connector-status', { key }))
      .filter((it: { source: string }) => it.source === source)
      .map(({ has_successful_run, source, status }: Record<string, unknown>) => ({
        has_successful_run,
        source,
        status,
      }))
  assert.deepEqual(await of('guru', basic), [{ has_successful_run: true, source: 'guru', status: 'ACTIVE' }])
  assert.deepEqual(await of('gong', basic), [])
  const curator = await makeKey({ role: 'curator' })
  assert.deepEqual(await of('gong', curator), [{ has_successful_run: false, source: 'gong', status: 'ACTIVE' }])
})
