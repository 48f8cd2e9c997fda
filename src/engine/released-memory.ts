// Shared memory is given back when no thread has an object for it any longer, and V8 does not count it when it decides
// whether to look for dead objects: without help, dropped segments stay for hours (measured: 5 GB after 1,000 of 5 MB).
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection stops the thread for some milliseconds; so much is released only while much comes in. */
const COLLECT_AFTER = 64 << 20

let released = 0
let collect: (() => void) | undefined

/** To be told after the last reference to so many shared bytes has been dropped. Counts for this thread. */
export function releaseMemory(bytes: number): void {
  released += bytes
  if (released < COLLECT_AFTER) return
  released = 0
  collect ??= exposedCollector()
  collect()
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc')
  // A new context has the function that the flag exposes; this one was made before.
  const gc: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return gc
}
