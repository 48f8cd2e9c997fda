import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchResponse } from '../../src/client/schemas.ts'
import { facetGroups, outsideSpans, valueLabel } from '../../web/src/pages/search/facets.ts'

const foundWith = (tags: Record<string, number>, times: Record<string, number> = {}, total = 100): SearchResponse => {
  const valuesOf = (counts: Record<string, number>) =>
    Object.entries(counts).map(([value, count]) => ({ value, count }))
  const facets = [
    { field: 'tag' as const, values: valuesOf(tags), count_relation: 'eq' as const },
    { field: 'time' as const, values: valuesOf(times), count_relation: 'eq' as const },
  ]
  return { total, total_relation: 'eq', facets, results: [] } as unknown as SearchResponse
}
const shown = (tags: Record<string, number>, tag: string[] = []) =>
  facetGroups(foundWith(tags), { tag }).map((group) => [
    group.key,
    ...group.values.map((it) => valueLabel(group, it.value)),
  ])

const cases: [what: string, tags: Record<string, number>, shown: string[][]][] = [
  [
    'values of one key are grouped',
    { 'team=a': 9, 'kind=x': 50, 'team=b': 3 },
    [
      ['kind', 'x'],
      ['team', 'a', 'b'],
    ],
  ],
  ['a key whose values all occur once is left out', { 'id=1': 1, 'id=2': 1, 'team=a': 2 }, [['team', 'a']]],
  ['a key that names most documents is left out', { 'path=/a': 1, 'path=/b': 1, 'path=/c': 2 }, []],
  [
    'a key that divides the results is shown, whatever its name',
    { 'path=/a': 5, 'path=/b': 4 },
    [['path', '/a', '/b']],
  ],
  ['a value that all documents have is left out', { 'collection=all': 100 }, []],
  ['a value may contain an equals sign', { 'query=a=b': 5 }, [['query', 'a=b']]],
]
for (const [what, tags, expected] of cases) test(what, () => assert.deepEqual(shown(tags), expected))

test('selected values stay', () => {
  assert.deepEqual(shown({ 'id=1': 1 }, ['path=/a', 'id=1']), [
    ['id', '1'],
    ['path', '/a'],
  ])
  assert.deepEqual(shown({}, ['id=1']), [['id', '1']])
})

test('older and undated documents make up the rest', () => {
  const times = { day: 1, week: 2, month: 3, year: 40, older: 50 }
  assert.deepEqual(outsideSpans(foundWith({}, times)), { older: 50, undated: 10 })
  assert.deepEqual(outsideSpans(undefined), { older: 0, undated: 0 })
})
