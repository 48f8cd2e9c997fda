import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRankings, ndcgGain, summarizeComparisons } from './compare-rankings.ts'

const graded = (grades: Record<string, number>) => new Map(Object.entries(grades))
const moved = (current: string, changed: string, grades: Record<string, number> = {}) =>
  compareRankings({ current: [...current], changed: [...changed] }, graded(grades))

test('a query is worse when a relevant document moves down, and better when it moves up', () => {
  assert.ok(ndcgGain(moved('ab', 'ba', { a: 3 })) < 0)
  assert.ok(ndcgGain(moved('ab', 'ba', { b: 1 })) > 0)
  assert.equal(ndcgGain(moved('ab', 'ba', { c: 1 })), 0)
})

test('without relevant documents a query is neither better nor worse', () => {
  assert.equal(moved('ab', 'ba', { a: 0 }).ndcg, null)
  assert.equal(moved('ab', 'ba').ndcg, null)
})

test('many queries give a summary', () => {
  const { ndcg, overlap, difference, ...counts } = summarizeComparisons([
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

test('without queries there are no means', () => {
  assert.deepEqual(summarizeComparisons([]), {
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
