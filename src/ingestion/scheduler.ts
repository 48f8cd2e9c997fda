// Who runs when: each pair when it is due, the one that waited longest first, one run of a pair in the whole fleet.
import type { Logger } from '../domain/logger.ts'
import type { Database } from '../store/database.ts'
import { claim, type Lease, listSchedules, releaseAll, type Schedule, updateHeld } from '../store/pulling.ts'
import { CANCELED, LEASE_LOST, SHUTDOWN, type Turn } from './attempt.ts'
import { type Due, dueOf, type Work } from './due.ts'
import { createWaiters } from './waiters.ts'

export interface Scheduler {
  /** Says that there may be something to run. */
  wake(): void
  /** Ends the run of a pair, if it is here. Elsewhere the heartbeat sees that the attempt was canceled. */
  cancel(ccPairId: number): void
  /**
   * Keeps the leases of what runs here, and starts what is due and fits. Answers when the next one is due, or null when
   * nothing is.
   */
  tick(): Promise<number | null>
  /** Resolves when nothing runs here any more. */
  idle(): Promise<void>
  /** Works until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface SchedulerNeeds {
  db: Database
  /** Names this process. */
  holder: string
  /** Resolves when the run has ended, and has released its lease. */
  runIndex(turn: Turn): Promise<void>
  runPrune(turn: Turn): Promise<void>
  runAccess(turn: Turn): Promise<void>
  logger: Logger
  now: () => number
  /** Runs that are under way together in this process. */
  places: number
  leaseMs: number
  /** How long a run keeps its place while others wait. */
  sliceMs: number
}

/** Another process may have made work too, and a lease may have ended. */
const LOOK_MS = 5_000
const HEARTBEATS_PER_LEASE = 4
const PAUSE_AFTER_FAILURE_MS = 5_000

interface Running {
  lease: Lease
  abort: AbortController
  ended: Promise<void>
  /** When the lease was taken or prolonged. */
  beaten: number
}

export function createScheduler(needs: SchedulerNeeds): Scheduler {
  const { db, logger, now, places } = needs
  const waiters = createWaiters()
  const running = new Map<number, Running>()
  let isStopping = false
  /** How many are due and have no place: then nobody keeps one for longer than a slice. */
  let waiting = 0

  const start = async (schedule: Schedule, what: Work): Promise<boolean> => {
    const started = now()
    const lease = await claim(db, schedule, { holder: needs.holder, now: started, until: started + needs.leaseMs })
    if (lease === undefined) return false
    const abort = new AbortController()
    const isOver = () => waiting > 0 && now() - started >= needs.sliceMs
    const run = { index: needs.runIndex, prune: needs.runPrune, access: needs.runAccess }[what]
    const ended = run({ lease, signal: abort.signal, isOver })
      .catch((error: unknown) => {
        logger.error({ err: error, cc_pair_id: lease.cc_pair_id }, 'a run could not be written down')
      })
      .finally(() => {
        running.delete(lease.cc_pair_id)
        waiters.wake()
      })
    running.set(lease.cc_pair_id, { lease, abort, ended, beaten: started })
    return true
  }

  const tick = async (): Promise<number | null> => {
    const all = await listSchedules(db)
    for (const it of running.values()) await beat(needs, it, all)
    const schedules = all.filter((it) => !running.has(it.cc_pair_id))
    const dues = schedules.map((schedule) => ({ schedule, due: dueOf(schedule, now()) }))
    const ready = dues.flatMap(({ schedule, due }) => (due.state === 'due' ? [{ schedule, due }] : []))
    let left = ready.length
    for (const { schedule, due } of ready.sort(byTurn)) {
      if (isStopping || running.size >= places) break
      await start(schedule, due.what)
      left -= 1
    }
    waiting = left
    const later = dues.flatMap(({ due }) => nextLook(due))
    return later.length === 0 ? null : Math.min(...later)
  }

  return {
    wake: () => waiters.wake(),
    cancel: (id) => running.get(id)?.abort.abort(CANCELED),
    tick,
    idle: async () => void (await Promise.all([...running.values()].map((it) => it.ended))),
    async run(signal) {
      // Where the record is a file no other process can be at work: what is held was held by one that is gone.
      if (db.onChange === undefined) await releaseAll(db)
      while (!signal.aborted) {
        try {
          const next = await tick()
          const pause = next === null ? LOOK_MS : Math.min(Math.max(next - now(), 1), LOOK_MS)
          await waiters.sleep(pause, signal)
        } catch (error) {
          if (signal.aborted) break
          logger.error({ err: error }, 'nothing can be scheduled')
          await waiters.sleep(PAUSE_AFTER_FAILURE_MS, signal)
        }
      }
      isStopping = true
      for (const { abort } of running.values()) abort.abort(SHUTDOWN)
      await Promise.all([...running.values()].map((it) => it.ended))
    },
  }
}

interface Ready {
  schedule: Schedule
  due: Extract<Due, { state: 'due' }>
}

/** Whoever ran longest ago is next, however often others are due. */
const byTurn = (a: Ready, b: Ready): number =>
  (a.schedule.last_started ?? 0) - (b.schedule.last_started ?? 0) || a.due.since - b.due.since

function nextLook(due: Due): number[] {
  return due.state === 'waiting' ? [due.until] : []
}

/** Keeps the lease, and learns of a pause, or of a lease that was lost while this process slept. */
async function beat({ db, now, leaseMs }: SchedulerNeeds, it: Running, schedules: readonly Schedule[]): Promise<void> {
  const schedule = schedules.find(({ cc_pair_id }) => cc_pair_id === it.lease.cc_pair_id)
  const isWanted = schedule !== undefined && !['PAUSED', 'DELETING'].includes(schedule.status)
  if (!isWanted) return it.abort.abort(CANCELED)
  if (now() - it.beaten < leaseMs / HEARTBEATS_PER_LEASE) return
  it.beaten = now()
  if (!(await updateHeld(db, it.lease, { lease_until: it.beaten + leaseMs }))) it.abort.abort(LEASE_LOST)
}
