// The list of receipts: newest first, page by page, and only those of the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makePair, makeKey, alterRecord } = await start()

const list = (query = '', key?: string) => ok('GET', `/service-api/receipts${query}`, key === undefined ? {} : { key })
const idsOf = ({ items }: { items: { document_id: string }[] }) => items.map((it) => it.document_id)

test('the newest version is listed first, with its name and the fields of its receipt', async () => {
  for (const [id, text] of [
    ['a', 'first'],
    ['b', 'first'],
    ['a', 'second'],
  ] as const) {
    await push(documentOf(text, { id, semantic_identifier: `Note ${id}` }))
  }
  const page = await list()
  assert.deepEqual(idsOf(page), ['a', 'b'])
  const { semantic_identifier, link, source, ...receipt } = page.items[0]
  assert.deepEqual([semantic_identifier, link, source, page.next_before], ['Note a', null, 'web', null])
  assert.deepEqual(receipt, await ok('GET', '/service-api/ingestion/a'))
})

test('pages have no gaps and no duplicates', async () => {
  for (let at = 0; at < 7; at++) await push(documentOf('x', { id: `page-${at}` }))
  const all = idsOf(await list())
  const seen: string[] = []
  for (let before: number | null = 0; before !== null; ) {
    const page: { items: { document_id: string }[]; next_before: number | null } = await list(
      `?limit=3${before === 0 ? '' : `&before=${before}`}`,
    )
    seen.push(...idsOf(page))
    before = page.next_before
  }
  assert.deepEqual(seen, all)
})

test('failed and waiting documents can be listed separately', async () => {
  for (const id of ['fine', 'given-up', 'again']) await push(documentOf('x', { id }))
  await alterRecord(`update receipt set error = 'too odd', attempts = 3 where document_id = 'given-up'`)
  const later = Date.now() + 86_400_000
  await alterRecord(`update receipt set error = 'busy', retry_at = ${later} where document_id = 'again'`)
  const failed = await list('?state=failed')
  assert.deepEqual(idsOf(failed), ['given-up'])
  assert.match(failed.items[0].reason, /too odd/)
  const waiting = await list('?state=waiting')
  assert.deepEqual(idsOf(waiting), ['again'])
  assert.match(waiting.items[0].reason, /will be tried again/)
})

test('a deleted document has no receipt', async () => {
  await push(documentOf('x', { id: 'gone' }))
  await ok('DELETE', '/service-api/ingestion/gone')
  assert.ok(!idsOf(await list('?limit=200')).includes('gone'))
})

test('a key sees only the receipts of pairs it may push to', async () => {
  const board = await makePair('Board', { access_type: 'private', groups: ['board'] })
  await push(documentOf('x', { id: 'minutes' }), { cc_pair_id: board })
  const member = await makeKey({ role: 'basic', scopes: ['ingest'], user_group_ids: ['board'] })
  const outsider = await makeKey({ role: 'basic', scopes: ['ingest'] })
  assert.ok(idsOf(await list('?limit=200', member)).includes('minutes'))
  assert.ok(!idsOf(await list('?limit=200', outsider)).includes('minutes'))
})

test('documents are listed by a part of the title and by id, within what the key may manage', async () => {
  const board = await makePair('Council', { access_type: 'private', groups: ['council'] })
  await push(documentOf('x', { id: 'a/b%c', semantic_identifier: 'Plan 100%_sure of the COUNCIL' }), {
    cc_pair_id: board,
  })
  const outsider = await makeKey({ role: 'basic', scopes: ['ingest'] })
  for (const query of ['title=of%20the%20council', 'title=0%25_S', `document_id=${encodeURIComponent('a/b%c')}`]) {
    assert.deepEqual(idsOf(await list(`?${query}`)), ['a/b%c'], query)
    assert.deepEqual(idsOf(await list(`?${query}`, outsider)), [], query)
  }
  assert.deepEqual(idsOf(await list('?title=0%25%25s')), [])
  assert.deepEqual(idsOf(await list('?document_id=a/b')), [])
})

for (const query of ['?limit=0', '?limit=201', '?before=0', '?state=odd', '?title=', `?title=${'x'.repeat(201)}`]) {
  test(`${query} is 422`, async () => {
    assert.equal((await ask('GET', `/service-api/receipts${query}`)).status, 422)
  })
}

test('receipts are listed by source', async () => {
  await push(documentOf('x', { id: 'of-wiki', source: 'wiki' }))
  assert.deepEqual(idsOf(await list('?source=wiki')), ['of-wiki'])
  assert.deepEqual(idsOf(await list('?source=never')), [])
})

test('the export has the documents of the filters, and no cell that a spreadsheet evaluates', async () => {
  await push(documentOf('x', { id: 'formula', semantic_identifier: '=cmd|calc', source: 'sheets' }))
  const { status, text } = await ask('GET', '/service-api/receipts/csv?source=sheets')
  assert.equal(status, 200)
  const [head, row, end] = text.split('\r\n')
  assert.match(head ?? '', /^document_id,title,source,connectors,status/)
  assert.match(row ?? '', /^formula,'=cmd\|calc,sheets,DefaultCCPair,indexed,,no,1,/)
  assert.equal(end, '')
})
