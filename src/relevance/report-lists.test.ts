import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainWithheldQueries } from '../domain/search/relevance.ts'
import type { StoredQuery } from '../store/search/recorded-queries.ts'
import { reportGroups, reportLists } from './report-lists.ts'
import { createSearchTally } from './search-tally.ts'
import { createSourceTally } from './source-tally.ts'

const DAY_MS = 86_400_000
let searches = 0
const search = (query: string, more: Partial<StoredQuery> = {}): StoredQuery => ({
  id: ++searches,
  search_id: String(searches),
  user_id: 'one',
  query,
  query_key: query.toLowerCase(),
  filters: {},
  document_ids: [],
  total: 2,
  ranked_by: 'words',
  took_ms: 10,
  asked_at: 0,
  ...more,
})
const tallyOf = (found: [StoredQuery, isAnswered: boolean][]) => {
  const tally = createSearchTally()
  for (const [it, isAnswered] of found) tally.add(it, isAnswered)
  return tally
}

test('searches are counted by day, and latencies reported by percentile', () => {
  const { figures } = tallyOf([
    [search('b', { asked_at: DAY_MS, took_ms: 300 }), true],
    [search('a', { took_ms: 20 }), false],
    [search('c', { total: 0 }), false],
  ])
  assert.deepEqual(figures(), {
    searches: 3,
    empty: 1,
    answered: 1,
    slow: 1,
    latency_ms: { p50: 20, p95: 300, p99: 300 },
    days: [
      { day: '1970-01-01', searches: 2, empty: 1, answered: 0, slow: 0 },
      { day: '1970-01-02', searches: 1, empty: 0, answered: 1, slow: 1 },
    ],
  })
})

test('without searches there are no latencies', () => assert.equal(tallyOf([]).figures().latency_ms, null))

test('searches of one person count as one person, and queries are compared case-insensitively', () => {
  const tally = tallyOf([
    [search(' Harbour', { user_id: 'ann', query_key: 'k', total: 1 }), true],
    [search('harbour', { user_id: 'ann', query_key: 'k' }), false],
    [search('HARBOUR', { user_id: 'gone', query_key: 'k', total: 0, took_ms: 40 }), false],
  ])
  const counts = { empty: 1, answered: 1, slow: 0 }
  assert.deepEqual(reportLists(tally.queries(), 2, 10).top, [
    { query: 'harbour', searches: 3, people: 2, ...counts, mean_total: 1, mean_ms: 20, slowest_ms: 40 },
  ])
})

test('queries that too few people asked are counted as withheld', () => {
  const tally = tallyOf([
    [search('rare', { total: 0 }), false],
    [search('rare', { total: 0 }), false],
  ])
  assert.deepEqual(reportLists(tally.queries(), 2, 10), {
    top: [],
    zero_results: [],
    low_click: [],
    slow_queries: [],
    withheld: { queries: 1, searches: 2, min_people: 2, reason: explainWithheldQueries(1, 2) },
  })
})

const times = (count: number, query: string, answered: number, more: Partial<StoredQuery> = {}) =>
  Array.from({ length: count }, (_, at): [StoredQuery, boolean] => [search(query, more), at < answered])
const LISTS: [
  what: string,
  found: [StoredQuery, boolean][],
  list: 'top' | 'zero_results' | 'low_click' | 'slow_queries',
  expected: string[],
][] = [
  [
    'queries sorted by frequency, then by text',
    [...times(1, 'b', 0), ...times(1, 'a', 0), ...times(2, 'c', 0)],
    'top',
    ['c', 'a', 'b'],
  ],
  [
    'queries without results',
    [...times(1, 'a', 0, { total: 0 }), ...times(2, 'b', 0, { total: 0 }), ...times(3, 'c', 0)],
    'zero_results',
    ['b', 'a'],
  ],
  [
    'queries whose results are rarely opened',
    [...times(5, 'a', 0), ...times(10, 'b', 1), ...times(10, 'c', 2), ...times(4, 'd', 0)],
    'low_click',
    ['b', 'a'],
  ],
  [
    'queries with slow searches',
    [
      ...times(1, 'a', 0, { took_ms: 300 }),
      ...times(2, 'b', 0, { took_ms: 400 }),
      ...times(3, 'c', 0, { took_ms: 299 }),
    ],
    'slow_queries',
    ['b', 'a'],
  ],
  ['no queries without results', times(9, 'a', 0, { total: 0 }), 'low_click', []],
]
for (const [what, found, list, expected] of LISTS) {
  test(`${list} has ${what}`, () => {
    const lists = reportLists(tallyOf(found).queries(), 1, 10)
    assert.deepEqual(
      lists[list].map((it) => it.query),
      expected,
    )
  })
}

test('a list ends at its limit', () => {
  const { queries } = tallyOf([...times(1, 'a', 0), ...times(1, 'b', 0)])
  assert.equal(reportLists(queries(), 1, 1).top.length, 1)
})

test('a person counts in each group, and groups of too few people are withheld', () => {
  const tally = tallyOf([
    [search('a', { user_id: 'ann', took_ms: 300 }), true],
    [search('b', { user_id: 'ann', total: 0 }), false],
    [search('a', { user_id: 'bob' }), false],
    [search('a', { user_id: 'eve' }), false],
  ])
  const groupsOf = new Map([
    ['ann', ['Board', 'Staff']],
    ['bob', ['Staff']],
  ])
  const staff = { group: 'Staff', people: 2, searches: 3, empty: 1, answered: 1, slow: 1 }
  assert.deepEqual(reportGroups(tally.users(), groupsOf, 2), { groups: [staff], withheld_groups: 2 })
  const { groups } = reportGroups(tally.users(), groupsOf, 1)
  assert.deepEqual(
    groups.map((it) => [it.group, it.people, it.searches]),
    [
      ['Staff', 2, 3],
      ['Board', 1, 2],
      [null, 1, 1],
    ],
  )
})

test('a source counts once a search, and each document is looked up once', async () => {
  const asked: string[] = []
  const { add, sources } = createSourceTally(async (ids) => {
    asked.push(...ids)
    return new Map(ids.filter((it) => it !== 'gone').map((it) => [it, it.slice(0, 3)]))
  })
  await add([
    { document_ids: ['web1', 'web2', 'jira1', 'gone'], opened: ['jira1'] },
    { document_ids: ['web1'], opened: [] },
  ])
  await add([{ document_ids: ['web2'], opened: ['web2'] }])
  assert.deepEqual(sources(), [
    { source: 'web', shown: 3, answered: 1 },
    { source: 'jir', shown: 1, answered: 1 },
  ])
  assert.deepEqual(asked.toSorted(), ['gone', 'jira1', 'web1', 'web2'])
})
