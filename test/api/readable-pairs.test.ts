// The sources of a person: how many of their documents the person may read, how fresh they are, who looks after them.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makePair, makeConnector, makeKey } = await start()

// biome-ignore lint/suspicious/noExplicitAny: the test checks each response.
type Json = any
const sources = (key?: string, query = ''): Promise<Json[]> =>
  ok('GET', `/manage/connector-status${query}`, key === undefined ? {} : { key })
const named = async (name: string, key?: string): Promise<Json> => (await sources(key)).find((it) => it.name === name)

let ann: string
let bob: string
before(async () => {
  ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'basic', user_email: 'bob@example.com', user_group_ids: ['board'] })
  const open = await makePair('Wiki', { access_type: 'public' })
  const board = await makePair('Board', { access_type: 'private', groups: ['board'] })
  const external_access = { is_public: false, external_user_emails: ['ann@example.com'] }
  for (const id of ['a', 'b']) await push(documentOf('x', { id }), { cc_pair_id: open })
  await push(documentOf('x', { id: 'of ann', external_access }), { cc_pair_id: open })
  await push(documentOf('x', { id: 'minutes' }), { cc_pair_id: board })
  await push(documentOf('x', { id: 'pushed' }))
})

test('each person counts the documents that they may read', async () => {
  assert.equal((await named('Wiki', ann)).documents, 3)
  assert.equal((await named('Wiki', bob)).documents, 2)
  assert.equal((await named('Board', bob)).documents, 1)
})

test('a closed source is missing, unless the person may read one of its documents', async () => {
  assert.equal(await named('Board', ann), undefined)
  const external_access = { is_public: false, external_user_emails: ['ann@example.com'] }
  const { cc_pair_id } = await named('Board', bob)
  await push(documentOf('x', { id: 'invitation', external_access }), { cc_pair_id })
  assert.equal((await named('Board', ann)).documents, 1)
})

test('the built-in pair is listed on request, if the person may read a document in it', async () => {
  const isPushed = (it: Json) => it.source === 'ingestion_api'
  assert.ok(!(await sources(ann)).some(isPushed))
  const [pushed] = (await sources(ann, '?with_pushed=true')).filter(isPushed)
  assert.deepEqual([pushed.documents, pushed.freshness], [1, 'pushed'])
  assert.ok(Date.parse(pushed.last_success) > 0)
})

test('the person who connected a source looks after it, until they leave', async () => {
  const key = await makeKey({ role: 'admin', user_email: 'Cara@example.com' })
  const connector = await makeConnector('Tickets')
  await ok('PUT', `/manage/admin/connector/${connector}/credential/0`, { key, body: { access_type: 'public' } })
  const { name } = (await sources(ann)).at(-1)
  assert.deepEqual((await named(name, ann)).looked_after_by, { name: null, email: 'Cara@example.com' })
  assert.equal((await named('Wiki', ann)).looked_after_by, null)
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'cara@example.com' } })
  assert.equal((await named(name, ann)).looked_after_by, null)
})

test('a paused source says so', async () => {
  const { cc_pair_id } = await named('Wiki', ann)
  await ok('PUT', `/manage/admin/cc-pair/${cc_pair_id}/status`, { body: { status: 'PAUSED' } })
  assert.equal((await named('Wiki', ann)).freshness, 'paused')
  assert.equal((await ask('GET', '/manage/connector-status?with_pushed=perhaps', { key: ann })).status, 422)
})
