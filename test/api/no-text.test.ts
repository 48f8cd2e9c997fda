// A document without text is reported in its receipt, its listings and its responses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, receipt, makeKey } = await start()
const INGESTION = '/service-api/ingestion'

const EMPTY: [what: string, sections: unknown[]][] = [
  ['no section', []],
  ['a section with an empty text', [{ text: '' }]],
  ['sections of white space', [{ text: ' \n\t' }, { text: '\u00a0\u2003' }]],
  ['an image alone', [{ image_file_id: 'picture' }]],
  ['a heading without a text', [{ text: '', heading: 'Slide 1' }]],
]
for (const [what, sections] of EMPTY) {
  test(`a document with ${what} has the warning no_text and is found by its title`, async () => {
    const document = documentOf('', { id: what, semantic_identifier: `Titled ${what}`, sections })
    assert.deepEqual((await push(document)).warnings, ['no_text'])
    const { status, warnings } = await receipt(what)
    assert.deepEqual([status, warnings], ['indexed', ['no_text']])
    assert.ok((await found(`titled ${what}`)).includes(what))
  })
}

test('a document with a text in any section has no warning', async () => {
  const document = documentOf('', { id: 'page two', sections: [{ text: '' }, { text: 'x' }] })
  assert.equal('warnings' in (await push(document)), false)
  assert.deepEqual((await receipt('page two')).warnings, [])
})

test('the immediate response and the batch line report the warning too', async () => {
  const document = documentOf('', { id: 'unwaited' })
  assert.deepEqual((await ok('POST', INGESTION, { body: { document } })).warnings, ['no_text'])
  const bytes = [document, documentOf('x', { id: 'with text' })]
    .map((it) => JSON.stringify({ document: it }))
    .join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const { text } = await ask('POST', `${INGESTION}/batch`, { bytes, headers })
  const lines = text.trimEnd().split('\n')
  assert.deepEqual(
    lines.slice(0, 2).map((it) => JSON.parse(it).warnings),
    [['no_text'], undefined],
  )
})

test('receipts can be filtered by documents without text and by pair', async () => {
  await push(documentOf('', { id: 'scan' }))
  await push(documentOf('text', { id: 'no scan' }))
  const idsOf = async (query: string, key?: string) => {
    const { items } = await ok('GET', `/service-api/receipts?${query}`, key === undefined ? {} : { key })
    return items.map((it: { document_id: string }) => it.document_id)
  }
  const ids = await idsOf('warning=no_text')
  assert.ok(ids.includes('scan') && !ids.includes('no scan'))
  assert.deepEqual(await idsOf('warning=no_text&cc_pair_id=1&limit=1'), ['scan'])
  assert.deepEqual(await idsOf('warning=no_text&cc_pair_id=4711'), [])
  const { status } = await ask('GET', '/service-api/receipts?warning=no_test')
  assert.equal(status, 422)
})

test('a later version with text removes the warning', async () => {
  await push(documentOf('', { id: 'read later' }))
  await push(documentOf('recognized', { id: 'read later' }))
  assert.deepEqual((await receipt('read later')).warnings, [])
})

test('a foreign document without text is not listed', async () => {
  const closed = { is_public: false, external_user_emails: [], external_user_group_ids: [] }
  await push(documentOf('', { id: 'closed scan', external_access: closed }))
  const key = await makeKey({ role: 'limited', scopes: ['ingest'] })
  const { items } = await ok('GET', '/service-api/receipts?warning=no_text', { key })
  assert.equal(
    items.some((it: { document_id: string }) => it.document_id === 'closed scan'),
    false,
  )
})
