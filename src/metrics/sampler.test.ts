import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { countDurations, percentileOf } from '../domain/samples/durations.ts'
import { combineMeters } from './combine-meters.ts'
import { createSampler, type Sampler } from './sampler.ts'

const MINUTE = 60_000
let time = 0
let sampler: Sampler
beforeEach(() => {
  time = 10 * MINUTE + 15_000
  sampler = createSampler({ now: () => time })
})

const accept = (outcome: 'created' | 'updated' | 'refused' | 'failed') =>
  sampler.meter.countAccepted({ outcome, bytes: 1, seconds: 0 })

test('everything is counted in the minute in which it happens', () => {
  const meter = combineMeters([sampler.meter])
  for (const outcome of ['created', 'updated', 'refused', 'failed'] as const) accept(outcome)
  meter.countPulled(3)
  meter.countIndexed({ indexed: 4, deleted: 1, failed: 2, seconds: 0 })
  meter.countSearch({ results: 1, seconds: 0.25, isFallback: false })
  meter.countChat({ by: 'model', seconds: 1, kept: 1, removed: 0 })
  meter.countTokens({ input: 100, output: 20 })
  const responses = [
    ['/search', 500],
    ['/search', 404],
    ['/health/ready', 503],
  ] as const
  for (const [route, status] of responses) meter.countResponse({ route, method: 'GET', status, seconds: 0 })
  assert.deepEqual(sampler.takeEnded(), [], 'the minute has not ended')

  time = 11 * MINUTE + 5
  accept('created')
  const [minute, ...others] = sampler.takeEnded()
  assert.deepEqual(others, [])
  assert.deepEqual([minute?.at, minute?.sample.measured_ms], [10 * MINUTE, 45_000])
  const { searches, measured_ms: _, ...counters } = minute!.sample
  assert.deepEqual(counters, {
    documents_accepted: 5,
    documents_indexed: 4,
    documents_failed: 2,
    answers: 1,
    input_tokens: 100,
    output_tokens: 20,
    server_errors: 1,
    waiting: null,
    oldest: null,
    disk: null,
    memory_bytes: null,
  })
  assert.equal(countDurations(searches), 1)
  assert.ok(Math.abs((percentileOf(searches, 0.5) ?? 0) - 250) < 12)

  time = 12 * MINUTE
  assert.deepEqual(
    sampler.takeEnded().map((it) => [it.at, it.sample.documents_accepted, it.sample.measured_ms]),
    [[11 * MINUTE, 1, MINUTE]],
  )
})

test('an idle minute is measured, and one in which the process slept is absent', () => {
  time = 11 * MINUTE
  sampler.takeEnded()
  time = 12 * MINUTE
  assert.deepEqual(
    sampler.takeEnded().map((it) => [it.at, it.sample.measured_ms]),
    [[11 * MINUTE, MINUTE]],
  )
  time = 20 * MINUTE + 30_000
  sampler.takeEnded()
  time = 21 * MINUTE
  assert.deepEqual(
    sampler.takeEnded().map((it) => [it.at, it.sample.measured_ms]),
    [[20 * MINUTE, 30_000]],
  )
})

test('the current minute can be taken in parts', () => {
  accept('created')
  time += 10_000
  const [first] = sampler.takeAll()
  accept('created')
  time += 5_000
  const [second] = sampler.takeAll()
  assert.deepEqual(
    [first, second].map((it) => [it?.at, it?.sample.measured_ms, it?.sample.documents_accepted]),
    [
      [10 * MINUTE, 10_000, 1],
      [10 * MINUTE, 5_000, 1],
    ],
  )
})
