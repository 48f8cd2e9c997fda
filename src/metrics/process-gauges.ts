// Gauges of the process, under the names that common Prometheus dashboards use.
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gauge, type Instrument } from './instruments.ts'

const NS_PER_SECOND = 1e9
const US_PER_SECOND = 1e6
const RESOLUTION_MS = 10

/** Event loop delays are reset by each reading, so two monitors affect each other. */
export function openProcessGauges(): { read(): Instrument[]; close(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const started = Date.now() / 1_000 - process.uptime()
  return {
    read() {
      const gauges = [...memoryGauges(), ...cpuGauges(), ...eventLoopGauges(delays), ...fileGauges()]
      delays.reset()
      return [
        ...gauges,
        singleGauge('process_start_time_seconds', 'Start time of the process in seconds since 1970.', started),
      ]
    },
    close: () => void delays.disable(),
  }
}

function memoryGauges(): Instrument[] {
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  return [
    singleGauge('process_resident_memory_bytes', 'Resident memory of the process.', rss),
    singleGauge('nodejs_heap_size_used_bytes', 'Used JavaScript heap of the main thread.', heapUsed),
    singleGauge('nodejs_heap_size_total_bytes', 'JavaScript heap of the main thread.', heapTotal),
    singleGauge('nodejs_external_memory_bytes', 'Memory outside the heap held by the main thread.', external),
    singleGauge('nodejs_array_buffers_bytes', 'Memory of array buffers held by the main thread.', arrayBuffers),
  ]
}

function cpuGauges(): Instrument[] {
  const { user, system } = process.cpuUsage()
  return [
    singleGauge('process_cpu_user_seconds_total', 'User CPU time.', user / US_PER_SECOND),
    singleGauge('process_cpu_system_seconds_total', 'System CPU time.', system / US_PER_SECOND),
  ]
}

function eventLoopGauges(delays: ReturnType<typeof monitorEventLoopDelay>): Instrument[] {
  const isEmpty = delays.count === 0
  const seconds = (nanoseconds: number) =>
    isEmpty ? 0 : Math.max(0, nanoseconds / NS_PER_SECOND - RESOLUTION_MS / 1_000)
  const values = { p50: delays.percentile(50), p99: delays.percentile(99), max: delays.max }
  return Object.entries(values).map(([name, value]) =>
    singleGauge(`nodejs_eventloop_lag_${name}_seconds`, 'Event loop lag since the last reading.', seconds(value)),
  )
}

/** Only on systems with /proc. */
function fileGauges(): Instrument[] {
  try {
    return [singleGauge('process_open_fds', 'Open file descriptors.', readdirSync('/proc/self/fd').length)]
  } catch {
    return []
  }
}

function singleGauge(name: string, help: string, value: number): Instrument {
  const it = gauge({ name, help })
  it.set(value)
  return it
}
