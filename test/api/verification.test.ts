// Stale documents, verification by owners, and the last click, which fewer than three people never show.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGroupSetup } from './people-of-groups.ts'
import { documentOf, start } from './setup.ts'

const setup = await start()
const { ask, ok, push, makeKey, makePair, search, alterRecord } = setup
const { makePerson, groupId } = createGroupSetup(setup)

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const daysAhead = (days: number) => daysAgo(-days)
const ada = [{ display_name: 'Ada', email: 'Ada@Example.com' }]
const bob = [{ email: 'bob@example.com' }]
const person = (email: string, more = {}) => makeKey({ role: 'basic', user_email: email, ...more })
const keys = {
  ada: await person('ada@example.com'),
  bob: await person('bob@example.com'),
  eve: await person('eve@example.com'),
  tom: await person('tom@example.com'),
}
interface Row {
  document_id: string
  last_click_on: string | null
  last_changed_at: string
  verification: { verified_by: string | null; verified_until: string; state: string } | null
}
const stale = async (query = ''): Promise<Row[]> => (await ok('GET', `/admin/stale-documents${query}`)).items
const idsOf = (rows: readonly Row[]) => rows.map((it) => it.document_id)
const owned = async (key: string): Promise<Row[]> => (await ok('GET', '/document/owned', { key })).items
const verify = (document_id: string, key: string, more = {}) =>
  ask('POST', '/document/verify', { key, body: { document_id, ...more } })
const verified = async (document_id: string, key: string, more = {}) => {
  const { status, body, text } = await verify(document_id, key, more)
  assert.equal(status, 200, text)
  return body.verification
}
const stateOf = async (id: string) => (await stale()).find((it) => it.document_id === id)?.verification?.state ?? null
const click = async (key: string, document_id: string) => {
  const { search_id } = await search('wombat', {}, { key })
  await ok('POST', '/search/feedback', { key, body: { search_id, document_id, kind: 'click' } })
}

await push(documentOf('The wombat moves.', { id: 'old', doc_updated_at: daysAgo(900), primary_owners: ada }))
await push(
  documentOf('The wombat eats.', {
    id: 'middle',
    doc_updated_at: daysAgo(400),
    primary_owners: bob,
    secondary_owners: ada,
  }),
)
await push(documentOf('The wombat sleeps.', { id: 'new', source: 'jira', doc_updated_at: daysAgo(10) }))

test('the longest unchanged documents come first, page by page', async () => {
  const rows = await stale()
  assert.deepEqual(idsOf(rows), ['old', 'middle', 'new'])
  const { last_click_on, verification, primary_owners, cc_pairs } = rows[0] as Row & Record<string, unknown>
  assert.deepEqual(
    [last_click_on, verification, primary_owners, cc_pairs],
    [null, null, ['Ada'], [{ id: 1, name: 'DefaultCCPair' }]],
  )
  const found: string[] = []
  for (let after = ''; ; ) {
    const page = await ok('GET', `/admin/stale-documents?limit=1${after}`)
    found.push(...idsOf(page.items))
    if (page.next_after === null) break
    after = `&after=${page.next_after}`
  }
  assert.deepEqual(found, ['old', 'middle', 'new'])
})

test('the list is filtered by source, connector, owner and last change', async () => {
  assert.deepEqual(idsOf(await stale('?source=jira')), ['new'])
  assert.deepEqual(idsOf(await stale('?owner=ADA@example.com')), ['old', 'middle'])
  assert.deepEqual(idsOf(await stale('?owner=bob@example.com')), ['middle'])
  assert.deepEqual(idsOf(await stale(`?changed_before=${daysAgo(500)}`)), ['old'])
  assert.deepEqual(idsOf(await stale('?cc_pair_id=1')).length, 3)
  assert.deepEqual(await stale('?cc_pair_id=999'), [])
  assert.equal((await ask('GET', '/admin/stale-documents?verification=maybe')).status, 422)
})

test('an owner verifies a document for six months, and everybody who finds it sees that', async () => {
  const { verified_by, verified_until, state } = await verified('old', keys.ada)
  assert.deepEqual([verified_by, state], ['ada@example.com', 'valid'])
  const months = (Date.parse(verified_until) - Date.now()) / DAY_MS / 30.44
  assert.ok(months > 5.8 && months < 6.2, verified_until)
  const { results } = await search('wombat moves', {}, { key: keys.eve })
  const found = results.find((it: Row) => it.document_id === 'old')
  assert.equal(found.verification.verified_by, 'ada@example.com')
  const opened = await ok('GET', '/document/text?document_id=old', { key: keys.eve })
  assert.deepEqual([opened.verification.state, opened.may_verify], ['valid', false])
  assert.equal((await ok('GET', '/document/text?document_id=old', { key: keys.ada })).may_verify, true)
  assert.equal((await ok('GET', '/manage/admin/document?document_id=old')).verification.state, 'valid')
  assert.deepEqual(idsOf(await stale('?verification=valid')), ['old'])
  assert.deepEqual(idsOf(await stale('?verification=never')), ['middle', 'new'])
})

test('another owner and an administrator verify as well, nobody else does', async () => {
  assert.equal((await verified('middle', keys.ada)).state, 'valid')
  const refused = await verify('middle', keys.eve)
  assert.deepEqual([refused.status, refused.body.error_code], [403, 'NOT_DOCUMENT_OWNER'])
  const admin = await ok('POST', '/document/verify', { body: { document_id: 'new' } })
  assert.equal(admin.verification.verified_by, null)
  assert.equal((await verify('unknown', keys.ada)).status, 404)
})

test('a token does not verify: what it says would outlive it', async () => {
  const { token } = await ok('POST', '/user/pats', { key: keys.ada, body: { name: 'reader' } })
  assert.equal((await verify('old', token)).status, 403)
  assert.equal((await ok('GET', '/document/text?document_id=old', { key: token })).may_verify, false)
})

test('the date is in the future and at most two years ahead; null takes the verification back', async () => {
  for (const verified_until of [daysAgo(1), daysAhead(740)]) {
    const { status, body } = await verify('middle', keys.bob, { verified_until })
    assert.deepEqual([status, body.error_code], [400, 'INVALID_INPUT'])
  }
  const until = daysAhead(700)
  assert.equal((await verified('middle', keys.bob, { verified_until: until })).verified_until, until)
  assert.equal(await verified('middle', keys.bob, { verified_until: null }), null)
  assert.equal(await stateOf('middle'), null)
})

test('own documents are listed, those to verify first', async () => {
  assert.deepEqual(idsOf(await owned(keys.ada)), ['middle', 'old'])
  assert.deepEqual(idsOf(await owned(keys.bob)), ['middle'])
  assert.deepEqual(await owned(keys.eve), [])
  const first = await ok('GET', '/document/owned?limit=1', { key: keys.ada })
  const second = await ok('GET', `/document/owned?limit=1&after=${first.next_after}`, { key: keys.ada })
  assert.deepEqual([...idsOf(first.items), ...idsOf(second.items)], ['middle', 'old'])
  assert.deepEqual(await ok('GET', '/document/owned'), { items: [], next_after: null })
})

test('an owner who may not read a document neither sees nor verifies it', async () => {
  const external_access = { external_user_emails: ['eve@example.com'], external_user_group_ids: [], is_public: false }
  await push(documentOf('The closed quokka.', { id: 'closed', primary_owners: ada, external_access }))
  assert.equal(idsOf(await owned(keys.ada)).includes('closed'), false)
  assert.equal((await verify('closed', keys.ada)).status, 404)
  assert.equal((await verify('closed', keys.eve)).status, 403)
  await ok('DELETE', '/service-api/ingestion/closed')
})

test('a hidden document is neither reported nor verified', async () => {
  const hide = (hidden: boolean) => ok('POST', '/manage/admin/doc-hidden', { body: { document_id: 'old', hidden } })
  await hide(true)
  assert.equal(idsOf(await stale()).includes('old'), false)
  assert.equal((await verify('old', keys.ada)).status, 404)
  await hide(false)
  assert.equal(await stateOf('old'), 'valid')
})

test('a changed text is said, and other metadata is no change', async () => {
  const send = (text: string, more = {}) =>
    push(documentOf(text, { id: 'old', doc_updated_at: daysAgo(900), primary_owners: ada, ...more }))
  await send('The wombat moves.', { metadata: { label: 'x' } })
  assert.equal(await stateOf('old'), 'valid')
  await send('The wombat moves fast.')
  assert.equal(await stateOf('old'), 'changed')
  assert.deepEqual(idsOf(await stale('?verification=changed')), ['old'])
  assert.equal((await verified('old', keys.ada)).state, 'valid')
  await send('The wombat moves fast.', { semantic_identifier: 'Another title' })
  assert.equal(await stateOf('old'), 'changed')
  await verified('old', keys.ada)
})

test('a verification that is over is reported', async () => {
  await alterRecord("update document_verification set verified_until = verified_at + 1 where document_id = 'old'")
  assert.deepEqual(idsOf(await stale('?verification=expired')), ['old'])
  assert.deepEqual(idsOf(await stale('?verification=valid')), ['new'])
  assert.deepEqual(idsOf(await owned(keys.ada)), ['old', 'middle'])
})

test('a new version can name other owners', async () => {
  await push(documentOf('The wombat eats.', { id: 'middle', doc_updated_at: daysAgo(400), primary_owners: bob }))
  assert.deepEqual(idsOf(await owned(keys.ada)), ['old'])
  assert.equal((await verify('middle', keys.ada)).status, 403)
})

test('the last click shows once three people have opened the document, and by day only', async () => {
  await click(keys.ada, 'middle')
  await click(keys.bob, 'middle')
  await click(keys.bob, 'middle')
  const lastClick = async () => (await stale()).find((it) => it.document_id === 'middle')?.last_click_on
  const today = new Date().toISOString()
  assert.equal(await lastClick(), null)
  assert.equal(idsOf(await stale(`?not_opened_since=${today}`)).includes('middle'), true)
  await click(keys.eve, 'middle')
  assert.equal(await lastClick(), today.slice(0, 10))
  assert.equal(idsOf(await stale(`?not_opened_since=${today}`)).includes('middle'), false)
  assert.equal(idsOf(await stale(`?not_opened_since=${daysAhead(2)}`)).includes('middle'), true)
})

test('no click shows if the texts of queries do not show', async () => {
  await ok('PATCH', '/admin/settings', { body: { query_history_type: 'disabled' } })
  const { items, clicks } = await ok('GET', '/admin/stale-documents')
  assert.equal(clicks.min_people, null)
  assert.deepEqual(new Set(items.map((it: Row) => it.last_click_on)), new Set([null]))
  await ok('PATCH', '/admin/settings', { body: { query_history_type: null } })
})

test('without the clicks of a person who left, two people remain, and nothing shows', async () => {
  await ok('DELETE', '/admin/person/eve@example.com')
  assert.equal((await stale()).find((it) => it.document_id === 'middle')?.last_click_on, null)
})

test('a verification outlives the person who made it, without the name', async () => {
  await verified('middle', keys.bob)
  const exported = await ask('GET', '/admin/person/bob@example.com/export')
  assert.match(exported.text, /"kind":"document_verification","document_id":"middle"/)
  await ok('DELETE', '/admin/person/bob@example.com')
  const row = (await stale()).find((it) => it.document_id === 'middle')
  assert.deepEqual([row?.verification?.verified_by, row?.verification?.state], [null, 'valid'])
  assert.deepEqual(await stale('?owner=bob@example.com'), [])
})

test('a curator sees the documents of the connectors of their group, and no others', async () => {
  await groupId('rovers')
  const pairs = { crew: 'crew', rovers: 'rovers' }
  const person = await makePerson('cara', { curated: [pairs.crew] })
  for (const group of Object.values(pairs)) {
    const pair = await makePair(`Pair of ${group}`, { access_type: 'private', groups: [group] })
    await push(documentOf(`The ${group}.`, { id: group, doc_updated_at: daysAgo(50) }), { cc_pair_id: pair })
  }
  const { items } = await ok('GET', '/admin/stale-documents', { key: person.key })
  assert.deepEqual(idsOf(items), ['crew'])
  assert.equal((await verified('crew', person.key)).state, 'valid')
  assert.equal((await verify('rovers', person.key)).status, 404)
  assert.equal((await verify('new', person.key)).status, 403)
  assert.equal((await ask('GET', '/admin/stale-documents', { key: keys.tom })).status, 403)
})

test('verifications are audited', async () => {
  const { text } = await ask('GET', '/admin/audit?limit=200')
  assert.match(text, /document\.verify/)
  assert.match(text, /withdrawn/)
})
