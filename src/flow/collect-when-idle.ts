// Returns memory to the system once a thread has become idle, because V8 collects garbage only when it needs space.
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

const CHECK_MS = 10_000
/** A thread that worked more than this in the last interval is not idle. */
const IDLE_UTILIZATION = 0.02
/** A smaller heap has little to return. */
const WORTHWHILE_BYTES = 4e6
/** A collection stops the thread, and for longer the more objects it has: too long for a large heap. */
const LARGEST_BYTES = 150e6
/** The growth of a heap since its last collection that asks for another one. V8 itself allows half. */
const GROWTH = 1.2
/** Others keep the freed pages: V8 returns them to the system only after this one. */
const THOROUGH = { type: 'major', flavor: 'last-resort', execution: 'sync' } as const

interface Signs {
  /** The share of the time since the last call in which the thread worked. */
  utilization: () => number
  heapBytes: () => number
  collect: () => void
}

/** To be called once in each thread that lives long. The timer does not keep the thread alive. */
export function collectWhenIdle(checkMs = CHECK_MS): void {
  // Node defines it under --expose-gc: node-start.json.
  if (typeof gc === 'undefined') return
  const collect = gc
  setInterval(
    createIdleCheck({ utilization: measureUtilization(), heapBytes, collect: () => void collect(THOROUGH) }),
    checkMs,
  ).unref()
}

/** Each call collects if the thread was idle since the last one and its heap has grown since the last collection. */
export function createIdleCheck({ utilization, heapBytes, collect }: Signs): () => void {
  let settledBytes = 0
  return () => {
    if (utilization() > IDLE_UTILIZATION) return
    const bytes = heapBytes()
    if (bytes < settledBytes * GROWTH + WORTHWHILE_BYTES || bytes > LARGEST_BYTES) return
    collect()
    settledBytes = heapBytes()
  }
}

/** `process.memoryUsage` would open a file, which fails and ends the thread if the process has no descriptor left. */
const heapBytes = () => getHeapStatistics().total_heap_size

function measureUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
