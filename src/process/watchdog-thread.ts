// The watchdog thread, which checks whether the event loop of the main thread still runs.
import { write } from 'node:fs'
import { hostname } from 'node:os'
import { workerData } from 'node:worker_threads'

export interface WatchdogData {
  /** A counter that the event loop increments. */
  heartbeats: Int32Array
  tickMs: number
  ticks: number
}

/** A write may block if nobody reads the log. The process then ends without a log line. */
const WRITE_WITHIN_MS = 1_000
const STDOUT = 1

const { heartbeats, tickMs, ticks }: WatchdogData = workerData
let lastBeat = Atomics.load(heartbeats, 0)
let missed = 0

// A late timer fires once, so a process that was stopped for an hour has missed only one tick.
setInterval(() => {
  const now = Atomics.load(heartbeats, 0)
  missed = now === lastBeat ? missed + 1 : 0
  lastBeat = now
  if (missed === ticks) logStall()
}, tickMs)

function logStall(): void {
  const msg = `event loop blocked for ${(ticks * tickMs) / 1_000} s; the watchdog ends the process`
  const line = { level: 60, time: Date.now(), pid: process.pid, hostname: hostname(), msg }
  write(STDOUT, `${JSON.stringify(line)}\n`, killProcess)
  setTimeout(killProcess, WRITE_WITHIN_MS)
}

/**
 * Ends the process with a signal, because a thread cannot set the exit code while the main thread is busy. SIGALRM has no
 * other use here; SIGKILL follows in case it is ignored.
 */
function killProcess(): void {
  process.kill(process.pid, 'SIGALRM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), WRITE_WITHIN_MS)
}
