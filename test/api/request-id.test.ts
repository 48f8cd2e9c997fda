// The request id follows a document through the response, the log, the record, the receipt and a failure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled, startServer, waitFor } from '../server.ts'
import { createRequester, sendRaw } from './request.ts'
import { documentOf } from './setup.ts'

const server = await startServer({ env: { LOG_LEVEL: 'debug' } })
const ask = createRequester(server)
const PUSH = '/service-api/ingestion'
const named = (id: string) => ({ headers: { 'x-request-id': id } })

type Line = Record<string, unknown>
/** The lines of the log in which the word occurs. */
const grep = (word: string): Line[] =>
  server
    .output()
    .split('\n')
    .filter((it) => it.startsWith('{') && it.endsWith('}') && it.includes(word))
    .map((it) => JSON.parse(it))
const said = (word: string) => grep(word).map((it) => it.msg)

test('the response has the id of the request', async () => {
  for (const [path, status] of [
    ['/health', 200],
    ['/nowhere', 404],
    ['/%zz', 400],
    ['/me', 401],
  ] as const) {
    const reply = await ask('GET', path, { key: null, ...named(`path-${status}`) })
    assert.deepEqual([reply.status, reply.headers['x-request-id']], [status, `path-${status}`])
  }
})

test('a request without an id or with a malformed one gets a new id', async () => {
  for (const headers of [{}, { 'x-request-id': 'ann@example.com' }, { 'x-request-id': 'x'.repeat(200) }]) {
    const reply = await ask('GET', '/health', { headers: headers as Record<string, string> })
    assert.match(String(reply.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
})

test('a trace contains the request id', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const reply = await ask('GET', '/health', { headers: { traceparent } })
  assert.equal(reply.headers['x-request-id'], '0af7651916cd43dd8448eb211c80319c')
})

test('an invalid HTTP request gets an id too', async () => {
  const { head } = await sendRaw(server, 'NONSENSE\r\n\r\n')
  assert.match(head, /^X-Request-ID: [0-9a-f-]{36}$/im)
})

test('one grep follows a document from its request to the index', async () => {
  const body = { document: documentOf('where does it go?', { id: 'followed' }) }
  const pushed = await ask('POST', PUSH, { body, ...named('follow-me-1') })
  assert.equal(pushed.status, 200)
  await settled(server)
  assert.equal((await ask('GET', `${PUSH}/followed`)).body.request_id, 'follow-me-1')
  await waitFor(() => said('follow-me-1').includes('indexed') && said('follow-me-1').includes('answered'), 'the lines')
  const [accepted, answered, indexed] = ['accepted', 'answered', 'indexed'].map((word) =>
    grep('follow-me-1').find((it) => it.msg === word),
  )
  assert.deepEqual([answered?.method, answered?.route, answered?.status], ['POST', PUSH, 200])
  assert.ok(Number(indexed?.from_seq) <= Number(accepted?.seq) && Number(accepted?.seq) <= Number(indexed?.to_seq))
})

test('one grep follows a deletion from its request', async () => {
  await ask('POST', PUSH, { body: { document: documentOf('x', { id: 'gone' }) }, ...named('brought-it') })
  assert.equal((await ask('DELETE', `${PUSH}/gone`, named('took-it'))).status, 200)
  await settled(server)
  await waitFor(() => said('took-it').includes('indexed'), 'the deletion to be applied')
  const line = grep('took-it').find((it) => it.msg === 'indexed')
  assert.equal(line?.deleted, 1)
})

test('the same version again keeps the id of the first request', async () => {
  for (const id of ['first', 'second']) {
    await ask('POST', PUSH, { body: { document: documentOf('same', { id: 'same' }) }, ...named(id) })
  }
  assert.equal((await ask('GET', `${PUSH}/same`)).body.request_id, 'first')
  await ask('POST', PUSH, { body: { document: documentOf('other', { id: 'same' }) }, ...named('third') })
  assert.equal((await ask('GET', `${PUSH}/same`)).body.request_id, 'third')
})

test('documents of a deleted pair carry the id of that request', async () => {
  const { body: connector } = await ask('POST', '/manage/admin/connector', {
    body: {
      name: 'Doomed',
      source: 'intranet',
      input_type: 'poll',
      access_type: 'PUBLIC',
      connector_specific_config: {},
      refresh_freq: 3600,
      prune_freq: 86400,
    },
  })
  const pair = await ask('PUT', `/manage/admin/connector/${connector.id}/credential/0`)
  const body = { document: documentOf('doomed', { id: 'doomed' }), cc_pair_id: pair.body.data }
  await ask('POST', PUSH, { body, ...named('doomed-in') })
  const attempt = { connector_id: connector.id, credential_id: 0 }
  await ask('POST', '/manage/admin/deletion-attempt', { body: attempt, ...named('doomed-out') })
  await waitFor(() => said('doomed-out').includes('indexed'), 'the documents of the pair to go')
})

test('no line has the text, the title or the id of a document', async () => {
  const secrets = ['CANARYTEXT', 'CANARYTITLE', 'CANARYID', 'CANARYQUERY', 'CANARYOWNER', 'CANARYBAD']
  const owner = { display_name: 'CANARYOWNER', email: 'CANARYOWNER@example.com' }
  const document = documentOf('CANARYTEXT', {
    id: 'CANARYID',
    semantic_identifier: 'CANARYTITLE',
    primary_owners: [owner],
  })
  await ask('POST', PUSH, { body: { document }, ...named('canary-run') })
  await settled(server)
  await ask('POST', '/search', { body: { query: 'CANARYQUERY CANARYTEXT' } })
  await ask('GET', `${PUSH}/CANARYID?x=CANARYQUERY`)
  await ask('DELETE', `${PUSH}/CANARYBAD`)
  await ask('POST', PUSH, { body: { document: { CANARYBAD: 1 } } })
  await ask('DELETE', `${PUSH}/CANARYID`)
  await settled(server)
  await waitFor(() => said('canary-run').includes('indexed'), 'the document to be indexed')
  const metrics = await ask('GET', '/metrics')
  assert.equal(metrics.status, 200)
  for (const it of secrets) {
    assert.deepEqual(
      grep(it).map((line) => JSON.stringify(line)),
      [],
    )
    assert.ok(!metrics.text.includes(it), `${it} is in the metrics`)
  }
})
