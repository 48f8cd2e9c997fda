// Relevance feedback of users and judgements of curators.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey } = await start()
const JUDGEMENTS = '/admin/relevance/judgements'
const NOT_SHOWN = {
  error_code: 'SEARCH_NOT_FOUND',
  detail:
    'No recorded search of this key has that search_id and returned that document; it may have expired. Send the search_id of the response that contains the document.',
}

const keys: Record<string, string> = {}
before(async () => {
  await push(documentOf('The harbour opens at six.', { id: 'harbour' }))
  await push(documentOf('The harbour master is away.', { id: 'master' }))
  await push(documentOf('Nothing of it.', { id: 'other' }))
  keys.ann = await makeKey({ role: 'basic', user_email: 'ann@example.com' })
  keys.bob = await makeKey({ role: 'basic', user_email: 'bob@example.com' })
  keys.curator = await makeKey({ role: 'curator', user_email: 'cara@example.com' })
})

const say = (search_id: string, document_id: string, kind: string, key = keys.ann!) =>
  ask('POST', '/search/feedback', { key, body: { search_id, document_id, kind } })
const feedbackOf = async (email: string): Promise<Reply['body'][]> =>
  (await ask('GET', `/admin/person/${email}/export`)).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((it) => it.kind === 'search_feedback')
const judged = (body: object, key = keys.curator!) => ok('PUT', JUDGEMENTS, { key, body })

test('a click and the last thumb on a shown document are stored right after the search', async () => {
  const { search_id } = await search('harbour', {}, { key: keys.ann! })
  for (const kind of ['click', 'up', 'down', 'down']) {
    assert.deepEqual(
      [kind, (await say(search_id, 'harbour', kind)).status, (await say(search_id, 'harbour', kind)).body],
      [kind, 200, null],
    )
  }
  assert.deepEqual(await feedbackOf('ann@example.com'), [
    { kind: 'search_feedback', search_id, document_id: 'harbour', clicked: true, thumb: 'down' },
  ])
})

test("feedback on another user's search or on a document that was not shown is rejected", async () => {
  const { search_id } = await search('harbour', { num_hits: 1 }, { key: keys.ann! })
  const [shown, hidden] = (await search('harbour', { record: false })).results.map(
    (it: { document_id: string }) => it.document_id,
  )
  for (const [id, document, key] of [
    [search_id, shown, keys.bob],
    [search_id, hidden, keys.ann],
    [search_id, 'never', keys.ann],
    ['never', shown, keys.ann],
  ]) {
    const reply = await say(id, document, 'click', key)
    assert.deepEqual([reply.status, reply.body], [404, NOT_SHOWN])
  }
  assert.deepEqual(await feedbackOf('bob@example.com'), [])
})

for (const [field, body] of [
  ['kind', { search_id: 'x', document_id: 'x', kind: 'sideways' }],
  ['document_id', { search_id: 'x', document_id: '', kind: 'up' }],
  ['search_id', { document_id: 'x', kind: 'up' }],
] as const) {
  test(`feedback with an invalid ${field} is rejected`, async () => {
    const { status, body: answer } = await ask('POST', '/search/feedback', { body })
    assert.deepEqual([status, answer.detail[0].loc], [422, ['body', field]])
  })
}

test('a curator can judge a document, and a second judgement replaces the first', async () => {
  const first = await judged({ query: ' Harbour  Hours ', document_id: 'harbour', grade: 1 })
  const { id, user_id, judged_at, ...rest } = await judged({
    query: 'harbour hours',
    document_id: 'harbour',
    grade: '3',
  })
  const document = { document_id: 'harbour', semantic_identifier: 'A note' }
  assert.deepEqual(rest, { query: 'harbour hours', ...document, grade: 3 })
  assert.notEqual(id, first.id)
  assert.match(judged_at, /^\d{4}-/)
  const other = await judged({ query: 'somewhere else', document_id: 'master', grade: 0 })
  assert.deepEqual(await ok('GET', `${JUDGEMENTS}?query=HARBOUR+hours`), [{ id, user_id, judged_at, ...rest }])
  assert.deepEqual(
    (await ok('GET', `${JUDGEMENTS}?after=${id}&limit=1`)).map((it: { id: number }) => it.id),
    [other.id],
  )
})

test('a judgement that is deleted is gone', async () => {
  const { id } = await judged({ query: 'gone', document_id: 'harbour', grade: 2 })
  assert.equal(await ok('DELETE', `${JUDGEMENTS}/${id}`, { key: keys.curator! }), null)
  const again = await ask('DELETE', `${JUDGEMENTS}/${id}`)
  assert.deepEqual([again.status, again.body.error_code], [404, 'JUDGEMENT_NOT_FOUND'])
  assert.deepEqual(await ok('GET', `${JUDGEMENTS}?query=gone`), [])
})

test('a judgement does not name a document that the reader may not read', async () => {
  const external_access = { is_public: false, external_user_emails: ['boss@example.com'], external_user_group_ids: [] }
  await push(documentOf('closed', { id: 'closed', semantic_identifier: 'CANARY', external_access }))
  await judged({ query: 'closed', document_id: 'closed', grade: 1 })
  const [judgement] = await ok('GET', `${JUDGEMENTS}?query=closed`)
  assert.equal(judgement.semantic_identifier, null)
})

test('judgements are exported as a table', async () => {
  await judged({ query: '=1+1', document_id: 'harbour', grade: 2 })
  const { text, headers } = await ask('GET', `${JUDGEMENTS}/csv`, { key: keys.curator! })
  assert.match(headers['content-type'] ?? '', /^text\/csv/)
  const [first, ...lines] = text.trim().split('\r\n')
  assert.equal(first, 'query,document_id,semantic_identifier,grade,judged_at')
  assert.match(lines.at(-1) ?? '', /^'=1\+1,harbour,A note,2,\d{4}-/)
  assert.ok(lines.some((it) => it.startsWith('closed,closed,,1,')))
})

test('judging an unknown document is rejected', async () => {
  const body = { query: 'harbour', document_id: 'never', grade: 1 }
  assert.equal((await ask('PUT', JUDGEMENTS, { body })).body.error_code, 'DOCUMENT_NOT_FOUND')
})

for (const [field, more] of [
  ['grade', { grade: 4 }],
  ['grade', { grade: -1 }],
  ['query', { query: ' ' }],
  ['query', { query: 'a\u0000' }],
  ['document_id', { document_id: '' }],
] as const) {
  test(`a judgement with ${JSON.stringify(more)} is rejected`, async () => {
    const body = { query: 'harbour', document_id: 'harbour', grade: 1, ...more }
    const { status, body: answer } = await ask('PUT', JUDGEMENTS, { body })
    assert.deepEqual([status, answer.detail[0].loc], [422, ['body', field]])
  })
}

test('deleting a person keeps their judgements and deletes their clicks and thumbs', async () => {
  const key = await makeKey({ role: 'curator', user_email: 'dan@example.com' })
  const { search_id } = await search('harbour', {}, { key })
  await say(search_id, 'harbour', 'up', key)
  const { id } = await judged({ query: 'of dan', document_id: 'harbour', grade: 2 }, key)
  const { text } = await ask('GET', '/admin/person/dan@example.com/export')
  assert.match(text, /"kind":"search_feedback".*"thumb":"up"/)
  assert.match(text, new RegExp(`"kind":"judgement","id":${id},"query":"of dan","document_id":"harbour","grade":2`))
  await ok('DELETE', '/admin/person/dan@example.com')
  assert.equal((await say(search_id, 'harbour', 'up', key)).status, 401)
  assert.equal((await ok('GET', `${JUDGEMENTS}?query=of+dan`)).length, 1)
})
