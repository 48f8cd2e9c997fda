import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled, startServer } from '../server.ts'
import { createRequester } from './request.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, makeKey } = await start()

/** Returns the value of the line with this beginning, or undefined. */
async function metric(name: string): Promise<number | undefined> {
  const line = (await ok('GET', '/metrics')).split('\n').find((it: string) => it.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}
const counts = async (...names: string[]) => Promise.all(names.map(async (it) => (await metric(it)) ?? 0))

test('metrics are in Prometheus text format, each with help, type and values', async () => {
  const { status, headers, text } = await ask('GET', '/metrics')
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8'])
  assert.ok(text.endsWith('\n'))
  for (const block of text.split(/^# HELP /m).slice(1)) {
    const [help, type, ...lines] = block.trimEnd().split('\n')
    const name = help!.split(' ', 1)[0]!
    assert.match(type!, new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`))
    assert.ok(lines.length > 0, `${name} has no value`)
    for (const line of lines) assert.match(line, new RegExp(`^${name}(_bucket|_sum|_count)?(\\{[^}]+\\})? (\\d|NaN)`))
  }
})

test('accepted documents, indexed documents and searches are counted', async () => {
  const names = [
    'pharos_accepted_documents_total{outcome="created"}',
    'pharos_accepted_documents_total{outcome="updated"}',
    'pharos_accepted_documents_total{outcome="refused"}',
    'pharos_accepted_bytes_total',
    'pharos_indexed_documents_total{outcome="indexed"}',
    'pharos_search_results_bucket{le="0"}',
    'pharos_search_results_count',
    'pharos_errors_total{code="CC_PAIR_NOT_FOUND"}',
  ]
  const push = (text: string, more = {}) =>
    ask('POST', '/service-api/ingestion', { body: { document: documentOf(text, { id: 'counted' }), ...more } })
  const before = await counts(...names)
  await push('zwölf')
  await push('other words')
  await push('x', { cc_pair_id: 999 })
  await settled(server)
  await ok('POST', '/search', { body: { query: 'words' } })
  await ok('POST', '/search', { body: { query: 'nothing like it' } })
  const after = await counts(...names)
  const [created, updated, refused, bytes, indexed, empty, searches, errors] = after.map((it, at) => it - before[at]!)
  assert.deepEqual([created, updated, refused, bytes, empty, searches, errors], [1, 1, 1, 17, 1, 2, 1])
  // Both versions may have been indexed at once.
  assert.ok(indexed === 1 || indexed === 2)
})

test('requests are counted by route template, for every address', async () => {
  const route = 'pharos_http_request_duration_seconds_count{route="/service-api/ingestion/{document_id}",method="GET"'
  const names = [
    `${route},status="4xx"}`,
    'pharos_http_request_duration_seconds_count{route="unknown",method="GET",status="4xx"}',
  ]
  const before = await counts(...names)
  for (const path of ['/service-api/ingestion/a', '/api/onyx-api/ingestion/b', '/nowhere/c']) await ask('GET', path)
  const after = await counts(...names)
  assert.deepEqual(
    after.map((it, at) => it - before[at]!),
    [2, 1],
  )
})

test('labels do not grow with what clients send', async () => {
  const lines = async () => (await ok('GET', '/metrics')).split('\n').length
  const round = async (at: number) => {
    await ask('GET', `/nowhere/${at}`)
    await ask('GET', `/service-api/ingestion/${at}`)
    await ask('POST', '/service-api/ingestion', { body: { document: documentOf('x', { id: `grow${at}` }) } })
    await ask('POST', '/search', { body: { query: `word${at}` } })
    await ask('GET', '/health', { headers: { 'x-request-id': `request-${at}` } })
  }
  await round(0)
  const before = await lines()
  for (let at = 1; at < 30; at++) await round(at)
  assert.equal(await lines(), before)
})

test('the queue, the index and the process report their state', async () => {
  await settled(server)
  for (const name of [
    'pharos_queue_changes',
    'pharos_queue_bytes',
    'pharos_queue_oldest_age_seconds{reason="in_turn"}',
    'pharos_queue_oldest_age_seconds{reason="index_stalled"}',
    'pharos_queue_oldest_age_seconds{reason="retry"}',
  ]) {
    assert.equal(await metric(name), 0, name)
  }
  for (const name of [
    'pharos_index_documents',
    'pharos_index_segments',
    'pharos_index_memory_bytes',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
  ]) {
    assert.ok(((await metric(name)) ?? 0) > 0, name)
  }
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'pharos_write_queue_requests']) {
    assert.ok((await metric(name)) !== undefined, name)
  }
})

test('a limited key with the scope metrics can read metrics and nothing else', async () => {
  const key = await makeKey({ role: 'limited', scopes: ['metrics'] })
  assert.equal((await ask('GET', '/metrics', { key })).status, 200)
  assert.equal((await ask('GET', '/api/metrics', { key })).status, 200)
  assert.equal((await ask('POST', '/search', { key, body: { query: 'x' } })).status, 403)
  assert.deepEqual(await ok('GET', '/me/permissions', { key }), { permissions: ['metrics'] })
})

test('metrics require the right to read them', async () => {
  assert.equal((await ask('GET', '/metrics', { key: null })).status, 401)
  assert.equal((await ask('GET', '/metrics', { key: await makeKey({ role: 'curator' }) })).status, 403)
})

test('METRICS=public makes metrics public, METRICS=off disables them', async () => {
  for (const [METRICS, status] of [
    ['public', 200],
    ['off', 404],
  ] as const) {
    const other = createRequester(await startServer({ env: { METRICS, LOG_LEVEL: 'warn' } }))
    assert.equal((await other('GET', '/metrics', { key: null })).status, status)
  }
})
