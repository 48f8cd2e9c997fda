// How the process itself is doing, under the names that dashboards for Prometheus know.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gauge, type Instrument } from './instruments.ts'

const NS = 1e9
const US = 1e6
const RESOLUTION_MS = 10

/** Delays are those since the last reading, so two monitors that read take from each other. */
export function openProcessGauges(): { read(): Instrument[]; close(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const started = Date.now() / 1_000 - process.uptime()
  return {
    read() {
      const gauges = [...memory(), ...cpu(), ...lag(delays), ...files()]
      delays.reset()
      return [...gauges, one('process_start_time_seconds', 'When the process began, in seconds since 1970.', started)]
    },
    close: () => void delays.disable(),
  }
}

function memory(): Instrument[] {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  return [
    one('process_resident_memory_bytes', 'Memory of the process.', rss),
    one('nodejs_heap_size_used_bytes', 'JavaScript heap of the main thread in use.', heapUsed),
    one('nodejs_heap_size_total_bytes', 'JavaScript heap of the main thread.', heapTotal),
    one('nodejs_external_memory_bytes', 'Memory outside of the heap that the main thread holds.', external),
    one('nodejs_array_buffers_bytes', 'Buffers that the main thread holds.', arrayBuffers),
  ]
}

function cpu(): Instrument[] {
  const { user, system } = process.cpuUsage()
  return [
    one('process_cpu_user_seconds_total', 'Processor time in the program.', user / US),
    one('process_cpu_system_seconds_total', 'Processor time in the system.', system / US),
  ]
}

function lag(delays: ReturnType<typeof monitorEventLoopDelay>): Instrument[] {
  const isEmpty = delays.count === 0
  const seconds = (nanoseconds: number) => (isEmpty ? 0 : Math.max(0, nanoseconds / NS - RESOLUTION_MS / 1_000))
  const values = { p50: delays.percentile(50), p99: delays.percentile(99), max: delays.max }
  return Object.entries(values).map(([name, value]) =>
    one(`nodejs_eventloop_lag_${name}_seconds`, 'How late the event loop was since the last reading.', seconds(value)),
  )
}

/** Only where the system tells. */
function files(): Instrument[] {
  try {
    return [one('process_open_fds', 'Files and sockets that are open.', readdirSync('/proc/self/fd').length)]
  } catch {
    return []
  }
}

function one(name: string, help: string, value: number): Instrument {
  const it = gauge({ name, help })
  it.set(value)
  return it
}
