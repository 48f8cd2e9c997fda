// Runs beside the reading in its process, also while that is in an endless loop: ends the process when it takes too much
// memory, of whatever kind, or when the service that started it is gone.
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { MEMORY_MARK } from './reader-messages.ts'

const LOOK_EVERY_MS = 25
const { parent } = workerData as { parent: number }
let limit: BigInt64Array | undefined
parentPort?.on('message', (shared: SharedArrayBuffer) => {
  limit = new BigInt64Array(shared)
})

setInterval(() => {
  const allowed = Number(limit?.[0] ?? 0n)
  if (allowed > 0 && process.memoryUsage.rss() > allowed) {
    writeSync(2, `${MEMORY_MARK}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, LOOK_EVERY_MS)
