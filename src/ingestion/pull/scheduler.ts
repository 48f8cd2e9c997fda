// Schedules runs: each pair when it is due, longest wait first, one run of a pair across all processes.
import type { Logger } from '../../domain/logger.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { Database } from '../../store/database/database.ts'
import {
  claimPair,
  listSchedules,
  type PairLease,
  type PairSchedule,
  releaseAllLeases,
  updateUnderLease,
} from '../../store/sources/schedules.ts'
import { type NextRun, nextRunOf, type RunKind } from './next-run.ts'
import { CANCELED, LEASE_LOST, type RunSlot, SHUTDOWN } from './run-slot.ts'

export interface Scheduler {
  /** Announces that a pair may be due. */
  wake(): void
  /** Ends the run of a pair in this process. Other processes notice the canceled attempt at their next heartbeat. */
  cancel(ccPairId: number): void
  /**
   * Renews the leases of active runs and starts due ones while slots are free. Returns when the next pair is due, or null
   * when none is.
   */
  tick(): Promise<number | null>
  /** Resolves when all active runs of this process have ended. */
  idle(): Promise<void>
  /** Runs until the signal. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface SchedulerDeps {
  db: Database
  /** Identifies this process. */
  holder: string
  /** Resolves when the run has ended and released its lease. */
  runIndex(turn: RunSlot): Promise<void>
  runPrune(turn: RunSlot): Promise<void>
  runAccess(turn: RunSlot): Promise<void>
  logger: Logger
  now: () => number
  /** The maximum number of concurrent runs in this process. */
  slots: number
  leaseMs: number
  /** How long a run keeps its slot while others wait. */
  timeSliceMs: number
}

/** Other processes may add work, and leases may expire. */
const POLL_MS = 5_000
const HEARTBEATS_PER_LEASE = 4
const PAUSE_AFTER_FAILURE_MS = 5_000

interface ActiveRun {
  lease: PairLease
  abort: AbortController
  finished: Promise<void>
  /** When the lease was acquired or renewed. */
  renewedAt: number
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { db, logger, now, slots } = deps
  const running = new Map<number, ActiveRun>()
  let isStopping = false
  /** The number of due pairs without a slot. While it is above 0, runs yield after a time slice. */
  let waitingCount = 0

  const start = async (schedule: PairSchedule, what: RunKind): Promise<boolean> => {
    const started = now()
    const lease = await claimPair(db, schedule, { holder: deps.holder, now: started, until: started + deps.leaseMs })
    if (lease === undefined) return false
    const abort = new AbortController()
    const shouldYield = () => waitingCount > 0 && now() - started >= deps.timeSliceMs
    const run = { index: deps.runIndex, prune: deps.runPrune, access: deps.runAccess }[what]
    const finished = run({ lease, signal: abort.signal, shouldYield })
      .catch((error: unknown) => {
        logger.error({ err: error, cc_pair_id: lease.cc_pair_id }, 'run outcome not recorded')
      })
      .finally(() => {
        running.delete(lease.cc_pair_id)
        loop.wake()
      })
    running.set(lease.cc_pair_id, { lease, abort, finished, renewedAt: started })
    return true
  }

  const tick = async (): Promise<number | null> => {
    const all = await listSchedules(db)
    for (const it of running.values()) await heartbeat(deps, it, all)
    const schedules = all.filter((it) => !running.has(it.cc_pair_id))
    const nextRuns = schedules.map((schedule) => ({ schedule, due: nextRunOf(schedule, now()) }))
    const ready = nextRuns.flatMap(({ schedule, due }) => (due.state === 'due' ? [{ schedule, due }] : []))
    let waitingNow = ready.length
    for (const { schedule, due } of ready.sort(byLastStart)) {
      if (isStopping || running.size >= slots) break
      await start(schedule, due.what)
      waitingNow -= 1
    }
    waitingCount = waitingNow
    const later = nextRuns.flatMap(({ due }) => wakeTimes(due))
    return later.length === 0 ? null : Math.min(...later)
  }

  // With SQLite no other process can be running, so all leases are left over from a dead process.
  let hasStaleLeases = db.onChange === undefined
  const loop = createLoop(
    async () => {
      if (hasStaleLeases) await releaseAllLeases(db)
      hasStaleLeases = false
      const next = await tick()
      return next === null ? POLL_MS : Math.min(Math.max(next - now(), 1), POLL_MS)
    },
    { retryMs: PAUSE_AFTER_FAILURE_MS, onError: logErrors(logger, 'scheduling failed') },
  )

  return {
    wake: loop.wake,
    cancel: (id) => running.get(id)?.abort.abort(CANCELED),
    tick,
    idle: async () => void (await Promise.all([...running.values()].map((it) => it.finished))),
    async run(signal) {
      await loop.run(signal)
      isStopping = true
      for (const { abort } of running.values()) abort.abort(SHUTDOWN)
      await Promise.all([...running.values()].map((it) => it.finished))
    },
  }
}

interface DueRun {
  schedule: PairSchedule
  due: Extract<NextRun, { state: 'due' }>
}

/** The pair that ran longest ago comes first. */
const byLastStart = (a: DueRun, b: DueRun): number =>
  (a.schedule.last_started ?? 0) - (b.schedule.last_started ?? 0) || a.due.since - b.due.since

function wakeTimes(due: NextRun): number[] {
  return due.state === 'waiting' ? [due.until] : []
}

/** Renews the lease, and aborts the run if the pair was paused or the lease was lost. */
async function heartbeat(
  { db, now, leaseMs }: SchedulerDeps,
  it: ActiveRun,
  schedules: readonly PairSchedule[],
): Promise<void> {
  const schedule = schedules.find(({ cc_pair_id }) => cc_pair_id === it.lease.cc_pair_id)
  const isWanted = schedule !== undefined && !['PAUSED', 'DELETING'].includes(schedule.status)
  if (!isWanted) return it.abort.abort(CANCELED)
  if (now() - it.renewedAt < leaseMs / HEARTBEATS_PER_LEASE) return
  it.renewedAt = now()
  if (!(await updateUnderLease(db, it.lease, { lease_until: it.renewedAt + leaseMs }))) it.abort.abort(LEASE_LOST)
}
