// The permission report: users and groups of sources that match nobody, documents that nobody or everybody can read.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { seeded } from '../random.ts'
import { waitFor } from '../server.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, makeKey, makePair, alterRecord } = await start()

interface Finding {
  reason: string
  detail: string
  email: string | null
  group: string | null
  document_id: string | null
  cc_pairs: { id: number; name: string }[]
  documents: number
}
let pairs: { open: number; closed: number; empty: number; synced: number; redmine: number }

const readers = (emails: string[], groups: string[] = [], is_public = false) => ({
  external_access: { is_public, external_user_emails: emails, external_user_group_ids: groups },
})
const pageOf = (list: string, more: object = {}) => {
  const query = new URLSearchParams({ list, ...more })
  return ok('GET', `/admin/access/report?${query}`)
}
const findingsOf = async (list: string, more: object = {}): Promise<Finding[]> =>
  (await pageOf(list, { limit: '500', ...more })).findings

async function compute(): Promise<void> {
  const { status, body } = await ask('POST', '/admin/access/report')
  assert.deepEqual([status, body], [202, { is_computing: true }])
  await waitFor(async () => !(await pageOf('empty_groups')).is_computing, 'the permission report')
}

const member = (pair: number, group: string, email: string) =>
  alterRecord(`insert into source_group_member (cc_pair_id, group_id, email) values (${pair}, '${group}', '${email}')`)

const DOCUMENTS: [id: string, pair: keyof typeof pairs, more: object][] = [
  ['open', 'open', {}],
  ['closed', 'closed', {}],
  ['of-nobodies-pair', 'empty', {}],
  ['of-ann', 'open', readers(['Ann@example.com'])],
  ['of-crew', 'open', readers([], ['crew'])],
  ['of-keys', 'open', readers([], ['robots'])],
  ['of-source-group', 'synced', readers([], ['synced:full'])],
  ['nobody-named', 'open', readers([])],
  ['of-strangers', 'synced', readers(['Stranger@example.com'], ['synced:ghost', 'lost'])],
  ['of-suspended', 'open', readers(['away@example.com'], ['retired'])],
  ['silent', 'synced', {}],
  ['pushed-open', 'synced', readers([], [], true)],
  ['public', 'open', readers([], [], true)],
]

before(async () => {
  pairs = {
    open: await makePair('Open', { access_type: 'public' }),
    closed: await makePair('Closed', { access_type: 'private', groups: ['crew'] }),
    empty: await makePair('Empty', { access_type: 'private', groups: ['retired'] }),
    synced: await makePair('Synced', { access_type: 'private', groups: [] }),
    redmine: await makePair('Tickets', { access_type: 'public' }),
  }
  await alterRecord(`update cc_pair set access_type = 'sync' where id = ${pairs.synced}`)
  await alterRecord(
    `update connector set source = 'redmine' where id = (select connector_id from cc_pair where id = ${pairs.redmine})`,
  )
  await makeKey({ role: 'basic', user_email: 'ann@example.com', user_group_ids: ['crew'] })
  await makeKey({ role: 'basic', user_email: 'away@example.com', user_group_ids: ['retired'] })
  await makeKey({ role: 'basic', user_group_ids: ['robots'] })
  await ok('PATCH', '/manage/admin/deactivate-user', { body: { user_email: 'away@example.com' } })
  await member(pairs.synced, 'synced:full', 'ann@example.com')
  await member(pairs.synced, 'synced:full', 'unknown@example.com')
  await member(pairs.synced, 'synced:ghost', 'unknown@example.com')
  await member(pairs.synced, 'synced:ghost', 'away@example.com')
  for (const [id, pair, more] of DOCUMENTS) await push(documentOf('x', { id, ...more }), { cc_pair_id: pairs[pair] })
  await push(documentOf('x', { id: 'two-pairs' }), { cc_pair_id: pairs.synced })
  await alterRecord(`insert into document_cc_pair (document_id, cc_pair_id, seq)
    select document_id, ${pairs.open}, seq from document_cc_pair where document_id = 'two-pairs'`)
  await push(documentOf('x', { id: 'ticket' }), { cc_pair_id: pairs.redmine })
  await push(documentOf('x', { id: 'deleted', ...readers([]) }))
  await ok('DELETE', '/service-api/ingestion/deleted?wait_for=indexed')
})

test('before the first computation the report says that there is none', async () => {
  const { counts, computed_at, findings, total, is_computing } = await pageOf('unmatched_users')
  assert.deepEqual([counts, computed_at, findings, total, is_computing], [null, null, [], 0, false])
})

test('the four lists have exactly what is wrong, with the reason, the pairs and the number of documents', async () => {
  await compute()
  const report = await pageOf('unmatched_users')
  const count = (total: number) => ({ total, total_relation: 'eq' })
  assert.deepEqual(report.counts, {
    unmatched_users: count(2),
    empty_groups: count(3),
    unreadable_documents: count(5),
    open_documents: count(3),
  })
  assert.equal(report.documents, DOCUMENTS.length + 2)
  const short = (it: Finding) => [
    it.email ?? it.group ?? it.document_id,
    it.reason,
    it.cc_pairs.map((pair) => pair.name).join(),
    it.documents,
  ]
  assert.deepEqual((await findingsOf('unmatched_users')).map(short), [
    ['stranger@example.com', 'no_person', 'Synced', 1],
    ['unknown@example.com', 'no_person', 'Synced', 0],
  ])
  assert.deepEqual(
    (await findingsOf('unmatched_users')).map((it) => it.detail),
    [
      'Nobody has this address. As a reader, 1 document names it.',
      'Nobody has this address. The source reports it as a member of 2 groups.',
    ],
  )
  assert.deepEqual((await findingsOf('empty_groups')).map(short), [
    ['lost', 'unknown_group', 'Synced', 1],
    ['retired', 'group_without_readers', 'Open', 1],
    ['synced:ghost', 'no_member_matches', 'Synced', 1],
  ])
  assert.deepEqual((await findingsOf('unreadable_documents')).map(short), [
    ['of-nobodies-pair', 'pair_closed', 'Empty', 1],
    ['nobody-named', 'named_nobody', 'Open', 1],
    ['of-strangers', 'no_reader_matches', 'Synced', 1],
    ['of-suspended', 'no_reader_matches', 'Open', 1],
    ['silent', 'source_says_nothing', 'Synced', 1],
  ])
  assert.deepEqual((await findingsOf('open_documents')).map(short), [
    [null, 'permissions_not_read', 'Tickets', 1],
    ['pushed-open', 'pushed_open', 'Synced', 1],
    ['two-pairs', 'other_pair_open', 'Open,Synced', 1],
  ])
})

test('nobody reads the unreadable documents, and a person reads each other one', async () => {
  const unreadable = (await findingsOf('unreadable_documents')).map((it) => it.document_id)
  const random = seeded(3)
  for (const [id] of DOCUMENTS.toSorted(() => random() - 0.5).filter(([it]) => it !== 'of-keys')) {
    const answers = await Promise.all(
      ['ann@example.com', 'away@example.com'].map((person) =>
        ok('GET', `/admin/access?${new URLSearchParams({ document: id, person })}`),
      ),
    )
    assert.equal(
      answers.some((it) => it.may_read),
      !unreadable.includes(id),
      id,
    )
  }
})

test('a pair and a page limit the findings, and a cursor of an older report is refused', async () => {
  const inSynced = await pageOf('unreadable_documents', { cc_pair_id: String(pairs.synced) })
  assert.deepEqual(
    [inSynced.total, inSynced.findings.map((it: Finding) => it.document_id)],
    [2, ['of-strangers', 'silent']],
  )
  assert.deepEqual(await findingsOf('empty_groups', { cc_pair_id: '999999' }), [])
  const ids: (string | null)[] = []
  let cursor: string | null = null
  do {
    const page = await pageOf('unreadable_documents', { limit: '2', ...(cursor !== null && { cursor }) })
    assert.ok(page.findings.length <= 2 && page.total === 5)
    ids.push(...page.findings.map((it: Finding) => it.document_id))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.deepEqual(ids, ['of-nobodies-pair', 'nobody-named', 'of-strangers', 'of-suspended', 'silent'])
  const { next_cursor: old } = await pageOf('unreadable_documents', { limit: '2' })
  await compute()
  const { status, body } = await ask('GET', `/admin/access/report?list=unreadable_documents&cursor=${old}`)
  assert.deepEqual([status, (body as { error_code: string }).error_code], [400, 'INVALID_INPUT'])
})

test('a repaired permission leaves the report, and each computation is audited', async () => {
  await ok('PATCH', '/manage/admin/activate-user', { body: { user_email: 'away@example.com' } })
  await compute()
  const unreadable = (await findingsOf('unreadable_documents')).map((it) => it.document_id)
  assert.deepEqual(unreadable, ['nobody-named', 'silent'])
  const [entry] = await ok('GET', '/admin/audit?action=access.report&limit=1')
  assert.equal(entry.outcome, 'success')
})
