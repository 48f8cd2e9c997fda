// Parses date expressions such as "7d", "yesterday" or "2026-05".

const RELATIVE_AGE = /^(\d{1,4})(h|d|w|m|y)$/i
const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/
const HOUR_MS = 3_600_000

export interface ZonedTime {
  now: number
  /** An IANA time zone name. */
  tz: string
}

/**
 * Returns the start of the period in epoch milliseconds, or undefined. Relative ages of days and more start at
 * midnight, so that "after:1d" includes all of yesterday.
 */
export function parseDateExpression(text: string, zoned: ZonedTime): number | undefined {
  const word = text.toLowerCase()
  if (word === 'today') return startOfDay(calendarDayOf(zoned), zoned.tz)
  if (word === 'yesterday') return startOfDay(subtractFromDay(calendarDayOf(zoned), 1, 'd'), zoned.tz)
  const [, count, unit] = RELATIVE_AGE.exec(word) ?? []
  if (unit === 'h') return zoned.now - Number(count) * HOUR_MS
  if (unit !== undefined) return startOfDay(subtractFromDay(calendarDayOf(zoned), Number(count), unit), zoned.tz)
  const [, year, month = '1', date = '1'] = DATE.exec(word) ?? []
  if (year === undefined) return undefined
  const day = { year: Number(year), month: Number(month), date: Number(date) }
  return isCalendarDay(day) ? startOfDay(day, zoned.tz) : undefined
}

const DAY_MS = 24 * HOUR_MS

/** The epoch milliseconds of a range of days such as 2026-05-31, both inclusive. An absent day is no bound. */
export function dayRange(
  days: { from: string | null; until: string | null },
  zoned: ZonedTime,
): { updated_from?: number; updated_until?: number } {
  const from = days.from === null ? undefined : parseDateExpression(days.from, zoned)
  const end = days.until === null ? undefined : parseDateExpression(dayAfter(days.until), zoned)
  return { ...(from !== undefined && { updated_from: from }), ...(end !== undefined && { updated_until: end - 1 }) }
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

interface CalendarDay {
  year: number
  /** The month, from 1. */
  month: number
  date: number
}

const utcMillis = ({ year, month, date }: CalendarDay): number => new Date(0).setUTCFullYear(year, month - 1, date)

function isCalendarDay(day: CalendarDay): boolean {
  const found = new Date(utcMillis(day))
  return found.getUTCMonth() === day.month - 1 && found.getUTCDate() === day.date
}

/** One month before May 31 is April 30. */
function subtractFromDay({ year, month, date }: CalendarDay, count: number, unit: string): CalendarDay {
  if (unit === 'd' || unit === 'w')
    return calendarDayAt(utcMillis({ year, month, date: date - count * (unit === 'w' ? 7 : 1) }))
  const months = unit === 'm' ? month - count : month - 12 * count
  const last = calendarDayAt(utcMillis({ year, month: months + 1, date: 0 }))
  return { ...last, date: Math.min(date, last.date) }
}

function calendarDayAt(time: number): CalendarDay {
  const day = new Date(time)
  return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, date: day.getUTCDate() }
}

const calendarDayOf = ({ now, tz }: ZonedTime): CalendarDay => calendarDayAt(now + zoneOffsetMs(now, tz))

/**
 * The estimate uses an offset that may be wrong near a clock change; the second step uses the offset at the estimated
 * time.
 */
function startOfDay(day: CalendarDay, tz: string): number {
  const estimate = utcMillis(day) - zoneOffsetMs(utcMillis(day), tz)
  return utcMillis(day) - zoneOffsetMs(estimate, tz)
}

const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATS = 1_000

/** The offset of the zone from UTC at that time. */
function zoneOffsetMs(time: number, tz: string): number {
  const format =
    formats.get(tz) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: tz,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  // Bounds the cache, because zone names can be spelled in any case.
  if (formats.size < MAX_FORMATS) formats.set(tz, format)
  const parts = format.formatToParts(time)
  const numberOf = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((it) => it.type === type)?.value)
  const [year, month, day] = [numberOf('year'), numberOf('month'), numberOf('day')]
  const local = Date.UTC(year, month - 1, day, numberOf('hour'), numberOf('minute'), numberOf('second'))
  return local - Math.floor(time / 1_000) * 1_000
}
