import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counter, gauge, histogram } from './instruments.ts'

test('a counter has a line for each set of labels', () => {
  const it = counter({ name: 'a_total', help: 'All of them.' })
  assert.equal(it.text(), '')
  it.add(1, { kind: 'x' })
  it.add(2, { kind: 'x' })
  it.add(5, { kind: 'y' })
  assert.equal(
    it.text(),
    '# HELP a_total All of them.\n# TYPE a_total counter\na_total{kind="x"} 3\na_total{kind="y"} 5\n',
  )
})

test('a gauge reports its last value', () => {
  const it = gauge({ name: 'b', help: 'Now.' })
  it.set(3)
  it.set(1.5)
  assert.equal(it.text(), '# HELP b Now.\n# TYPE b gauge\nb 1.5\n')
})

test('a value that is not finite is reported as NaN', () => {
  const it = gauge({ name: 'b', help: 'Now.' })
  it.set(Number.POSITIVE_INFINITY)
  assert.match(it.text(), /^b NaN$/m)
})

test('histogram buckets are cumulative and include their bound', () => {
  const it = histogram({ name: 'c', help: 'How long.', bounds: [1, 2] })
  for (const value of [0.5, 1, 1.5, 9]) it.observe(value, { route: '/a' })
  assert.deepEqual(it.text().split('\n').slice(2), [
    'c_bucket{route="/a",le="1"} 2',
    'c_bucket{route="/a",le="2"} 3',
    'c_bucket{route="/a",le="+Inf"} 4',
    'c_sum{route="/a"} 12',
    'c_count{route="/a"} 4',
    '',
  ])
})

test('label values are escaped', () => {
  const it = counter({ name: 'd_total', help: 'Odd.' })
  it.add(1, { kind: 'a"b\\c\nd' })
  assert.match(it.text(), /^d_total\{kind="a\\"b\\\\c\\nd"\} 1$/m)
})
