// Secrets and personal data: found when a document is accepted, reported without the content, quarantined by setting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, receipt, makeKey, server } = await start({ LOG_LEVEL: 'debug' })
const PAGE = '/admin/sensitive-content'
const SECRET = 'Zq8vT2mLw9xK4pRb'
const NEXT_SECRET = 'hV7cN3yJ6dGs5fWe'
const IBAN = 'DE91500105173456789012'
const id = 'https://wiki.example.com/deploy'
const guide = (text: string, more = {}) =>
  documentOf(`The wombat deploys. ${text}`, { id, semantic_identifier: 'How we deploy', ...more })
const report = (query = '') => ok('GET', `${PAGE}/documents${query}`)
const setMode = (sensitive_content: string) => ok('PATCH', '/admin/settings', { body: { sensitive_content } })
const send = (document: unknown) =>
  ok('POST', '/service-api/ingestion?wait_for=indexed&timeout_ms=30000', { body: { document } })
const isFound = async (query = 'wombat') => (await found(query)).includes(id)
const decide = (what: 'release' | 'dismiss', body: object) =>
  ok('POST', `${PAGE}/${what}`, { body: { document_id: id, ...body } })

test('a document is reported by kind and place, never with its content, and stays findable', async () => {
  const sections = [
    { text: 'The wombat deploys.' },
    {
      text: `The wombat says password: ${SECRET}\nPay to ${IBAN}`,
      heading: `Access with token=${SECRET}`,
      link: 'https://w.example.com/a.pdf#page=3',
    },
  ]
  await push(guide('', { sections }))
  const { items, next_before } = await report()
  assert.equal(next_before, null)
  assert.deepEqual(
    items.map((it: Record<string, unknown>) => [it.document_id, it.source, it.quarantined_at, it.findings]),
    [
      [
        id,
        'web',
        null,
        [
          {
            kind: 'assigned_secret',
            is_secret: true,
            count: 2,
            dismissed_at: null,
            places: [{ section: 2, heading: 'Access with token=•••', page: 3, count: 2 }],
          },
          {
            kind: 'iban',
            is_secret: false,
            count: 1,
            dismissed_at: null,
            places: [{ section: 2, heading: 'Access with token=•••', page: 3, count: 1 }],
          },
        ],
      ],
    ],
  )
  assert.equal(await isFound(), true)
})

test('the counts are by source and by connector', async () => {
  const { mode, unsearched, quarantined, by_source, by_connector } = await ok('GET', PAGE)
  assert.deepEqual([mode, unsearched, quarantined], ['report', 0, 0])
  const secret = { kind: 'assigned_secret', is_secret: true, documents: 1, count: 2 }
  const account = { kind: 'iban', is_secret: false, documents: 1, count: 1 }
  assert.deepEqual(by_source, [
    { source: 'web', ...secret },
    { source: 'web', ...account },
  ])
  assert.deepEqual(
    by_connector.map((it: { kind: string; count: number }) => [it.kind, it.count]),
    [
      ['assigned_secret', 2],
      ['iban', 1],
    ],
  )
})

test('the list is filtered by kind, source, state, connector and document', async () => {
  const ids = async (query: string) => (await report(query)).items.map((it: { document_id: string }) => it.document_id)
  for (const query of [
    '?kind=iban',
    '?source=web',
    '?state=open',
    '?cc_pair_id=1',
    `?document_id=${encodeURIComponent(id)}`,
  ])
    assert.deepEqual(await ids(query), [id], query)
  for (const query of [
    '?kind=jwt',
    '?source=wiki',
    '?state=dismissed',
    '?state=quarantined',
    '?state=released',
    '?cc_pair_id=99',
  ])
    assert.deepEqual(await ids(query), [], query)
  assert.equal((await ask('GET', `${PAGE}/documents?kind=unknown`)).status, 422)
})

test('the export has a line for each finding, and a title without its secret', async () => {
  await push(documentOf('x', { id: 'titled', semantic_identifier: `Note, password=${SECRET}` }))
  const { text } = await ask('GET', `${PAGE}/csv`)
  assert.deepEqual(text.split('\r\n').length, 5)
  assert.match(text, /titled,"Note, password=•••",web,[^,]*,assigned_secret,1,open,section 0,/)
  assert.match(text, /,iban,1,open,section 2: Access with token=•••,/)
  assert.doesNotMatch(text, new RegExp(SECRET))
  assert.equal((await ask('GET', `${PAGE}/csv?kind=iban`)).text.split('\r\n').length, 3)
  await ok('DELETE', '/service-api/ingestion/titled')
})

test('with quarantine, documents with secrets are found by nobody, and those with personal data are', async () => {
  await push(documentOf(`The wombat pays to ${IBAN}.`, { id: 'bill' }))
  await setMode('quarantine')
  await waitFor(async () => !(await isFound()), 'the document to come into quarantine')
  assert.deepEqual(await found('wombat'), ['bill'])
  const { is_quarantined, is_hidden } = await receipt(id)
  assert.deepEqual([is_quarantined, is_hidden], [true, false])
  assert.equal((await ok('GET', PAGE)).quarantined, 1)
  assert.deepEqual((await report('?state=quarantined')).items.length, 1)
  const query = new URLSearchParams({ document_id: id, query: 'wombat' })
  assert.match((await ok('GET', `/admin/search/why?${query}`)).steps[0].detail, /quarantined/)
  assert.notEqual(
    (await ok('GET', `/manage/admin/document?${new URLSearchParams({ document_id: id })}`)).quarantined_at,
    null,
  )
})

test('neither a chat nor a tool nor another reader sees a document in quarantine', async () => {
  const answer = await ask('POST', '/chat/send-chat-message', {
    body: { message: 'What does the wombat deploy?', stream: false },
  })
  assert.doesNotMatch(answer.text, /How we deploy/)
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'wombat' } },
  }
  const mcp = await ask('POST', '/mcp', { body: call, headers: { accept: 'application/json, text/event-stream' } })
  assert.doesNotMatch(mcp.text, /How we deploy/)
  const reader = await makeKey({ role: 'limited', scopes: ['ingest', 'search'], user_email: 'bob@example.com' })
  assert.equal((await ask('GET', `/service-api/ingestion/${encodeURIComponent(id)}`, { key: reader })).status, 404)
  assert.doesNotMatch((await ask('GET', '/service-api/receipts', { key: reader })).text, /deploy/)
  assert.deepEqual(await found('wombat', reader), ['bill'])
})

test('a new document with a secret is never found, and its receipt says why', async () => {
  const body = { document: documentOf(`The numbat, api_key = "${NEXT_SECRET}"`, { id: 'new' }) }
  await ok('POST', '/service-api/ingestion?wait_for=indexed&timeout_ms=30000', { body })
  assert.deepEqual(await found('numbat'), [])
  assert.equal((await receipt('new')).is_quarantined, true)
})

test('hiding and quarantine do not mix', async () => {
  const hide = (hidden: boolean) => ok('POST', '/manage/admin/doc-hidden', { body: { document_id: 'new', hidden } })
  await hide(true)
  await hide(false)
  assert.deepEqual(await found('numbat'), [])
  const { is_quarantined, is_hidden } = await receipt('new')
  assert.deepEqual([is_quarantined, is_hidden], [true, false])
})

test('a released document is found until its text changes', async () => {
  await decide('release', { released: true })
  await waitFor(() => isFound(), 'the released document to be found')
  assert.notEqual((await report('?state=released')).items[0].released_at, null)
  await send(guide(`Use password: ${NEXT_SECRET}`))
  assert.equal(await isFound(), false)
  assert.equal((await receipt(id)).is_quarantined, true)
})

test('the decision can be taken back', async () => {
  await decide('release', { released: true })
  await decide('release', { released: false })
  assert.equal((await receipt(id)).is_quarantined, true)
  assert.equal((await report('?state=released')).items.length, 0)
})

test('a dismissed kind is neither counted nor quarantined until its count changes', async () => {
  await decide('dismiss', { kind: 'assigned_secret', dismissed: true })
  await waitFor(() => isFound(), 'the document to be found')
  const counts = (await ok('GET', PAGE)).by_source.filter((it: { kind: string }) => it.kind === 'assigned_secret')
  assert.deepEqual(
    counts.map((it: { documents: number }) => it.documents),
    [1],
  )
  assert.equal((await report('?state=dismissed')).items.length, 1)
  await send(guide(`Still one password: ${SECRET}`))
  assert.equal((await receipt(id)).is_quarantined, false)
  await send(guide(`Now two, password: ${SECRET} and password: ${NEXT_SECRET}`))
  assert.equal((await receipt(id)).is_quarantined, true)
})

test('a version without a secret is found again, and no longer reported', async () => {
  await send(guide('Nothing is secret here.'))
  await waitFor(() => isFound(), 'the document to be found')
  assert.deepEqual((await report(`?document_id=${encodeURIComponent(id)}`)).items, [])
  const refused = await ask('POST', `${PAGE}/release`, { body: { document_id: id, released: true } })
  assert.deepEqual([refused.status, refused.body.error_code], [404, 'FINDING_NOT_FOUND'])
})

test('a setting other than quarantine releases all', async () => {
  await setMode('report')
  await waitFor(async () => (await found('numbat')).length === 1, 'the document to be released')
  assert.equal((await ok('GET', PAGE)).quarantined, 0)
})

test('without the search nothing is reported; switched on again, it goes through all documents', async () => {
  await setMode('off')
  await waitFor(async () => (await report()).items.length === 0, 'the findings to be forgotten')
  await push(documentOf(`The bilby, password: ${SECRET}`, { id: 'meanwhile' }))
  assert.equal((await report()).items.length, 0)
  await setMode('quarantine')
  await waitFor(async () => (await ok('GET', PAGE)).quarantined === 2, 'both documents to be in quarantine')
  assert.deepEqual(await found('bilby'), [])
  assert.equal((await ok('GET', PAGE)).unsearched, 0)
})

test('a deleted document is not reported, and once purged, its findings are gone', async () => {
  await ok('DELETE', '/service-api/ingestion/meanwhile')
  assert.deepEqual((await report('?document_id=meanwhile')).items, [])
  await ok('POST', '/service-api/trash/restore', { body: { document_ids: ['meanwhile'] } })
  assert.equal((await receipt('meanwhile')).is_quarantined, true)
})

test('every decision and export is audited, and only administrators see the report', async () => {
  const { text } = await ask('GET', '/admin/audit?limit=200')
  for (const action of ['release', 'dismiss', 'export']) assert.match(text, new RegExp(`sensitive_content\\.${action}`))
  const key = await makeKey({ role: 'limited', scopes: ['ingest', 'search'], user_email: 'eve@example.com' })
  for (const path of ['', '/documents', '/csv']) assert.equal((await ask('GET', `${PAGE}${path}`, { key })).status, 403)
})

test('no secret is in the log, the receipts, the report or the audit', async () => {
  const texts = [
    server.output(),
    (await ask('GET', '/service-api/receipts')).text,
    (await ask('GET', `${PAGE}/documents`)).text,
    (await ask('GET', '/admin/audit?limit=200')).text,
  ]
  for (const text of texts) for (const secret of [SECRET, NEXT_SECRET, IBAN]) assert.ok(!text.includes(secret))
})
