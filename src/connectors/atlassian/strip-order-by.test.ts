import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripOrderBy } from './strip-order-by.ts'

const cases: [query: string, rest: string][] = [
  ['project = A order by rank', 'project = A '],
  ['project = A ORDER  BY rank desc', 'project = A '],
  ['summary ~ "order by me"', 'summary ~ "order by me"'],
  ['(a = 1) order by b', '(a = 1) '],
  ['a = 1 order by f()', 'a = 1 order by f()'],
  ['border by x', 'border by x'],
  [`order by${' '.repeat(200_000)}"`, `order by${' '.repeat(200_000)}"`],
]
for (const [query, rest] of cases) {
  test(`${query.slice(0, 40)} loses its ORDER BY`, () => assert.equal(stripOrderBy(query), rest))
}
