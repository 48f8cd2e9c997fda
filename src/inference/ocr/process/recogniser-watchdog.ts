// Worker thread of the process that recognises text. Kills the process when its resident memory or the processor time of
// a picture exceeds the limit or its parent is gone, also while a model computes.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { MEMORY_LIMIT_MARKER, TIME_LIMIT_MARKER } from './recogniser-messages.ts'

export interface WatchdogData {
  parent: number
  memoryBytes: number
  /** Processor time for one picture. */
  timeMs: number
  /** A `BigInt64Array` of one number: the processor time at which the picture was begun, in microseconds. */
  begun: SharedArrayBuffer
}

const CHECK_INTERVAL_MS = 50
const { parent, memoryBytes, timeMs, begun }: WatchdogData = workerData
const begin = new BigInt64Array(begun)

function end(marker: string): void {
  writeSync(2, `${marker}\n`)
  process.kill(process.pid, 'SIGKILL')
}

setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytes) end(MEMORY_LIMIT_MARKER)
  const { user, system } = process.cpuUsage()
  if (user + system - Number(begin[0]) > timeMs * 1_000) end(TIME_LIMIT_MARKER)
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, CHECK_INTERVAL_MS)
