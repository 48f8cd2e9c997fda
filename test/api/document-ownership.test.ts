// Ownership of documents: an ingestion key sees, overwrites and deletes only documents that it pushed or may read.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, makePair, makeKey, alterRecord } = await start()
const INGESTION = '/service-api/ingestion'
const at = (id: string) => `${INGESTION}/${encodeURIComponent(id)}`

const forAlice = { is_public: false, external_user_emails: ['Alice@example.com'], external_user_group_ids: [] }
const forAll = { is_public: true, external_user_emails: [], external_user_group_ids: [] }

const keys: Record<string, string> = {}
before(async () => {
  Object.assign(keys, {
    'a basic key': await makeKey({ role: 'basic', scopes: ['ingest', 'search'], user_email: 'mallory@example.com' }),
    'a limited key': await makeKey({ role: 'limited', scopes: ['ingest'] }),
    alice: await makeKey({ role: 'basic', scopes: ['ingest', 'search'], user_email: 'alice@example.com' }),
  })
  await push(
    documentOf('Project Nightingale', { id: 'merger', semantic_identifier: 'Merger', external_access: forAlice }),
  )
  await push(documentOf('Open to everybody', { id: 'open', external_access: forAll }))
  await push(documentOf('As open as its pair', { id: 'as-its-pair' }))
})

const idsOf = (list: { document_id: string }[]) => list.map((it) => it.document_id)
const LISTS: [what: string, ids: (key: string) => Promise<string[]>][] = [
  ['the list of pushed documents', async (key) => idsOf(await ok('GET', INGESTION, { key }))],
  ['the list of a pair', async (key) => idsOf(await ok('GET', '/service-api/connector-docs/1', { key }))],
  ['the receipts', async (key) => idsOf((await ok('GET', '/service-api/receipts', { key })).items)],
]

for (const who of ['a basic key', 'a limited key']) {
  for (const [what, ids] of LISTS) {
    test(`${who} does not see unreadable documents in ${what}`, async () => {
      const shown = await ids(keys[who]!)
      assert.equal(shown.includes('merger'), false)
      assert.ok(shown.includes('open') && shown.includes('as-its-pair'))
      assert.ok((await ids(keys.alice!)).includes('merger'))
    })
  }

  test(`${who} gets the same response for a hidden receipt and a missing one`, async () => {
    const key = keys[who]!
    const [foreign, missing] = [await ask('GET', at('merger'), { key }), await ask('GET', at('nothing'), { key })]
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, missing.text)
  })

  test(`${who} cannot overwrite a document that it cannot read`, async () => {
    const document = documentOf('forged', { id: 'merger', external_access: forAll })
    const { status, body } = await ask('POST', INGESTION, { key: keys[who]!, body: { document } })
    assert.deepEqual([status, body.error_code], [403, 'DOCUMENT_NOT_WRITABLE'])
    assert.deepEqual(await found('nightingale', keys.alice!), ['merger'])
  })

  test(`${who} cannot overwrite a document that it cannot read by a batch line`, async () => {
    const lines = [
      { document: documentOf('forged', { id: 'merger', external_access: forAll }) },
      { document: documentOf('mine', { id: `line of ${who}` }) },
    ]
    const text = await ask('POST', `${INGESTION}/batch`, {
      key: keys[who]!,
      bytes: lines.map((it) => JSON.stringify(it)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const [first, second] = text.text.split('\n').map((it) => JSON.parse(it || 'null'))
    assert.equal(first.error.error_code, 'DOCUMENT_NOT_WRITABLE')
    assert.equal(second.status, 'accepted')
    assert.deepEqual(await found('nightingale', keys.alice!), ['merger'])
  })

  test(`${who} cannot delete a document that it cannot read`, async () => {
    const key = keys[who]!
    const [foreign, missing] = [await ask('DELETE', at('merger'), { key }), await ask('DELETE', at('nothing'), { key })]
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, missing.text)
    assert.deepEqual(await found('nightingale', keys.alice!), ['merger'])
  })

  test(`${who} cannot retry documents that it cannot read, and learns no count of them`, async () => {
    for (const body of [{ document_ids: ['given-up'] }, { cc_pair_id: 1 }, { all: true }]) {
      await push(documentOf(`given up by ${JSON.stringify(body)}`, { id: 'given-up', external_access: forAlice }))
      await alterRecord(`update receipt set error = 'no', retry_at = null where document_id = 'given-up'`)
      assert.deepEqual(await ok('POST', `${INGESTION}/retry`, { key: keys[who]!, body }), { retried: 0 })
      assert.deepEqual(await ok('POST', `${INGESTION}/retry`, { key: keys.alice!, body }), { retried: 1 })
    }
  })

  test(`${who} can manage documents that it pushed even if it cannot read them`, async () => {
    const [key, id] = [keys[who]!, `for alice by ${who}`]
    const document = documentOf('first words', { id, external_access: forAlice })
    await push(document, {}, { key })
    assert.equal((await ok('GET', at(id), { key })).status, 'indexed')
    for (const [, ids] of LISTS) assert.ok((await ids(key)).includes(id))
    await push({ ...document, sections: [{ text: 'second words' }] }, {}, { key })
    assert.deepEqual(await found('second', keys.alice!), [id])
    await alterRecord(`update receipt set error = 'no', retry_at = null where document_id = '${id}'`)
    assert.deepEqual(await ok('POST', `${INGESTION}/retry`, { key, body: { document_ids: [id] } }), { retried: 1 })
    assert.equal(await ok('DELETE', at(id), { key }), null)
    assert.deepEqual(await found('second', keys.alice!), [])
  })

  test(`${who} can overwrite and delete documents that it may read`, async () => {
    const [key, id] = [keys[who]!, `open to ${who}`]
    await push(documentOf('by the administrator', { id, external_access: forAll }))
    await push(documentOf('by the key', { id, external_access: forAll }), {}, { key })
    assert.equal(await ok('DELETE', at(id), { key }), null)
  })
}

test('a second key of the same person can manage documents that the first one pushed', async () => {
  const second = await makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'MALLORY@example.com' })
  const document = documentOf('by the first key', { id: 'of-mallory', external_access: forAlice })
  await push(document, {}, { key: keys['a basic key']! })
  await push({ ...document, sections: [{ text: 'by the second key' }] }, {}, { key: second })
  assert.equal(await ok('DELETE', at('of-mallory'), { key: second }), null)
})

test('a key without a user keeps its documents when it is regenerated, and other keys do not get them', async () => {
  const made = await ok('POST', '/admin/api-key', { body: { role: 'limited', scopes: ['ingest'] } })
  const other = await makeKey({ role: 'limited', scopes: ['ingest'] })
  await push(documentOf('of a program', { id: 'of-a-program', external_access: forAlice }), {}, { key: made.api_key })
  const renewed = await ok('POST', `/admin/api-key/${made.api_key_id}/regenerate`)
  assert.equal((await ok('GET', at('of-a-program'), { key: renewed.api_key })).status, 'indexed')
  assert.equal((await ask('GET', at('of-a-program'), { key: other })).status, 404)
})

test('overwriting a document transfers its ownership; the former owner keeps read access only', async () => {
  const document = documentOf('of the program', { id: 'handed-over', external_access: forAlice })
  await push(document, {}, { key: keys['a limited key']! })
  await push({ ...document, sections: [{ text: 'corrected' }] }, {}, { key: keys.alice! })
  assert.equal((await ask('GET', at('handed-over'), { key: keys['a limited key']! })).status, 404)
})

test('documents from before the upgrade can be managed by keys that may read them', async () => {
  await push(documentOf('kept', { id: 'old-closed', external_access: forAlice }), {}, { key: keys['a limited key']! })
  await push(documentOf('kept', { id: 'old-open', external_access: forAll }), {}, { key: keys['a limited key']! })
  await alterRecord(`update document set pushed_by = null where id in ('old-closed', 'old-open')`)
  const statusOf = async (id: string) => (await ask('GET', at(id), { key: keys['a limited key']! })).status
  assert.deepEqual([await statusOf('old-closed'), await statusOf('old-open')], [404, 200])
})

test('administrators and curators can manage every document', async () => {
  for (const role of ['admin', 'curator']) {
    const key = await makeKey({ role })
    for (const [, ids] of LISTS) assert.ok((await ids(key)).includes('merger'))
    assert.equal((await ok('GET', at('merger'), { key })).status, 'indexed')
  }
})

test('a receipt does not name pairs that the key cannot read', async () => {
  const cc_pair_id = await makePair('Merger of the board', { access_type: 'private', groups: ['board'] })
  await push(documentOf('in two pairs', { id: 'in-two' }))
  await push(documentOf('in two pairs', { id: 'in-two' }), { cc_pair_id })
  const { cc_pairs } = await ok('GET', at('in-two'), { key: keys['a limited key']! })
  assert.deepEqual(
    cc_pairs.map((it: { id: number }) => it.id),
    [1],
  )
})

test('pages are full although hidden documents are skipped', async () => {
  for (let n = 0; n < 4; n++) {
    await push(documentOf('x', { id: `page-${n}-closed`, external_access: forAlice }))
    await push(documentOf('x', { id: `page-${n}-open` }))
  }
  const key = keys['a limited key']!
  const listed = await ok('GET', `${INGESTION}?limit=3&after=page-`, { key })
  assert.deepEqual(idsOf(listed), ['page-0-open', 'page-1-open', 'page-2-open'])
  const { items, next_before } = await ok('GET', '/service-api/receipts?limit=2', { key })
  assert.deepEqual(idsOf(items), ['page-3-open', 'page-2-open'])
  const next = await ok('GET', `/service-api/receipts?limit=2&before=${next_before}`, { key })
  assert.deepEqual(idsOf(next.items), ['page-1-open', 'page-0-open'])
})
