// Access control of search: a document's own `external_access` decides if present, else its pair.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, found, makePair, makeKey } = await start()
const INGESTION = '/service-api/ingestion'

const open = { is_public: true, external_user_emails: [], external_user_group_ids: [] }
const closed = { is_public: false, external_user_emails: [], external_user_group_ids: [] }

const keys: Record<string, string> = {}

before(async () => {
  const publicPair = await makePair('Public pair', { access_type: 'public' })
  const closedPair = await makePair('Private pair of nobody', { access_type: 'private' })
  const salesPair = await makePair('Private pair of sales', { access_type: 'private', groups: ['sales'] })
  const seventhPair = await makePair('Private pair of group 7', { access_type: 'private', groups: [7] })
  const syncPair = await makePair('Pair that a connector syncs', { access_type: 'sync' })
  const documents: [id: string, cc_pair_id: number | null, external_access: unknown][] = [
    ['default', null, undefined],
    ['default-null', null, null],
    ['said-public', null, open],
    ['said-nobody', null, closed],
    ['said-nothing', null, {}],
    ['said-ann', null, { ...closed, external_user_emails: ['ann@example.com'] }],
    ['said-ann-and-bob', null, { ...closed, external_user_emails: ['ANN@example.com', 'bob@example.com'] }],
    ['said-sales', null, { ...closed, external_user_group_ids: ['sales'] }],
    ['said-public-and-sales', null, { ...closed, is_public: 'true', external_user_group_ids: ['sales'] }],
    ['pair-public', publicPair, undefined],
    ['pair-closed', closedPair, undefined],
    ['pair-sales', salesPair, undefined],
    ['pair-7', seventhPair, undefined],
    ['pair-sync', syncPair, undefined],
    ['pair-closed-said-public', closedPair, open],
    ['pair-sales-said-ann', salesPair, { ...closed, external_user_emails: ['ann@example.com'] }],
    ['pair-public-said-nobody', publicPair, closed],
  ]
  for (const [id, cc_pair_id, external_access] of documents) {
    const more = external_access === undefined ? { id } : { id, external_access }
    await push(documentOf('everywhere', more), { cc_pair_id })
  }
  Object.assign(keys, {
    'an administrator': await makeKey({ role: 'admin' }),
    'a curator': await makeKey({ role: 'curator' }),
    'a user without a name': await makeKey({ role: 'basic' }),
    'a user with search alone': await makeKey({ role: 'limited', scopes: ['search'] }),
    Ann: await makeKey({ user_email: 'ann@example.com' }),
    'Ann in capitals': await makeKey({ user_email: 'Ann@Example.COM' }),
    'Ann as an administrator': await makeKey({ role: 'admin', user_email: 'ann@example.com' }),
    Bob: await makeKey({ user_email: 'bob@example.com', user_group_ids: [] }),
    'a user in sales': await makeKey({ user_email: 'eve@example.com', user_group_ids: ['sales'] }),
    'a user in group 7': await makeKey({ user_group_ids: ['7'] }),
    'a user in SALES': await makeKey({ user_group_ids: ['SALES'] }),
    'a user in public': await makeKey({ user_group_ids: ['public', 'pair:3', 'user:ann@example.com', '*'] }),
    'a user named public': await makeKey({ user_email: 'public' }),
  })
})

const EVERYBODY = [
  'default',
  'default-null',
  'pair-closed-said-public',
  'pair-public',
  'said-public',
  'said-public-and-sales',
]
const ANN = [...EVERYBODY, 'pair-sales-said-ann', 'said-ann', 'said-ann-and-bob']
const SEES: Record<string, string[]> = {
  'an administrator': EVERYBODY,
  'a curator': EVERYBODY,
  'a user without a name': EVERYBODY,
  'a user with search alone': EVERYBODY,
  Ann: ANN,
  'Ann in capitals': ANN,
  'Ann as an administrator': ANN,
  Bob: [...EVERYBODY, 'said-ann-and-bob'],
  'a user in sales': [...EVERYBODY, 'pair-sales', 'said-sales'],
  'a user in group 7': [...EVERYBODY, 'pair-7'],
  'a user in SALES': EVERYBODY,
  'a user in public': EVERYBODY,
  'a user named public': EVERYBODY,
}
for (const [who, ids] of Object.entries(SEES)) {
  test(`${who} finds exactly the documents that the user may read`, async () => {
    assert.deepEqual(await found('everywhere', keys[who]!), ids.toSorted())
  })

  test(`${who} gets a total of readable documents only`, async () => {
    const { total, total_relation } = await search('everywhere', { num_hits: 1 }, { key: keys[who]! })
    assert.deepEqual([total, total_relation], [ids.length, 'eq'])
  })
}

test('a total stays the same when hidden documents are added [L2]', async () => {
  const before = await search('everywhere', { num_hits: 1 })
  for (let at = 0; at < 20; at++) await push(documentOf('everywhere', { id: `hidden-${at}`, external_access: closed }))
  const after = await search('everywhere', { num_hits: 1 })
  assert.equal(after.total, before.total)
})

test('a page has no gaps in place of hidden documents', async () => {
  const pages = await Promise.all([0, 1, 2, 3].map((offset) => search('everywhere', { num_hits: 1, offset })))
  assert.deepEqual(
    pages.map((it) => it.results.length),
    [1, 1, 1, 1],
  )
})

test('a document that an update makes private is hidden at once', async () => {
  await push(documentOf('opened', { id: 'closing', external_access: open }))
  const body = { document: documentOf('opened', { id: 'closing', external_access: closed }) }
  await ok('POST', INGESTION, { body })
  assert.deepEqual((await search('opened')).results, [])
  assert.ok(await waitFor(async () => (await search('opened')).total === 0, 'a total of 0'))
})

test('a document that an update makes public is found', async () => {
  await push(documentOf('unveiled', { id: 'opening', external_access: closed }))
  assert.deepEqual(await found('unveiled'), [])
  await push(documentOf('unveiled', { id: 'opening', external_access: open }))
  assert.deepEqual(await found('unveiled'), ['opening'])
})

test('after an update without external_access the pair decides again', async () => {
  await push(documentOf('returned', { id: 'returned', external_access: closed }))
  await push(documentOf('returned', { id: 'returned' }))
  assert.deepEqual(await found('returned'), ['returned'])
})

test('a document of two pairs is found by users who may read either pair', async () => {
  const cc_pair_id = await makePair('Private pair of legal', { access_type: 'private', groups: ['legal'] })
  await push(documentOf('twopairs', { id: 'two-pairs' }), { cc_pair_id })
  assert.deepEqual(await found('twopairs'), [])
  await push(documentOf('twopairs', { id: 'two-pairs' }))
  assert.deepEqual(await found('twopairs'), ['two-pairs'])
})

test('words of a hidden document do not match', async () => {
  const document = documentOf('secretword', { id: 'secret', semantic_identifier: 'Hush', external_access: closed })
  await push(document)
  for (const query of ['secretword', 'hush', '"secretword"', 'secretwrod']) {
    const { results, total } = await search(query)
    assert.deepEqual([results, total], [[], 0])
  }
})

const BAD_ACCESS: [what: string, external_access: unknown, loc: string[]][] = [
  ['a text', 'public', []],
  ['a list', [], []],
  ['is_public "maybe"', { is_public: 'maybe' }, ['is_public']],
  ['one e-mail that is no list', { external_user_emails: 'a@example.com' }, ['external_user_emails']],
  ['group ids that are numbers', { external_user_group_ids: [7] }, ['external_user_group_ids', '0']],
]
for (const [what, external_access, loc] of BAD_ACCESS) {
  test(`external_access may not be ${what}`, async () => {
    const { status, body } = await ask('POST', INGESTION, { body: { document: documentOf('x', { external_access }) } })
    assert.equal(status, 422)
    assert.deepEqual(body.detail[0].loc.map(String), ['body', 'document', 'external_access', ...loc])
  })
}

const strangerKey = () => makeKey({ role: 'basic', scopes: ['ingest'], user_email: 'mallory@example.com' })

test('a key cannot push into a private pair that it cannot read, whether the id exists or not [L8]', async () => {
  const cc_pair_id = await makePair('Private pair of board', { access_type: 'private', groups: ['board'] })
  await push(documentOf('boardroom', { id: 'minutes' }), { cc_pair_id })
  const key = await strangerKey()
  const push2 = (id: string) => ask('POST', INGESTION, { key, body: { document: documentOf('x', { id }), cc_pair_id } })
  const [known, unknown] = [await push2('minutes'), await push2('no-minutes')]
  assert.ok([403, 404].includes(known.status), `answered ${known.status} ${known.text}`)
  assert.equal(known.text, unknown.text)
})

test('a receipt does not reveal the existence of an unreadable document [L8]', async () => {
  const cc_pair_id = await makePair('Private pair of finance', { access_type: 'private', groups: ['finance'] })
  await push(documentOf('x', { id: 'forecast' }), { cc_pair_id })
  const { status } = await ask('GET', `${INGESTION}/forecast`, { key: await strangerKey() })
  assert.equal(status, 404)
})

test('a key cannot delete a document that it cannot read [L8]', async () => {
  const cc_pair_id = await makePair('Private pair of research', { access_type: 'private', groups: ['research'] })
  await push(documentOf('labnotes', { id: 'lab-notes' }), { cc_pair_id })
  const { status } = await ask('DELETE', `${INGESTION}/lab-notes`, { key: await strangerKey() })
  assert.equal(status, 404)
  assert.deepEqual(await found('labnotes', await makeKey({ user_group_ids: ['research'] })), ['lab-notes'])
})

test('a stranger cannot make a private document public by pushing its id once [L8]', async () => {
  const cc_pair_id = await makePair('Private pair of staff', { access_type: 'private', groups: ['staff'] })
  await push(documentOf('salaries', { id: 'payroll' }), { cc_pair_id })
  const key = await strangerKey()
  await ask('POST', INGESTION, { key, body: { document: documentOf('x', { id: 'payroll' }) } })
  await push(documentOf('salaries of may', { id: 'payroll' }), { cc_pair_id })
  assert.deepEqual(await found('salaries', await makeKey({ role: 'basic' })), [])
})

test('a key cannot push an id of an unreadable private pair into another pair [L8]', async () => {
  const cc_pair_id = await makePair('Private pair of audit', { access_type: 'private', groups: ['audit'] })
  await push(documentOf('auditword', { id: 'findings' }), { cc_pair_id })
  const body = { document: documentOf('forged', { id: 'findings' }) }
  const { status } = await ask('POST', INGESTION, { key: await strangerKey(), body })
  assert.ok([403, 404].includes(status), `answered ${status}`)
  assert.deepEqual(await found('forged', await makeKey({ user_group_ids: ['audit'] })), [])
})

for (const [who, body] of [
  ['a member of its group', { role: 'basic', scopes: ['ingest'], user_group_ids: ['works'] }],
  ['a curator', { role: 'curator' }],
  ['an administrator', { role: 'admin' }],
] as const) {
  test(`${who} pushes into a private pair, reads the receipt and deletes the document`, async () => {
    const groups = { access_type: 'private', groups: ['works'] }
    const cc_pair_id = await makePair(`Private pair of works, for ${who}`, groups)
    const [key, id] = [await makeKey(body), `work of ${who}`]
    await push(documentOf('x', { id }), { cc_pair_id }, { key })
    assert.equal((await ok('GET', `${INGESTION}/${encodeURIComponent(id)}`, { key })).status, 'indexed')
    assert.equal(await ok('DELETE', `${INGESTION}/${encodeURIComponent(id)}`, { key }), null)
  })
}
