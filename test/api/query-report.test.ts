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
    slow: 0,
    is_complete: true,
    latency_ms: null,
    days: [],
    top: [],
    zero_results: [],
    low_click: [],
    slow_queries: [],
    sources: [],
    groups: [],
    withheld_groups: 0,
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
  const named = (lines: Reply['body'][]) => lines.map(({ slow: _, mean_ms: __, slowest_ms: ___, ...rest }) => rest)
  const harbour = { query: 'harbour', searches: 6, people: 3, empty: 0, answered: 1, mean_total: 1 }
  const xylophone = { query: 'xylophone', searches: 3, people: 3, empty: 3, answered: 0, mean_total: 0 }
  assert.deepEqual(
    {
      ...{ searches, empty, answered, withheld },
      ...{ top: named(top), zero_results: named(zero_results), low_click: named(low_click) },
    },
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
  assert.deepEqual(named((await report('?limit=1')).top), [harbour])
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

test('sources and groups are counted, and a group of few people is withheld', async () => {
  const members = ['ann', 'bob', 'cara']
  const people: Reply['body'][] = (await ok('GET', '/manage/users')).accepted
  const idOf = (name: string) => people.find((it) => it.email === `${name}@example.com`).id
  const group = (name: string, names: string[]) =>
    ok('POST', '/manage/admin/user-group', { body: { name, user_ids: names.map(idOf), cc_pair_ids: [] } })
  await group('Sailors', members)
  await group('Captains', ['ann'])
  const { sources, groups, withheld_groups } = await report()
  assert.deepEqual(sources, [{ source: 'web', shown: 6, answered: 1 }])
  const sailors = groups.find((it: { group: string }) => it.group === 'Sailors')
  assert.deepEqual([sailors.people, sailors.searches, sailors.empty, sailors.answered], [3, 10, 4, 1])
  assert.ok(groups.every((it: { group: string }) => it.group !== 'Captains'))
  assert.ok(withheld_groups >= 1)
})

test('each list is exported as a table, without withheld queries', async () => {
  const csv = (list: string) => ask('GET', `/admin/relevance/queries/csv?list=${list}`)
  const top = await csv('top')
  assert.match(top.headers['content-type'] ?? '', /^text\/csv/)
  const lines = top.text.split('\r\n')
  assert.equal(lines[0], 'query,searches,empty,answered,slow,people,mean_total,mean_ms,slowest_ms')
  assert.match(lines[1]!, /^harbour,6,0,1,/)
  assert.equal(top.text.includes('salary'), false)
  assert.equal((await csv('sources')).text, 'source,shown,answered\r\nweb,6,1\r\n')
  assert.match((await csv('groups')).text, /^group,people,searches,empty,answered,slow\r\nSailors,3,10,4,1,/)
  assert.match((await csv('days')).text, /^day,searches,empty,answered,slow\r\n\d{4}-/)
  for (const list of ['zero_results', 'low_click', 'slow_queries']) assert.equal((await csv(list)).status, 200)
  const refused = await ask('GET', '/admin/relevance/queries/csv')
  assert.deepEqual([refused.status, refused.body.detail[0].loc], [422, ['query', 'list']])
})

test('with query history disabled, no query text is shown', async () => {
  const before = await report()
  assert.ok(before.top.length > 0)
  await ok('PATCH', '/admin/settings', { body: { query_history_type: 'disabled' } })
  const { top, zero_results, low_click, slow_queries, groups, withheld } = await report()
  assert.deepEqual([top, zero_results, low_click, slow_queries, groups], [[], [], [], [], []])
  assert.ok(withheld.queries > before.withheld.queries)
  assert.equal(withheld.min_people, null)
  assert.match(withheld.reason, /query_history_type is "disabled"/)
})
