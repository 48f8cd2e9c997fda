// Parses dates and times as Pydantic does; the program itself uses only epoch milliseconds.
import { type Problem, problem } from './problem.ts'

/** In characters; the longest meaningful text, with offset and nanoseconds, has 35. */
export const MAX_DATE_TIME = 64

/** Epoch milliseconds of an ISO 8601 text (no offset means UTC), a date, or Unix seconds or milliseconds. */
export function parseDateTime(value: unknown): number | Problem {
  if (typeof value === 'number') return parseUnixTime(value)
  if (typeof value !== 'string') return problem('datetime_type')
  if (value.length > MAX_DATE_TIME) return problem('string_too_long', MAX_DATE_TIME)
  const parts = ISO_8601.exec(value)
  if (parts !== null) return parseIsoParts(value, parts)
  return NUMERIC.test(value)
    ? parseUnixTime(Number(value))
    : problem('datetime_from_date_parsing', describeDateError(value))
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** A whole number of milliseconds, also for a fraction of days: PostgreSQL compares a bigint with nothing else. */
export const daysBefore = (time: number, days: number): number => Math.floor(time - days * DAY_MS)

/** The last millisecond, in UTC, of the day that is `days` days after `time`. */
export const endOfDay = (time: number, days: number): number => (Math.floor(time / DAY_MS) + days + 1) * DAY_MS - 1

const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+\-\u2212])(\d\d):?(\d\d))?)?$/
const NUMERIC = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/

const YEAR_1 = Date.parse('0001-01-01T00:00:00.000Z')
const YEAR_10000 = Date.parse('9999-12-31T23:59:59.999Z') + 1
/** Pydantic takes numbers beyond this, the year 2603 in seconds, for milliseconds. */
const MAX_SECONDS_TIMESTAMP = 2e10

function parseUnixTime(value: number): number | Problem {
  const time = Math.round(Math.abs(value) > MAX_SECONDS_TIMESTAMP ? value : value * 1000)
  if (time >= YEAR_10000) return problem('datetime_parsing', 'dates after 9999 are not supported as unix timestamps')
  return checkRange(time)
}

function parseIsoParts(text: string, parts: RegExpExecArray): number | Problem {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(numberOf)
  const [fraction = '', sign] = parts.slice(7, 9)
  const [offsetHour = 0, offsetMinute = 0] = parts.slice(9).map(numberOf)
  const isValidTime = hour < 24 && minute < 60 && second < 60 && offsetHour < 24 && offsetMinute < 60
  if (!isValidTime || describeRangeError(year, month, day) !== undefined) {
    return problem('datetime_from_date_parsing', describeDateError(text))
  }
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const local = utcMidnight(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds
  const offset = (offsetHour * 60 + offsetMinute) * 60_000
  return checkRange(sign === '+' ? local - offset : local + offset)
}

const numberOf = (digits: string | undefined) => Number(digits ?? 0)

function checkRange(time: number): number | Problem {
  if (time < YEAR_1) return problem('datetime_parsing', 'year 0 is out of range')
  if (time >= YEAR_10000) return problem('datetime_parsing', 'year 10000 is out of range')
  return time + 0 // Adding 0 turns -0 into 0.
}

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999; this does not. */
const utcMidnight = (year: number, month: number, day: number) => new Date(0).setUTCFullYear(year, month - 1, day)

function describeRangeError(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12'
  const lastDay = new Date(utcMidnight(year, month + 1, 0)).getUTCDate()
  return day < 1 || day > lastDay ? 'day value is outside expected range' : undefined
}

/** Why the first ten characters are not a date; if they are, the error is behind them. */
function describeDateError(text: string): string {
  if (text.length < 10) return 'input is too short'
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)]
  if (!DIGITS.test(year)) return 'invalid character in year'
  if (text[4] !== '-') return SEPARATOR
  if (!DIGITS.test(month)) return 'invalid character in month'
  if (text[7] !== '-') return SEPARATOR
  if (!DIGITS.test(day)) return 'invalid character in day'
  return (
    describeRangeError(Number(year), Number(month), Number(day)) ??
    'unexpected extra characters at the end of the input'
  )
}
const DIGITS = /^\d+$/
const SEPARATOR = 'invalid date separator, expected `-`'

/** An IANA time zone name, in any case. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
