// A hidden document is found by nobody, stays listed for administrators, and can be shown again.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, found, search, receipt, makeKey } = await start()
const id = 'https://wiki.example.com/plans?id=7'
const hide = (hidden: boolean, key?: string) =>
  ask('POST', '/manage/admin/doc-hidden', { body: { document_id: id, hidden }, ...(key !== undefined && { key }) })
const listed = async (query: string, key?: string): Promise<string[]> => {
  const { items } = await ok('GET', `/service-api/receipts${query}`, key === undefined ? {} : { key })
  return items.map((it: { document_id: string }) => it.document_id)
}
const settled = () => waitFor(async () => (await receipt(id)).status === 'indexed', 'the change to reach the index')

let pusher: string
let reader: string
before(async () => {
  pusher = await makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'ann@example.com' })
  reader = await makeKey({ role: 'limited', scopes: ['ingest', 'search'], user_email: 'bob@example.com' })
  await push(documentOf('The quokka moves north.', { id, metadata: { team: 'zoo' } }), {}, { key: pusher })
  await push(documentOf('Nothing of interest.', { id: 'other' }))
})

test('a search leaves a hidden document out at once, and the index drops it', async () => {
  assert.deepEqual(await found('quokka'), [id])
  assert.deepEqual((await hide(true)).body, { document_id: id, hidden: true })
  assert.deepEqual(await found('quokka'), [])
  await settled()
  const { results, facets } = await search('', { sort: 'date', facets: ['tag'] }).catch(() => search('nothing'))
  assert.doesNotMatch(JSON.stringify([results, facets]), /quokka|zoo/)
  assert.doesNotMatch((await ask('GET', '/query/valid-tags')).text, /zoo/)
  assert.doesNotMatch((await ask('POST', '/search/suggest', { body: { query: 'quok' } })).text, /quokka/i)
})

test('administrators and its pusher still see its state, other readers do not', async () => {
  assert.deepEqual(await listed('?hidden=true'), [id])
  assert.ok(!(await listed('?hidden=false')).includes(id))
  assert.equal((await receipt(id)).is_hidden, true)
  assert.ok((await listed('', pusher)).includes(id))
  assert.ok(!(await listed('', reader)).includes(id))
  const path = `/service-api/ingestion/${encodeURIComponent(id)}`
  assert.equal((await ask('GET', path, { key: reader })).status, 404)
  assert.doesNotMatch((await ask('GET', '/service-api/ingestion', { key: reader })).text, /plans/)
})

test('the explanations say that it is hidden', async () => {
  const query = new URLSearchParams({ document_id: id, query: 'quokka' })
  const { lost_at, steps } = await ok('GET', `/admin/search/why?${query}`)
  assert.deepEqual([lost_at, steps[0].detail], ['accepted', 'An administrator hid the document.'])
  const access = await ok('GET', `/admin/access?${new URLSearchParams({ document: id, person: 'bob@example.com' })}`)
  assert.equal(access.may_read, false)
  assert.ok(access.reasons.some((it: { kind: string }) => it.kind === 'document_hidden'))
})

test('it stays hidden when it is sent again, deleted and restored', async () => {
  await ok('POST', '/service-api/ingestion', { body: { document: documentOf('The quokka moves south.', { id }) } })
  await settled()
  assert.deepEqual(await found('quokka'), [])
  await ok('DELETE', `/service-api/ingestion/${encodeURIComponent(id)}`)
  assert.equal((await hide(false)).status, 404)
  await ok('POST', '/service-api/trash/restore', { body: { document_ids: [id] } })
  await settled()
  assert.deepEqual(await found('quokka'), [])
})

test('a document that is shown again is found with its newest text', async () => {
  assert.equal((await hide(false)).status, 200)
  assert.equal((await hide(false)).status, 200)
  await settled()
  assert.deepEqual(await found('quokka south'), [id])
  assert.equal((await receipt(id)).is_hidden, false)
})

test('only keys that manage connectors hide documents, and each time is audited', async () => {
  assert.equal((await hide(true, pusher)).status, 403)
  assert.equal(
    (await ask('POST', '/manage/admin/doc-hidden', { body: { document_id: 'never', hidden: true } })).status,
    404,
  )
  const { text } = await ask('GET', '/admin/audit?limit=50')
  assert.match(text, /document\.set_hidden/)
  assert.match(text, /"shown"/)
})
