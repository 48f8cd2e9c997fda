import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDurations, bucketOf, countDurations, type DurationCounts, percentileOf } from './durations.ts'

const counted = (durations: readonly number[]): DurationCounts =>
  durations.map((it) => ({ [bucketOf(it)]: 1 })).reduce(addDurations, {})

test('a percentile is at most 4.5 % from the exact value', () => {
  for (const exact of [1.2, 3, 17, 250, 999, 5_000, 60_000]) {
    const found = percentileOf(counted([exact]), 0.5) ?? 0
    assert.ok(Math.abs(found - exact) / exact < 0.045, `${exact} became ${found}`)
  }
})

test('percentiles of added counts are those of all durations, not averages', () => {
  const quick = counted(Array.from({ length: 990 }, () => 10))
  const slow = counted(Array.from({ length: 10 }, () => 4_000))
  const both = addDurations(quick, slow)
  assert.equal(countDurations(both), 1_000)
  assert.equal(percentileOf(both, 0.5), percentileOf(quick, 0.5))
  assert.equal(percentileOf(both, 0.99), percentileOf(quick, 0.99))
  assert.equal(percentileOf(both, 0.995), percentileOf(slow, 0.5))
})

test('there is no percentile of nothing', () => assert.equal(percentileOf({}, 0.5), null))

test('durations that are no numbers, negative or very long are counted at an end', () => {
  assert.deepEqual([bucketOf(Number.NaN), bucketOf(-1), bucketOf(1), bucketOf(1e12)], [0, 0, 0, 136])
})
