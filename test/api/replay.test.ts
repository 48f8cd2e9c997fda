// Ranking changes are tried on recorded queries before they are applied.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { server, ask, ok, push, search, makeKey } = await start()

const CANARY = 'Canary of the board'
const people: { key: string; user_email: string }[] = []
let boss = ''
before(async () => {
  await push(documentOf('ranked ranked ranked', { id: 'strong', semantic_identifier: 'Strong' }))
  await push(documentOf('ranked among some other words', { id: 'weak', semantic_identifier: 'Weak' }))
  await push(documentOf('harbour harbour harbour', { id: 'harbour' }))
  await push(documentOf('harbour among some other words', { id: 'quay' }))
  const external_access = {
    is_public: false,
    external_user_emails: ['boss@example.com'],
    external_user_group_ids: [],
  }
  await push(documentOf('ranked ranked', { id: 'closed', semantic_identifier: CANARY, external_access }))
  boss = await makeKey({ role: 'basic', user_email: 'boss@example.com' })
  for (const name of ['ann', 'bob', 'cara']) {
    const user_email = `${name}@example.com`
    people.push({ user_email, key: await makeKey({ role: 'basic', user_email }) })
  }
})

const UP = {
  boosts: [
    { document_id: 'weak', factor: 10 },
    { document_id: 'quay', factor: 10 },
  ],
}
const replay = (body: object): Promise<Reply['body']> => ok('POST', '/admin/relevance/replay', { body })
const judge = (query: string, document_id: string, grade: number) =>
  ok('PUT', '/admin/relevance/judgements', { body: { query, document_id, grade } })
const idsOf = (list: { document_id: string }[]) => list.map((it) => it.document_id)
const listsOf = ({ current, changed }: Reply['body']) => [idsOf(current), idsOf(changed)]

test('settings that demote the answer make the query worse, and are not applied', async () => {
  const ranking = await ok('GET', '/admin/ranking')
  await judge('Ranked', 'strong', 3)
  const { took_ms, ...answer } = await replay({ settings: UP, queries: ['ranked'] })
  const worse = 3 / Math.log2(3) / 3
  const strong = { document_id: 'strong', semantic_identifier: 'Strong', grade: 3 }
  const weak = { document_id: 'weak', semantic_identifier: 'Weak', grade: null }
  const { difference } = answer
  assert.ok(took_ms >= 0 && difference > 0 && difference < 0.5, `${took_ms} ${difference}`)
  assert.deepEqual(answer, {
    tried: 1,
    judged: 1,
    better: 0,
    worse: 1,
    same: 0,
    moved: 1,
    ndcg_10: { current: 1, changed: worse },
    overlap_10: 1,
    difference,
    without_asker: 0,
    without_meaning: 0,
    is_complete: true,
    worse_queries: [
      {
        query: 'ranked',
        ndcg_10: { current: 1, changed: worse },
        overlap_10: 1,
        difference,
        current: [strong, weak],
        changed: [weak, strong],
      },
    ],
    better_queries: [],
    moved_queries: [],
    withheld: 0,
    withheld_reason: null,
  })
  assert.deepEqual(await ok('GET', '/admin/ranking'), ranking)
  assert.deepEqual(idsOf((await search('ranked', { record: false })).results), ['strong', 'weak'])
})

test('settings that promote the answer make the query better, and equal settings change nothing', async () => {
  await judge('ranked at all', 'weak', 2)
  const { better, worse, better_queries } = await replay({ settings: UP, queries: ['ranked at all'], as: 'me' })
  assert.deepEqual([better, worse], [1, 0])
  assert.deepEqual(listsOf(better_queries[0]), [
    ['strong', 'weak'],
    ['weak', 'strong'],
  ])
  const queries = ['ranked', ' RANKED ', 'ranked at all']
  const { same, moved, overlap_10, difference } = await replay({ settings: {}, queries })
  assert.deepEqual({ same, moved, overlap_10, difference }, { same: 2, moved: 0, overlap_10: 1, difference: 0 })
})

test('stored settings count as current, and null removes them in the trial only', async () => {
  await ok('PATCH', '/admin/ranking', { body: UP })
  const { better, worse } = await replay({ settings: { boosts: null }, queries: ['ranked'] })
  assert.deepEqual([better, worse], [1, 0])
  assert.deepEqual((await ok('GET', '/admin/ranking')).boosts, UP.boosts)
  await ok('PATCH', '/admin/ranking', { body: { boosts: null } })
})

test('recorded queries are replayed, judged ones first, and clicks count as judgements', async () => {
  for (const { key } of people) {
    const { search_id } = await search('harbour', {}, { key })
    await ok('POST', '/search/feedback', { key, body: { search_id, document_id: 'harbour', kind: 'click' } })
  }
  const all = await replay({ settings: UP, last: 1_000 })
  const harbour = all.worse_queries.find((it: { query: string }) => it.query === 'harbour')
  assert.deepEqual(listsOf(harbour), [
    ['harbour', 'quay'],
    ['quay', 'harbour'],
  ])
  assert.deepEqual(
    harbour.current.map((it: { grade: number | null }) => it.grade),
    [1, null],
  )
  await judge('somewhere else', 'harbour', 1)
  const first = await replay({ settings: UP, last: 1 })
  assert.deepEqual([first.tried, first.judged, first.same], [1, 1, 1])
})

test('queries sorted by date are not replayed', async () => {
  const { tried } = await replay({ settings: UP, last: 1_000 })
  await search('harbour among', { sort: 'date' })
  assert.equal((await replay({ settings: UP, last: 1_000 })).tried, tried)
})

test('a query of few users is counted but not shown, unless the administrator allows it', async () => {
  const before = await replay({ settings: UP, last: 1_000 })
  for (const { key } of people.slice(0, 2)) await search('harbour some', {}, { key })
  const shownIn = ({ moved_queries }: Reply['body']) =>
    moved_queries.filter((it: { query: string }) => it.query === 'harbour some').length
  const few = await replay({ settings: UP, last: 1_000 })
  assert.deepEqual([shownIn(few), few.withheld, few.tried], [0, before.withheld + 1, before.tried + 1])
  assert.match(few.withheld_reason, /fewer than 3 people asked it, .* query_min_people/)
  await ok('PATCH', '/admin/settings', { body: { query_min_people: 2 } })
  assert.equal(shownIn(await replay({ settings: UP, last: 1_000 })), 1)
  await ok('PATCH', '/admin/settings', { body: { query_min_people: null } })
})

test('queries are replayed as their users, without naming documents that the administrator may not read', async () => {
  const found = idsOf((await search('ranked ranked', {}, { key: boss })).results)
  assert.deepEqual(found.toSorted(), ['closed', 'strong', 'weak'])
  await ok('PATCH', '/admin/settings', { body: { query_min_people: 1 } })
  const settings = { boosts: [{ document_id: 'closed', factor: found[0] === 'closed' ? 0.1 : 10 }] }
  const question = { body: { settings, last: 1_000 } }
  const { text, body } = await ask('POST', '/admin/relevance/replay', question)
  assert.equal(text.includes(CANARY) || text.includes('"closed"'), false)
  const own = body.moved_queries.find((it: { query: string }) => it.query === 'ranked ranked')
  assert.ok(own.difference > 0, 'it was ranked for the person who asked')
  assert.deepEqual(listsOf(own), [
    ['strong', 'weak'],
    ['strong', 'weak'],
  ])
  const asMe = await replay({ settings, last: 1_000, as: 'me' })
  assert.equal(asMe.moved, 0)
  await ok('PATCH', '/admin/settings', { body: { query_min_people: null } })
})

test('a judged document that the user cannot access does not count as missing', async () => {
  await judge('ranked among', 'closed', 3)
  assert.equal((await replay({ settings: UP, queries: ['ranked among'] })).judged, 0)
})

test('queries of a deleted key are skipped and counted', async () => {
  const { api_key, api_key_id } = await ok('POST', '/admin/api-key', { body: { role: 'basic' } })
  await search('harbour other words', {}, { key: api_key })
  const before = await replay({ settings: UP, last: 1_000 })
  await ok('DELETE', `/admin/api-key/${api_key_id}`)
  const after = await replay({ settings: UP, last: 1_000 })
  assert.deepEqual([after.tried, after.without_asker], [before.tried - 1, before.without_asker + 1])
})

test('a disconnected client frees its slot', async () => {
  const body = { settings: UP, last: 1_000 }
  const gone = new AbortController()
  const authorization = `Bearer ${server.key}`
  const first = fetch(`${server.url}/admin/relevance/replay`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: gone.signal,
  })
  const isGone = assert.rejects(first, { name: 'AbortError' })
  setTimeout(() => gone.abort(), 20)
  await isGone
  assert.equal((await replay(body)).is_complete, true)
})

for (const [loc, body] of [
  [['body', 'settings'], {}],
  [['body', 'settings', 'half_life_days'], { settings: { half_life_days: 0 } }],
  [['body', 'last'], { settings: {}, last: 1_001 }],
  [['body', 'queries', 0], { settings: {}, queries: [' '] }],
  [['body', 'as'], { settings: {}, as: 'nobody' }],
] as const) {
  test(`${JSON.stringify(body)} is refused at ${loc.join('.')}`, async () => {
    const { status, body: answer } = await ask('POST', '/admin/relevance/replay', { body })
    assert.deepEqual([status, answer.detail[0].loc], [422, loc])
  })
}
