// Turns stored samples into the points of a plot: one for each step, also where nothing was measured.
import { addPeriods, addProcesses, type Sample } from './sample.ts'

export const SERIES_RANGES = ['hour', 'day', 'month'] as const
export type SeriesRange = (typeof SERIES_RANGES)[number]

export type Resolution = 'minute' | 'hour'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
export const RESOLUTION_MS: Readonly<Record<Resolution, number>> = { minute: MINUTE_MS, hour: HOUR_MS }

/** A plot of 800 pixels has room for 240 points. */
export const SERIES: Readonly<Record<SeriesRange, { resolution: Resolution; steps: number; stepMs: number }>> = {
  hour: { resolution: 'minute', steps: 60, stepMs: MINUTE_MS },
  day: { resolution: 'minute', steps: 144, stepMs: 10 * MINUTE_MS },
  month: { resolution: 'hour', steps: 240, stepMs: 3 * HOUR_MS },
}

export interface StoredSample {
  /** The beginning of its period. */
  at: number
  process: string
  sample: Sample
}

export interface SeriesPoint {
  /** The beginning of the step. */
  at: number
  /** Null if no process measured anything in this step. */
  sample: Sample | null
}

/** The first steps of a range at that time. The last one is the latest that has begun with a whole minute. */
export function seriesStart(range: SeriesRange, now: number): number {
  const { steps, stepMs } = SERIES[range]
  return floorTo(now - MINUTE_MS, stepMs) - (steps - 1) * stepMs
}

/** First the periods of each process are added, then the processes. */
export function seriesPoints(range: SeriesRange, now: number, samples: readonly StoredSample[]): SeriesPoint[] {
  const { steps, stepMs } = SERIES[range]
  const byStep = new Map<number, Map<string, Sample>>()
  for (const { at, process, sample } of samples) {
    const step = floorTo(at, stepMs)
    const processes = byStep.get(step) ?? new Map<string, Sample>()
    byStep.set(step, processes)
    const before = processes.get(process)
    processes.set(process, before === undefined ? sample : addPeriods(before, sample))
  }
  const start = seriesStart(range, now)
  return Array.from({ length: steps }, (_, step) => {
    const at = start + step * stepMs
    const processes = [...(byStep.get(at)?.values() ?? [])]
    return { at, sample: processes.length === 0 ? null : processes.reduce(addProcesses) }
  })
}

export const floorTo = (at: number, stepMs: number): number => Math.floor(at / stepMs) * stepMs
