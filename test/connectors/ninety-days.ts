// Simulates ninety days of schedules from a seed and compares them with an independent model.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { findSchedule } from '../../src/store/sources/schedules.ts'
import { chooseSeed, seeded } from '../random.ts'
import { checkpoint, openRunFixture, type RunFixture } from './run-fixture.ts'
import { type Begun, pause, simulateSchedule } from './schedule-simulation.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LEASE_MS = 10 * MINUTE
/** The expected retry delays, repeated here so that a wrong value is noticed. */
const retryAfter = (failures: number) => Math.min(2 ** (failures - 1), 60) * MINUTE

export async function simulateNinetyDays(
  t: TestContext,
  refreshFrequencies: readonly (number | null)[],
): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const fixture = await openRunFixture()
  const { clock, makePair, play } = fixture
  const settings = { places: 10, leaseMs: LEASE_MS, sliceMs: HOUR, lateMs: () => random.below(5_000) }
  const replay = simulateSchedule(fixture, settings)
  play({
    async *load() {
      yield pause(MINUTE + random.below(9 * MINUTE))
      yield checkpoint(clock.time)
      if (random() < 0.15) throw new Error('it happens')
    },
    async *listIds() {
      yield pause(random.below(5 * MINUTE)) as never
    },
  })
  const frequencies = new Map<number, number | null>()
  for (const refresh_freq of refreshFrequencies) {
    frequencies.set(
      await makePair({ refresh_freq, prune_freq: refresh_freq === null ? null : 7 * 86_400 }),
      refresh_freq,
    )
  }
  const begin = clock.time
  const crashes: number[] = []
  replay.start()
  for (let day = 0; day < 90; ) {
    const process = replay.start()
    const days = 5 + random.below(10)
    day += days
    await replay.run(Math.min(begin + day * DAY, begin + 90 * DAY) - random.below(HOUR))
    replay.crash(process)
    crashes.push(clock.time)
  }
  for (const [pair, refresh_freq] of frequencies) {
    const runs = replay.begun.filter((it) => it.pair === pair)
    await assertOnTime(fixture, { pair, refresh_freq, runs, crashes, begin })
  }
  t.diagnostic(`${replay.begun.length} runs, ${crashes.length} crashes`)
  const prunes = [...frequencies]
    .filter(([, it]) => it !== null)
    .map(([pair]) => {
      const own = replay.begun.filter((it) => it.pair === pair && it.what === 'prune')
      return own.length
    })
  assert.ok(
    prunes.every((it) => it >= 11 && it <= 12 + crashes.length),
    `prunings in 90 days, a week between them: ${prunes}`,
  )
}

interface Story {
  pair: number
  refresh_freq: number | null
  runs: Begun[]
  crashes: number[]
  begin: number
}

async function assertOnTime({ db }: RunFixture, { pair, refresh_freq, runs, crashes, begin }: Story): Promise<void> {
  const crashOf = (it: Begun) => crashes.find((time) => time >= it.at) ?? Number.NaN
  const [indexings, prunings] = [runs.filter((it) => it.what === 'index'), runs.filter((it) => it.what === 'prune')]
  let failures = 0
  let due = begin
  let late = MINUTE
  for (const run of indexings) {
    // A pair runs one task at a time.
    const ends = prunings.filter((it) => it.at < run.at).map((it) => it.ended ?? crashOf(it) + LEASE_MS)
    const from = Math.max(due, ...ends)
    assert.ok(run.at >= due, `pair ${pair} ran ${due - run.at} ms too early at ${run.at}`)
    assert.ok(run.at - from <= late, `pair ${pair} ran ${run.at - from} ms too late at ${run.at}`)
    if (run.ended === null) {
      // Its process died and its lease has not expired.
      due = crashOf(run)
      late = LEASE_MS + MINUTE
      continue
    }
    failures = run.isFailed ? failures + 1 : 0
    due = nextDue(run.ended, failures, refresh_freq)
    late = MINUTE
  }
  const { last } = (await findSchedule(db, pair))!
  if (refresh_freq === null) assert.ok(last?.status === 'success' || failures >= 5)
  else assert.ok(indexings.length > (90 * 86_400) / refresh_freq / 2, `${indexings.length} runs of pair ${pair}`)
}

const nextDue = (ended: number, failures: number, refresh_freq: number | null): number => {
  if (failures > 0) return ended + retryAfter(failures)
  return refresh_freq === null ? Infinity : ended + refresh_freq * 1_000
}
