// Recorded queries: their fields, retention and deletion.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey } = await start()

before(async () => {
  await push(documentOf('The harbour opens at six.', { id: 'harbour', source: 'wiki' }))
  await push(documentOf('The harbour master is away.', { id: 'master', source: 'file' }))
})

let people = 0
const makePerson = async () => {
  const user_email = `person-${++people}@example.com`
  return { user_email, key: await makeKey({ role: 'basic', user_email }) }
}
const linesOf = async (email: string, kind: string): Promise<Reply['body'][]> => {
  const { text } = await ask('GET', `/admin/person/${email}/export`)
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return lines.filter((it) => it.kind === kind)
}
const recordedOf = (email: string) => linesOf(email, 'recorded_query')

test('a search is recorded with its filters and first page', async () => {
  const { user_email, key } = await makePerson()
  const answer = await search('Harbour', { sources: ['wiki', 'file'] }, { key })
  const [line, ...others] = await recordedOf(user_email)
  assert.deepEqual(others, [])
  const { asked_at, took_ms, ...rest } = line
  assert.match(answer.search_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, {
    kind: 'recorded_query',
    search_id: answer.search_id,
    query: 'Harbour',
    filters: { source_types: ['wiki', 'file'] },
    document_ids: answer.results.map((it: { document_id: string }) => it.document_id),
    total: 2,
    ranked_by: 'words',
  })
  assert.ok(took_ms >= 0 && Date.parse(asked_at) <= Date.now())
})

const NOT_WRITTEN: [what: string, query: string, more: object][] = [
  ['a query that is still being typed', 'harb', { record: false }],
  ['a later page by offset', 'harbour', { offset: 1 }],
  ['a query that a database cannot hold', 'harbour\u0000', {}],
]
for (const [what, query, more] of NOT_WRITTEN) {
  test(`${what} is not recorded`, async () => {
    const { user_email, key } = await makePerson()
    assert.equal((await search(query, { ...more }, { key })).search_id, null)
    assert.deepEqual(await recordedOf(user_email), [])
  })
}

test('a later page by cursor is not recorded', async () => {
  const { user_email, key } = await makePerson()
  const { next_cursor } = await search('harbour', { num_hits: 1 }, { key })
  assert.equal((await search('harbour', { num_hits: 1, cursor: next_cursor }, { key })).search_id, null)
  assert.equal((await recordedOf(user_email)).length, 1)
})

test('with 0 days nothing is recorded', async () => {
  const { user_email, key } = await makePerson()
  await ok('PATCH', '/admin/settings', { body: { recorded_query_retention_days: 0 } })
  assert.equal((await search('harbour', {}, { key })).search_id, null)
  await ok('PATCH', '/admin/settings', { body: { recorded_query_retention_days: null } })
  assert.deepEqual(await recordedOf(user_email), [])
})

test('recorded queries are deleted with the person, including buffered ones', async () => {
  const [gone, other] = [await makePerson(), await makePerson()]
  await search('harbour', {}, { key: gone.key })
  await search('harbour', {}, { key: other.key })
  await ok('DELETE', `/admin/person/${gone.user_email}`)
  await makeKey({ role: 'basic', user_email: gone.user_email })
  assert.deepEqual(await recordedOf(gone.user_email), [])
  assert.equal((await recordedOf(other.user_email)).length, 1)
})
