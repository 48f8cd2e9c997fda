// Worker thread of a reader process. Kills the process when its resident memory exceeds the limit or its parent is
// gone, even if the main thread is in an endless loop.
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { MEMORY_LIMIT_MARKER } from './reader-messages.ts'

const CHECK_INTERVAL_MS = 25
const { parent }: { parent: number } = workerData
let limit: BigInt64Array | undefined
parentPort?.on('message', (shared: SharedArrayBuffer) => {
  limit = new BigInt64Array(shared)
})

setInterval(() => {
  const limitBytes = Number(limit?.[0] ?? 0n)
  if (limitBytes > 0 && process.memoryUsage.rss() > limitBytes) {
    writeSync(2, `${MEMORY_LIMIT_MARKER}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, CHECK_INTERVAL_MS)
