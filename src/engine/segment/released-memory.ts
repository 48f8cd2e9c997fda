// Shared memory is freed when no thread holds an object for it, but V8 does not count it when it schedules garbage
// collection. Without help, dropped segments stay in memory for hours (measured: 5 GB after 1,000 segments of 5 MB).
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection stops the thread for some milliseconds. This much memory is released only during heavy indexing. */
const COLLECT_AFTER = 64 << 20

let released = 0
let collect: (() => void) | undefined

/** Call this after the last reference to shared memory was dropped. The total is kept per thread. */
export function reportReleasedMemory(bytes: number): void {
  released += bytes
  if (released < COLLECT_AFTER) return
  released = 0
  collect ??= exposedCollector()
  collect()
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc')
  // The flag exposes the function only in contexts that are created afterwards.
  const gc: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return gc
}
