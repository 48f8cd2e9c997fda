import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulateNinetyDays } from '../../../test/connectors/ninety-days.ts'
import { checkpoint, openRunFixture, page } from '../../../test/connectors/run-fixture.ts'
import { pause, simulateSchedule } from '../../../test/connectors/schedule-simulation.ts'
import { waitFor } from '../../../test/server.ts'
import type { Database } from '../../store/database/database.ts'
import { createScheduler } from './scheduler.ts'

const MINUTE = 60_000
const HOURS = 60 * MINUTE
const LEASE_MS = 10 * MINUTE

test('ninety days of schedules with failures and crashes: each run is on time, and none runs twice', (t) =>
  simulateNinetyDays(t, [2 * 86_400, 5 * 86_400, null]))

test('an endless source yields its slot and continues from its checkpoint', async () => {
  const fixture = await openRunFixture()
  const { db, clock, makePair } = fixture
  const settings = { places: 2, leaseMs: LEASE_MS, sliceMs: 10 * MINUTE, lateMs: () => 0 }
  const replay = simulateSchedule(fixture, settings)
  const pairs = await Promise.all(Array.from({ length: 6 }, () => makePair({ refresh_freq: 60 })))
  replay.play({
    async *load(pull) {
      let at = Number(pull.checkpoint ?? 0)
      // The first two never end; the others end after five minutes.
      for (const end = clock.time + 5 * MINUTE; pairs.indexOf(ownOf(pull)) < 2 || clock.time < end; ) {
        yield pause(MINUTE)
        at += 1
        yield page(`${ownOf(pull)}/${at}`)
        yield checkpoint(at)
      }
    },
  })
  const ownOf = (pull: { config: unknown }) => Number((pull.config as { pair?: number }).pair)
  for (const pair of pairs) {
    const { connector_id } = await db
      .selectFrom('cc_pair')
      .select('connector_id')
      .where('id', '=', pair)
      .executeTakeFirstOrThrow()
    const connector_specific_config = JSON.stringify({ pair })
    await db.updateTable('connector').set({ connector_specific_config }).where('id', '=', connector_id).execute()
  }
  replay.start()
  await replay.run(clock.time + 5 * HOURS)
  const counts = pairs.map((pair) => replay.begun.filter((it) => it.pair === pair).length)
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, `runs of each pair: ${counts}`)
  const read = await db
    .selectFrom('document_cc_pair')
    .select('document_id')
    .where('cc_pair_id', '=', pairs[0]!)
    .execute()
  const wanted = Array.from({ length: read.length }, (_, at) => `${pairs[0]}/${at + 1}`)
  assert.deepEqual(new Set(read.map((it) => it.document_id)), new Set(wanted), 'no step is missing')
  assert.ok(read.length >= counts[0]! * 9, `${read.length} documents in ${counts[0]} turns`)
})

test('runs start once a record that could not be written at startup recovers', async () => {
  const { db, needs, makePair } = await openRunFixture()
  const pair = await makePair({ refresh_freq: 60 })
  let failures = 0
  const failing = new Proxy(db, {
    get(target, name) {
      if (name === 'updateTable' && failures++ === 0) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' })
      const value = target[name as keyof Database]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const begun: number[] = []
  const stop = new AbortController()
  const run = async ({ lease }: { lease: { cc_pair_id: number } }) => void begun.push(lease.cc_pair_id)
  const scheduler = createScheduler({
    ...needs,
    db: failing,
    holder: 'one',
    ...{ runIndex: run, runPrune: run, runAccess: run, now: Date.now },
    ...{ slots: 2, leaseMs: LEASE_MS, timeSliceMs: MINUTE },
  })
  const working = scheduler.run(stop.signal)
  await waitFor(() => begun.includes(pair), 'the pair to be run')
  stop.abort()
  await working
})
