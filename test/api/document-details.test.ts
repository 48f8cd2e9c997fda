// The page of one document: facts, text, chunks, readers; and who may see them.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makePair, makeKey } = await start()
const BASE = '/manage/admin/document'
const of = (document_id: string, more: Record<string, string> = {}) =>
  `?${new URLSearchParams({ document_id, ...more })}`
const setViewAs = (view_as_enabled: boolean) => ok('PATCH', '/admin/settings', { body: { view_as_enabled } })

const secret = { is_public: false, external_user_emails: ['Ann@example.com', 'gone@example.com'] }
let ann: string
let bob: string
let board: number
before(async () => {
  ann = await makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'ann@example.com' })
  bob = await makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'bob@example.com', user_group_ids: ['board'] })
  board = await makePair('Board', { access_type: 'private', groups: ['board', 'empty'] })
  const sections = [
    { text: 'The harbour buys cranes. '.repeat(100), heading: 'Cranes', link: 'https://wiki.example.com/a' },
    { text: 'Ships arrive.' },
  ]
  const external_access = { ...secret, external_user_group_ids: ['board', 'source only'] }
  await push(documentOf('', { id: 'plan', sections, external_access, metadata: { team: 'port' } }))
  await push(documentOf('Open to everybody.', { id: 'open' }))
  await push(documentOf('Of the board.', { id: 'minutes' }), { cc_pair_id: board })
})

test('the details name its source, version and owners', async () => {
  const details = await ok('GET', `${BASE}${of('open')}`)
  assert.deepEqual(
    [details.document_id, details.version, details.hidden_at, details.from_ingestion_api, details.may_read_text],
    ['open', 1, null, true, true],
  )
  assert.deepEqual(details.extraction, {
    kind: null,
    pages: null,
    sections: 1,
    characters: 'Open to everybody.'.length,
    tables: 0,
    pictures: 0,
    language: null,
    notices: [],
    more_notices: 0,
    left_out_lines: 0,
    left_out: [],
  })
})

test('the text comes section by section, and a long section in parts', async () => {
  const whole = await ok('GET', `${BASE}/sections${of('plan')}`, { key: ann })
  assert.deepEqual(
    whole.items.map((it: { heading: string; text: string }) => [it.heading, it.text.length]),
    [
      ['Cranes', 2_500],
      [null, 13],
    ],
  )
  assert.deepEqual([whole.sections, whole.characters, whole.next_after], [2, 2_513, null])
  let text = ''
  let pages = 0
  for (let after: string | null = '0-0'; after !== null; pages += 1) {
    const page: { items: { text: string }[]; next_after: string | null } = await ok(
      'GET',
      `${BASE}/sections${of('plan', { limit: '1000', after })}`,
      { key: ann },
    )
    text += page.items.map((it) => it.text).join('')
    after = page.next_after
  }
  assert.deepEqual([text, pages], [whole.items.map((it: { text: string }) => it.text).join(''), 3])
})

test('the chunks come page by page, each with the state of its vector', async () => {
  const first = await ok('GET', `${BASE}/chunks${of('plan', { limit: '1' })}`, { key: ann })
  assert.ok(first.total_items > 1)
  const [chunk] = first.items
  assert.equal(chunk.chunk_ind, 0)
  assert.match(chunk.content, /^Cranes\nThe harbour buys cranes/)
  assert.ok(['stored', 'missing', 'off'].includes(chunk.vector), chunk.vector)
  const last = await ok('GET', `${BASE}/chunks${of('plan', { offset: String(first.total_items - 1) })}`, { key: ann })
  assert.equal(last.items.length, 1)
})

test('the readers are named, each with the reason', async () => {
  const { items, total_items } = await ok('GET', `${BASE}/readers${of('plan')}`)
  const told = items.map((it: { kind: string; name: string; person: object | null; members: number | null }) => [
    it.kind,
    it.name,
    it.person !== null,
    it.members,
  ])
  assert.deepEqual(told, [
    ['address', 'Ann@example.com', true, null],
    ['address', 'gone@example.com', false, null],
    ['group', 'board', false, 1],
    ['group', 'source only', false, 0],
  ])
  assert.equal(total_items, 4)
  const ofPair = await ok('GET', `${BASE}/readers${of('minutes')}`)
  assert.deepEqual(
    ofPair.items.map((it: { kind: string; name: string; cc_pair: { id: number } }) => [
      it.kind,
      it.name,
      it.cc_pair.id,
    ]),
    [
      ['pair_group', 'board', board],
      ['pair_group', 'empty', board],
    ],
  )
  const ofOpen = await ok('GET', `${BASE}/readers${of('open')}`)
  assert.deepEqual(ofOpen.items[0].kind, 'pair_everyone')
  const page = await ok('GET', `${BASE}/readers${of('plan', { offset: '3', limit: '1' })}`)
  assert.deepEqual([page.items.length, page.items[0].name], [1, 'source only'])
})

test('a caller who may not see a document learns nothing about it', async () => {
  const path = `/sections${of('plan')}`
  assert.equal((await ask('GET', `${BASE}${path}`, { key: bob })).status, 200)
  const stranger = await makeKey({ role: 'limited', scopes: ['ingest'], user_email: 'eve@example.com' })
  for (const part of ['', '/sections', '/chunks']) {
    const closed = await ask('GET', `${BASE}${part}${of('plan')}`, { key: stranger })
    const missing = await ask('GET', `${BASE}${part}${of('never')}`, { key: stranger })
    assert.deepEqual([closed.status, closed.text], [404, missing.text])
  }
  await ok('DELETE', '/service-api/ingestion/open')
  assert.equal((await ask('GET', `${BASE}${of('open')}`)).status, 404)
})

test('an administrator reads the text of others only while this is allowed, and it is audited', async () => {
  const admin = await makeKey({ role: 'admin', user_email: 'root@example.com' })
  await push(documentOf('Only for Ann.', { id: 'private', external_access: secret }), {}, { key: ann })
  const read = (part: string) => ask('GET', `${BASE}/${part}${of('private')}`, { key: admin })
  assert.equal((await ok('GET', `${BASE}${of('private')}`, { key: admin })).may_read_text, false)
  for (const part of ['sections', 'chunks']) {
    const { status, body } = await read(part)
    assert.deepEqual([status, body.error_code], [403, 'DOCUMENT_TEXT_CLOSED'])
  }
  await setViewAs(true)
  assert.equal((await read('sections')).body.items[0].text, 'Only for Ann.')
  assert.equal((await read('chunks')).body.items[0].content, 'Only for Ann.')
  await setViewAs(false)
  assert.match((await ask('GET', '/admin/audit?limit=50')).text, /document\.read/)
})
