// Writes what this process measured in each minute to the record.
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import type { QueueStats } from '../../ingestion/index/measure-queue.ts'
import { createSampler, type MinuteSample } from '../../metrics/sampler.ts'
import type { Database } from '../../store/database/database.ts'
import type { FreeSpaceMonitor } from '../../store/record/free-space.ts'
import { addSample } from '../../store/samples/samples.ts'
import type { BackgroundRun } from '../background-work.ts'

export interface Samples {
  meter: Meter
  /** Both run until the signal aborts. One counts the minutes, so that a slow database does not hide them. */
  runs: readonly BackgroundRun[]
  /** Writes the minute that has begun. To be called after both runs have ended. */
  close(): Promise<void>
}

interface SamplesDeps {
  db: Database
  logger: Logger
  now: () => number
  readQueue: () => Promise<Pick<QueueStats, 'rows' | 'oldest'>>
  disk: Pick<FreeSpaceMonitor, 'space'>
}

const MINUTE_MS = 60_000
const RETRY_MS = 30_000
/** Minutes that wait for the database. Older ones are dropped. */
const MAX_WAITING = 60
const FAILURE = 'measurements not written'

export function openSamples(
  { dataDir }: Pick<ServiceConfig, 'dataDir'>,
  { db, logger, now, readQueue, disk }: SamplesDeps,
): Samples {
  const sampler = createSampler({ now })
  const name = processName(dataDir)
  const waiting: MinuteSample[] = []
  const add = (minutes: readonly MinuteSample[]) => {
    waiting.push(...minutes)
    waiting.splice(0, waiting.length - MAX_WAITING)
  }
  const write = async () => {
    for (let minute = waiting[0]; minute !== undefined; minute = waiting[0]) {
      await addSample(db, { ...minute, process: name }, now())
      // It may have been dropped meanwhile.
      if (waiting[0] === minute) waiting.shift()
    }
  }
  const readIntoNewest = async () => {
    const newest = waiting.at(-1)
    if (newest === undefined) return
    const { rows, oldest } = await readQueue()
    const memory_bytes = process.memoryUsage.rss()
    newest.sample = { ...newest.sample, waiting: rows, oldest, disk: disk.space(), memory_bytes }
  }
  const onError = logErrors(logger, FAILURE)
  const writing = createLoop(
    async () => {
      await readIntoNewest()
      await write()
      return MINUTE_MS
    },
    { startAfterMs: MINUTE_MS, retryMs: RETRY_MS, onError },
  )
  const counting = createLoop(
    async () => {
      add(sampler.takeEnded())
      writing.wake()
      return MINUTE_MS - (now() % MINUTE_MS)
    },
    { retryMs: MINUTE_MS, onError },
  )
  return {
    meter: sampler.meter,
    runs: [counting.run, writing.run],
    async close() {
      add(sampler.takeAll())
      await write().catch((error: unknown) => logger.warn({ err: error }, FAILURE))
    },
  }
}

/** The same after a restart, and different for processes that share a database, because each has its own data folder. */
const processName = (dataDir: string): string =>
  createHash('sha256')
    .update(`${hostname()}\0${resolve(dataDir)}`)
    .digest('hex')
    .slice(0, 16)
