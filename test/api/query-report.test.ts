// The query report of administrators.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Reply } from './request.ts'
import { documentOf, start } from './setup.ts'

const { ask, ok, push, search, makeKey } = await start()

const report = (query = ''): Promise<Reply['body']> => ok('GET', `/admin/relevance/queries${query}`)
const keys: string[] = []
before(async () => {
  await push(documentOf('The harbour opens at six.', { id: 'harbour' }))
  for (const name of ['ann', 'bob', 'cara']) {
    keys.push(await makeKey({ role: 'basic', user_email: `${name}@example.com` }))
  }
})

test('the report is empty before the first search', async () => {
  const { from, until, ...rest } = await report('?days=1')
  const [first, last] = [Date.parse(from), Date.parse(until)]
  assert.equal(last - first, 86_400_000)
  assert.deepEqual(rest, {
    searches: 0,
    empty: 0,
    answered: 0,
    is_complete: true,
    latency_ms: null,
    days: [],
    top: [],
    zero_results: [],
    low_click: [],
    withheld: { queries: 0, searches: 0, min_people: 3, reason: null },
  })
})

test('queries of many users are listed, and queries of one user are only counted', async () => {
  let search_id = ''
  for (const key of keys) {
    search_id = (await search('Harbour', {}, { key })).search_id
    await search(' harbour ', {}, { key })
    await search('xylophone', {}, { key })
  }
  await search('salary of ann', {}, { key: keys[1]! })
  await search('harb', { record: false }, { key: keys[1]! })
  const body = { search_id, document_id: 'harbour', kind: 'up' }
  await ok('POST', '/search/feedback', { key: keys.at(-1)!, body })
  const { text, body: answer } = await ask('GET', '/admin/relevance/queries')
  const { latency_ms, days, searches, empty, answered, top, zero_results, low_click, withheld } = answer
  assert.ok(latency_ms.p50 <= latency_ms.p95 && latency_ms.p95 <= latency_ms.p99)
  assert.equal(
    days.reduce((sum: number, it: { searches: number }) => sum + it.searches, 0),
    10,
  )
  const harbour = { query: 'harbour', searches: 6, people: 3, empty: 0, answered: 1, mean_total: 1 }
  const xylophone = { query: 'xylophone', searches: 3, people: 3, empty: 3, answered: 0, mean_total: 0 }
  assert.deepEqual(
    { searches, empty, answered, top, zero_results, low_click, withheld },
    {
      searches: 10,
      empty: 4,
      answered: 1,
      top: [harbour, xylophone],
      zero_results: [xylophone],
      low_click: [harbour],
      withheld: { queries: 1, searches: 1, min_people: 3, reason: withheld.reason },
    },
  )
  assert.match(
    withheld.reason,
    /^1 query is not listed: fewer than 3 people asked it, .* query_min_people .* PATCH \/admin\/settings/,
  )
  assert.equal(/salary|ann|example\.com|user_id/.test(text), false)
  assert.deepEqual((await report('?limit=1')).top, [harbour])
})

test('with the threshold set to 1 every query is listed, and nothing is withheld', async () => {
  await ok('PATCH', '/admin/settings', { body: { query_min_people: 1 } })
  const { top, withheld } = await report()
  assert.ok(top.some((it: { query: string }) => it.query === 'salary of ann'))
  assert.deepEqual(withheld, { queries: 0, searches: 0, min_people: 1, reason: null })
  const { status, body } = await ask('PATCH', '/admin/settings', { body: { query_min_people: 0 } })
  assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'query_min_people']])
  await ok('PATCH', '/admin/settings', { body: { query_min_people: null } })
  assert.equal((await ok('GET', '/settings')).query_min_people, 3)
})

for (const query of ['days=0', 'days=366', 'limit=0', 'limit=101', 'days=x']) {
  test(`${query} is refused`, async () => {
    const { status, body } = await ask('GET', `/admin/relevance/queries?${query}`)
    assert.deepEqual([status, body.detail[0].loc], [422, ['query', query.split('=')[0]]])
  })
}

test('with query history disabled, no query text is shown', async () => {
  const before = await report()
  assert.ok(before.top.length > 0)
  await ok('PATCH', '/admin/settings', { body: { query_history_type: 'disabled' } })
  const { top, zero_results, low_click, withheld } = await report()
  assert.deepEqual([top, zero_results, low_click], [[], [], []])
  assert.ok(withheld.queries > before.withheld.queries)
  assert.equal(withheld.min_people, null)
  assert.match(withheld.reason, /query_history_type is "disabled"/)
})
