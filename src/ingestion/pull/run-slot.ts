// The dependencies of the runs of a cc-pair, and the reasons why a run is ended from outside.
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { PairLease } from '../../store/sources/schedules.ts'
import type { Indexer } from '../index/indexer.ts'
import type { RunContextDeps } from '../source/run-context.ts'

export interface ConnectorRunDeps extends RunContextDeps {
  indexer: Pick<Indexer, 'wake' | 'checkRoom'>
  /** Called when documents with pictures were written: their text may have been recognised before. */
  wakeRecognition: () => void
  /** Throws while documents must not be written. */
  checkDisk: () => void
  logger: Logger
  meter: Pick<Meter, 'countPulled'>
  leaseMs: number
  /** Called when there may be events for webhooks. */
  onRunEnded: () => void
}

/** The grant of the scheduler to a run. */
export interface RunSlot {
  lease: PairLease
  /** Aborts to end the run, with the reason `CANCELED`, `SHUTDOWN` or `LEASE_LOST`. */
  signal: AbortSignal
  /** Whether other pairs have waited long enough for this slot. */
  shouldYield: () => boolean
}

export const CANCELED = new Error('run canceled')
export const SHUTDOWN = new Error('service shutting down')
export const LEASE_LOST = new Error('lease lost to another process')

/** The length of a recorded error message. */
export const MAX_MESSAGE = 2_000
