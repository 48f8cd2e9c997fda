import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, gainOf, summary } from './compare.ts'

const graded = (grades: Record<string, number>) => new Map(Object.entries(grades))
const moved = (current: string, changed: string, grades: Record<string, number> = {}) =>
  compare({ current: [...current], changed: [...changed] }, graded(grades))

test('a judged document that goes down makes a query worse, one that goes up makes it better', () => {
  assert.ok(gainOf(moved('ab', 'ba', { a: 3 })) < 0)
  assert.ok(gainOf(moved('ab', 'ba', { b: 1 })) > 0)
  assert.equal(gainOf(moved('ab', 'ba', { c: 1 })), 0)
})

test('where nothing fits, nothing is better or worse', () => {
  assert.equal(moved('ab', 'ba', { a: 0 }).ndcg, null)
  assert.equal(moved('ab', 'ba').ndcg, null)
})

test('many queries are summed up', () => {
  const { ndcg, overlap, difference, ...counts } = summary([
    moved('ab', 'ab', { a: 1 }),
    moved('ab', 'ba', { a: 1 }),
    moved('ab', 'ba', { b: 1 }),
    moved('ab', 'cd'),
  ])
  assert.deepEqual(counts, { judged: 3, better: 1, worse: 1, same: 1, moved: 3 })
  const half = 1 / Math.log2(3)
  assert.deepEqual(ndcg, { current: (2 + half) / 3, changed: (2 + half) / 3 })
  assert.equal(overlap, 0.75)
  assert.ok(difference! > 0.25 && difference! < 1)
})

test('of nothing there is no mean', () => {
  assert.deepEqual(summary([]), {
    judged: 0,
    better: 0,
    worse: 0,
    same: 0,
    moved: 0,
    ndcg: null,
    overlap: null,
    difference: null,
  })
})
