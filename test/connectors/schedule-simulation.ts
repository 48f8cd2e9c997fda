// Replays days of schedules in seconds, with a clock that jumps from event to event and processes that die.
import assert from 'node:assert/strict'
import type { ConnectorItem } from '../../src/connectors/connector.ts'
import { runAccessSync } from '../../src/ingestion/pull/run-access-sync.ts'
import { runAttempt } from '../../src/ingestion/pull/run-attempt.ts'
import { runPrune } from '../../src/ingestion/pull/run-prune.ts'
import type { RunSlot } from '../../src/ingestion/pull/run-slot.ts'
import { createScheduler, type Scheduler } from '../../src/ingestion/pull/scheduler.ts'
import { findSchedule } from '../../src/store/sources/schedules.ts'
import type { RunFixture } from './run-fixture.ts'

export interface Begun {
  pair: number
  what: 'index' | 'prune' | 'access'
  at: number
  /** Null while it runs, and forever if its process died. */
  ended: number | null
  isFailed: boolean
  process: number
}

interface Sleeper {
  until: number
  process: number
  wake: () => void
}

export interface ScheduleSettings {
  places: number
  leaseMs: number
  sliceMs: number
  /** How late a process may check the schedule. */
  lateMs: () => number
}

export function simulateSchedule({ db, needs, clock, play }: RunFixture, settings: ScheduleSettings) {
  const begun: Begun[] = []
  let sleepers: Sleeper[] = []
  const processes = new Map<number, Scheduler>()
  /** Runs that do not wait for the clock. */
  let busy = 0
  let processOf = 0

  const sleep = (ms: number, process: number) =>
    new Promise<void>((resolve) => {
      busy -= 1
      const wake = () => {
        busy += 1
        resolve()
      }
      sleepers.push({ until: clock.time + ms, process, wake })
    })

  const watched =
    (what: Begun['what'], process: number, run: (turn: RunSlot) => Promise<void>) =>
    async (turn: RunSlot): Promise<void> => {
      const pair = turn.lease.cc_pair_id
      const other = begun.find((it) => it.pair === pair && it.ended === null && processes.has(it.process))
      assert.equal(other, undefined, `pair ${pair} runs twice at ${clock.time}`)
      const it: Begun = { pair, what, at: clock.time, ended: null, isFailed: false, process }
      begun.push(it)
      busy += 1
      try {
        await run(turn)
        it.isFailed = (await findSchedule(db, pair))?.last?.status === 'failed'
      } finally {
        busy -= 1
        it.ended = clock.time
      }
    }

  const start = () => {
    processOf += 1
    const process = processOf
    const ofProcess = { ...needs, leaseMs: settings.leaseMs, logger: { ...needs.logger } }
    processes.set(
      process,
      createScheduler({
        db,
        holder: `process ${process}`,
        runIndex: watched('index', process, (turn) => runAttempt(withProcess(ofProcess, process), turn)),
        runAccess: watched('access', process, (turn) => runAccessSync(withProcess(ofProcess, process), turn)),
        runPrune: watched('prune', process, (turn) => runPrune(withProcess(ofProcess, process), turn)),
        logger: needs.logger,
        now: needs.now,
        slots: settings.places,
        leaseMs: settings.leaseMs,
        timeSliceMs: settings.sliceMs,
      }),
    )
    return process
  }

  /** The connector's pauses elapse in the process that runs it. */
  const withProcess = (of: RunFixture['needs'], process: number): RunFixture['needs'] => ({
    ...of,
    connectorOf: (source) => {
      const connector = needs.connectorOf(source)
      return (
        connector && {
          ...connector,
          load: (pull) => slowly(connector.load(pull), process),
          listIds: (pull) => slowly(connector.listIds(pull), process),
        }
      )
    },
  })

  /** A yielded number is a pause. */
  async function* slowly<T>(items: AsyncGenerator<T, void>, process: number): AsyncGenerator<T, void> {
    for await (const item of items) {
      if (typeof item === 'number') await sleep(item, process)
      else yield item
    }
  }

  const settled = async () => {
    while (busy > 0) await new Promise(setImmediate)
  }

  return {
    begun,
    start,
    /** Kills the process: its runs stay as they are. */
    crash(process: number): void {
      processes.delete(process)
      sleepers = sleepers.filter((it) => it.process !== process)
    },
    /** Advances the clock to that time. */
    async run(end: number): Promise<void> {
      while (clock.time < end) {
        const nexts: number[] = []
        for (const scheduler of processes.values()) {
          const next = await scheduler.tick()
          if (next !== null) nexts.push(next + settings.lateMs())
          await settled()
        }
        const beat = sleepers.length > 0 ? [clock.time + settings.leaseMs / 5] : []
        const wakes = sleepers.map((it) => it.until)
        clock.time = Math.max(clock.time + 1, Math.min(end, ...nexts, ...beat, ...wakes))
        const due = sleepers.filter((it) => it.until <= clock.time)
        sleepers = sleepers.filter((it) => it.until > clock.time)
        for (const it of due) it.wake()
        await settled()
      }
    },
    play,
  }
}

/** A pause of the fake source. */
export const pause = (ms: number): ConnectorItem => ms as unknown as ConnectorItem
