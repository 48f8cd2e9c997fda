// Measures the latency of /health and the program's memory during a load.
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../../src/domain/search/ranking-metrics.ts'
import { connect } from '../../test/http.ts'
import type { BenchServer } from './bench-server.ts'

const EVERY_MS = 20
const MEMORY_EVERY_MS = 1_000

export interface ProbeResult {
  healthP99Ms: number
  healthMaxMs: number
  memoryBytes: number
  /** The slope of a straight line through the second half of the samples, in bytes per minute. */
  memorySlope: number
}

/** Measures until the work is done. Only the event loop answers /health, so its delay is that of the loop. */
export async function probeWhile<T>(stand: BenchServer, work: Promise<T>): Promise<T & { probed: ProbeResult }> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  const api = connect(stand.server.url, '', 1)
  const times: number[] = []
  const memory: { atMs: number; bytes: number }[] = []
  while (!isOver) {
    const start = performance.now()
    await api('GET', '/health')
    times.push(performance.now() - start)
    if (start >= (memory.at(-1)?.atMs ?? -Infinity) + MEMORY_EVERY_MS)
      memory.push({ atMs: start, bytes: stand.memory() })
    await delay(EVERY_MS)
  }
  api.close()
  const late = memory.slice(memory.length >>> 1)
  return {
    ...(await ended),
    probed: {
      healthP99Ms: percentile(times, 0.99),
      healthMaxMs: Math.max(...times),
      memoryBytes: Math.max(...memory.map((it) => it.bytes)),
      memorySlope: slope(late) * 60_000,
    },
  }
}

/** Least squares, in bytes per millisecond. */
function slope(samples: readonly { atMs: number; bytes: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, it) => sum + it, 0) / values.length
  const [atMs, bytes] = [mean(samples.map((it) => it.atMs)), mean(samples.map((it) => it.bytes))]
  const spread = samples.reduce((sum, it) => sum + (it.atMs - atMs) ** 2, 0)
  return samples.reduce((sum, it) => sum + (it.atMs - atMs) * (it.bytes - bytes), 0) / (spread || 1)
}
