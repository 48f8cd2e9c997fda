// What day it is, and how days count: models know neither.
import { z } from 'zod'
import { DAY_MS, isTimeZone, parseDateTime } from '../domain/date-time.ts'
import { callable, failed, said } from './callable.ts'
import type { Callable, ToolResult } from './tool.ts'

export interface DateNeeds {
  now: () => number
}

const date = z.string().max(40)
const Arguments = z.object({
  question: z
    .enum(['now', 'weekday', 'difference', 'add'])
    .default('now')
    .describe(
      '`now`: date and time. `weekday`: of `date`. `difference`: from `date` to `until`. `add`: `days` and `months` to `date`.',
    ),
  date: date.optional().describe('Such as 2026-05-31. Today if absent.'),
  until: date.optional().describe('For `difference`. Today if absent.'),
  days: z.coerce.number().int().min(-4_000_000).max(4_000_000).default(0),
  months: z.coerce.number().int().min(-100_000).max(100_000).default(0),
  time_zone: z.string().max(100).default('UTC').describe('Such as Europe/Berlin.'),
})
type Arguments = z.output<typeof Arguments>

export const dateTool = ({ now }: DateNeeds): Callable =>
  callable({
    name: 'date',
    description:
      'Says what day and time it is, the day of the week of a date, how many days lie between two dates, and which date comes so many days or months later.',
    arguments: Arguments,
    call: async (args) => answer(args, now()),
  })

export function answer({ question, time_zone, days, months, ...given }: Arguments, now: number): ToolResult {
  if (!isTimeZone(time_zone)) return failed(`"${time_zone}" is no time zone; one is written Europe/Berlin.`)
  const today = dayOf(now, time_zone)
  const [day, until] = [dayIn(given.date, today), dayIn(given.until, today)]
  if (day === undefined) return failed(notADate(given.date))
  if (until === undefined) return failed(notADate(given.until))
  if (question === 'now') return said(nowIn(now, time_zone))
  if (question === 'weekday') return said(named(day))
  if (question === 'difference') return said(between(day, until))
  const later = added(day, { days, months })
  return later === undefined ? failed('That date lies beyond the years 1 to 9999.') : said(named(later))
}

const notADate = (text: string | undefined) => `"${text}" is no date; one is written 2026-05-31.`

/** Days are counted in UTC, where each has 24 hours. */
const dayIn = (text: string | undefined, today: number): number | undefined => {
  if (text === undefined || text === '') return today
  const time = parseDateTime(text)
  return typeof time === 'number' ? Math.floor(time / DAY_MS) * DAY_MS : undefined
}

function partsOf(time: number, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  })
  return Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
}

function dayOf(time: number, timeZone: string): number {
  const { year, month, day } = partsOf(time, timeZone)
  return Date.UTC(Number(year), Number(month) - 1, Number(day))
}

function nowIn(now: number, timeZone: string): string {
  const { hour, minute, timeZoneName = '' } = partsOf(now, timeZone)
  const offset = timeZoneName === 'GMT' ? 'UTC' : timeZoneName.replace('GMT', 'UTC')
  return `${named(dayOf(now, timeZone))}, ${hour}:${minute} ${timeZone === 'UTC' ? 'UTC' : `${timeZone} (${offset})`}`
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const named = (day: number): string => {
  const it = new Date(day)
  return `${WEEKDAYS[it.getUTCDay()]}, ${it.toISOString().slice(0, 10)}, week ${isoWeek(day)}`
}

/** ISO 8601: that of its Thursday. */
function isoWeek(day: number): number {
  const thursday = day + (3 - ((new Date(day).getUTCDay() + 6) % 7)) * DAY_MS
  const first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.floor((thursday - first) / DAY_MS / 7) + 1
}

function between(from: number, until: number): string {
  const days = Math.round((until - from) / DAY_MS)
  return `${days} days from ${named(from)} to ${named(until)}: ${workdays(from, until)} of them from Monday to Friday`
}

/** Of the days after the first one, up to the last one; below zero backwards. */
function workdays(from: number, until: number): number {
  if (until < from) return -workdays(until, from)
  const days = Math.round((until - from) / DAY_MS)
  const weeks = Math.floor(days / 7)
  let count = weeks * 5
  for (let left = days % 7; left > 0; left -= 1) {
    const weekday = new Date(until - (left - 1) * DAY_MS).getUTCDay()
    if (weekday !== 0 && weekday !== 6) count += 1
  }
  return count
}

/** Months first; the 31st of a shorter month is its last day. */
function added(day: number, { days, months }: { days: number; months: number }): number | undefined {
  const from = new Date(day)
  const month = new Date(0)
  month.setUTCFullYear(from.getUTCFullYear(), from.getUTCMonth() + months, 1)
  const last = new Date(month)
  last.setUTCMonth(month.getUTCMonth() + 1, 0)
  month.setUTCDate(Math.min(from.getUTCDate(), last.getUTCDate()))
  const later = month.getTime() + days * DAY_MS
  const isInRange = later >= Date.parse('0001-01-01') && later < Date.parse('9999-12-31') + DAY_MS
  return isInRange ? later : undefined
}
