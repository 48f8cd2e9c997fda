// Which moment does somebody mean who types "7d", "yesterday" or "2026-05"?

const AGE = /^(\d{1,4})(h|d|w|m|y)$/i
const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/
const HOUR_MS = 3_600_000

export interface Place {
  now: number
  /** As the IANA names it. */
  tz: string
}

/**
 * Epoch milliseconds of the beginning of what is meant, or undefined. Ages of days and more begin at midnight, so that
 * "after:1d" has all of yesterday.
 */
export function momentOf(text: string, place: Place): number | undefined {
  const word = text.toLowerCase()
  if (word === 'today') return midnight(dayOf(place), place.tz)
  if (word === 'yesterday') return midnight(back(dayOf(place), 1, 'd'), place.tz)
  const [, count, unit] = AGE.exec(word) ?? []
  if (unit === 'h') return place.now - Number(count) * HOUR_MS
  if (unit !== undefined) return midnight(back(dayOf(place), Number(count), unit), place.tz)
  const [, year, month = '1', date = '1'] = DATE.exec(word) ?? []
  if (year === undefined) return undefined
  const day = { year: Number(year), month: Number(month), date: Number(date) }
  return isDay(day) ? midnight(day, place.tz) : undefined
}

interface Day {
  year: number
  /** From 1. */
  month: number
  date: number
}

const utc = ({ year, month, date }: Day): number => new Date(0).setUTCFullYear(year, month - 1, date)

function isDay(day: Day): boolean {
  const found = new Date(utc(day))
  return found.getUTCMonth() === day.month - 1 && found.getUTCDate() === day.date
}

/** A month back from May 31 is April 30. */
function back({ year, month, date }: Day, count: number, unit: string): Day {
  if (unit === 'd' || unit === 'w') return dayAt(utc({ year, month, date: date - count * (unit === 'w' ? 7 : 1) }))
  const months = unit === 'm' ? month - count : month - 12 * count
  const last = dayAt(utc({ year, month: months + 1, date: 0 }))
  return { ...last, date: Math.min(date, last.date) }
}

function dayAt(time: number): Day {
  const day = new Date(time)
  return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, date: day.getUTCDate() }
}

const dayOf = ({ now, tz }: Place): Day => dayAt(now + offsetMs(now, tz))

/** The offset of the moment guessed is right but near a change of the clocks; then that of the moment found is. */
function midnight(day: Day, tz: string): number {
  const guessed = utc(day) - offsetMs(utc(day), tz)
  return utc(day) - offsetMs(guessed, tz)
}

const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATS = 1_000

/** How much later the clocks of the zone are than UTC at that moment. */
function offsetMs(time: number, tz: string): number {
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
  // Names are spelled in any case: the map stays small whatever is sent.
  if (formats.size < MAX_FORMATS) formats.set(tz, format)
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  const local = Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute, parts.second)
  return local - Math.floor(time / 1_000) * 1_000
}
