// Numbers, sizes, durations and times of the plots, in the language and the time zone of the page.
import { language, timeZone } from '../../text/language.ts'
import type { SeriesRange } from './overview-query.ts'

export type ValueUnit = 'number' | 'bytes' | 'seconds' | 'milliseconds'

const numberOf = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options)
const unitOf = (unit: string, maximumFractionDigits = 1) =>
  numberOf({ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits })

const small = numberOf({ maximumFractionDigits: 1 })
const large = numberOf({ notation: 'compact', maximumFractionDigits: 1 })
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map((it) => unitOf(it))
const [milliseconds, seconds, minutes, hours] = [
  unitOf('millisecond', 0),
  unitOf('second'),
  unitOf('minute'),
  unitOf('hour'),
]

const LARGE = 100_000
const SIZE_STEP = 1_024

export function formatValue(unit: ValueUnit, value: number): string {
  if (unit === 'bytes') return formatBytes(value)
  if (unit === 'seconds') return formatSeconds(value)
  if (unit === 'milliseconds') return value < 1_000 ? milliseconds.format(value) : formatSeconds(value / 1_000)
  return (value < LARGE ? small : large).format(value)
}

function formatSeconds(value: number): string {
  if (value < 60) return seconds.format(value)
  return value < 3_600 ? minutes.format(value / 60) : hours.format(value / 3_600)
}

function formatBytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(value) / Math.log2(SIZE_STEP)))
  return SIZES[power]?.format(value / SIZE_STEP ** power) ?? String(value)
}

const timeOfDay = new Intl.DateTimeFormat(language, { timeZone, hour: 'numeric', minute: '2-digit' })
const dayOfMonth = new Intl.DateTimeFormat(language, { timeZone, day: 'numeric', month: 'short' })
const dayAndTime = new Intl.DateTimeFormat(language, {
  timeZone,
  ...({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const),
})

/** The label of an axis, which has little room. */
export const formatTick = (at: number, range: SeriesRange): string =>
  (range === 'month' ? dayOfMonth : timeOfDay).format(at)

/** When a step began. */
export const formatStep = (at: number, range: SeriesRange): string =>
  (range === 'hour' ? timeOfDay : dayAndTime).format(at)

/** Distances of the lines of a grid that give round labels; undefined where those of the library do. */
export const gridSteps = (unit: ValueUnit): number[] | undefined =>
  unit === 'bytes'
    ? Array.from({ length: 50 }, (_, power) => 2 ** power)
    : unit === 'seconds'
      ? SECOND_STEPS
      : undefined

const SECOND_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400]
