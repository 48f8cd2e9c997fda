import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_SAMPLE, type Sample } from './sample.ts'
import { type SeriesRange, type StoredSample, seriesPoints, seriesStart } from './series.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 21, 12, 34, 56)
const HOUR = Date.UTC(2026, 10, 21, 12)

const stored = (at: number, more: Partial<Sample>, process = 'a'): StoredSample => ({
  at,
  process,
  sample: { ...EMPTY_SAMPLE, measured_ms: MINUTE, ...more },
})
const measured = (range: SeriesRange, samples: readonly StoredSample[]) =>
  seriesPoints(range, NOW, samples).flatMap((it) => (it.sample === null ? [] : [{ at: it.at, ...it.sample }]))

test('a range has a point for each step, and the last one is the newest whole minute', () => {
  const points = seriesPoints('hour', NOW, [stored(HOUR + 33 * MINUTE, { answers: 2 })])
  assert.equal(points.length, 60)
  assert.deepEqual([points[0]?.at, points.at(-1)?.at], [seriesStart('hour', NOW), HOUR + 33 * MINUTE])
  assert.equal(points.at(-1)?.sample?.answers, 2)
  assert.ok(
    points.slice(0, -1).every((it) => it.sample === null),
    'no zero where nothing was measured',
  )
})

test('the periods of a step are added, and keep the worst of what can be read at any time', () => {
  const [point, ...others] = measured('day', [
    stored(HOUR + 20 * MINUTE, {
      documents_accepted: 1,
      documents_indexed: 1,
      searches: { 8: 1 },
      waiting: 5,
      oldest: { age_s: 3, reason: 'in_turn', detail: null },
      disk: { used_bytes: 10, free_bytes: 90 },
      memory_bytes: 7,
    }),
    stored(HOUR + 29 * MINUTE, {
      documents_accepted: 2,
      documents_indexed: 4,
      searches: { 8: 2, 9: 1 },
      waiting: 1,
      oldest: { age_s: 30, reason: 'retry', detail: 'no' },
      disk: { used_bytes: 20, free_bytes: 80 },
      memory_bytes: 6,
    }),
  ])
  assert.deepEqual(others, [])
  assert.deepEqual(point, {
    ...EMPTY_SAMPLE,
    at: HOUR + 20 * MINUTE,
    measured_ms: 2 * MINUTE,
    documents_accepted: 3,
    documents_indexed: 5,
    searches: { 8: 3, 9: 1 },
    waiting: 5,
    oldest: { age_s: 30, reason: 'retry', detail: 'no' },
    disk: { used_bytes: 20, free_bytes: 80 },
    memory_bytes: 7,
  })
})

test('processes are added, except for the documents that each of them indexes for itself', () => {
  const at = HOUR + 20 * MINUTE
  const [point] = measured('day', [
    stored(at, { documents_accepted: 3, documents_indexed: 3, documents_failed: 1, memory_bytes: 5 }),
    stored(at + MINUTE, { documents_indexed: 2, memory_bytes: 4 }),
    stored(at, { documents_accepted: 1, documents_indexed: 4, documents_failed: 1, memory_bytes: null }, 'b'),
  ])
  assert.equal(point?.documents_accepted, 4)
  assert.deepEqual([point?.documents_indexed, point?.documents_failed], [5, 1])
  assert.deepEqual([point?.measured_ms, point?.memory_bytes], [2 * MINUTE, 5])
})

test('a value that could not be read stays unknown', () => {
  const [point] = measured('hour', [stored(HOUR, {}), stored(HOUR, {}, 'b')])
  assert.deepEqual([point?.waiting, point?.oldest, point?.disk, point?.memory_bytes], [null, null, null, null])
})

test('a month has steps of three hours', () => {
  const points = seriesPoints('month', NOW, [stored(HOUR, {}), stored(HOUR - 60 * MINUTE, {})])
  assert.equal((points[1]?.at ?? 0) - (points[0]?.at ?? 0), 180 * MINUTE)
  assert.deepEqual(
    points.slice(-2).map((it) => it.sample?.measured_ms),
    [MINUTE, MINUTE],
  )
})
