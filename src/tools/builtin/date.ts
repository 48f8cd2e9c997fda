// The current date and calendar arithmetic, which models get wrong.
import { z } from 'zod'
import { DAY_MS, isTimeZone, parseDateTime } from '../../wire/date-time.ts'
import type { ToolResult } from '../tool.ts'
import { defineBuiltInTool, errorResult, okResult } from './define-built-in-tool.ts'

export interface DateDeps {
  now: () => number
}

const date = z.string().max(40)
const Arguments = z.object({
  question: z
    .enum(['now', 'weekday', 'difference', 'add'])
    .default('now')
    .describe(
      '`now`: the current date and time. `weekday`: the day of the week of `date`. `difference`: the days from `date` to `until`. `add`: adds `days` and `months` to `date`.',
    ),
  date: date.optional().describe('For example 2026-05-31. Default: today.'),
  until: date.optional().describe('For `difference`. Default: today.'),
  days: z.coerce.number().int().min(-4_000_000).max(4_000_000).default(0),
  months: z.coerce.number().int().min(-100_000).max(100_000).default(0),
  time_zone: z.string().max(100).default('UTC').describe('For example Europe/Berlin.'),
})
type Arguments = z.output<typeof Arguments>

export const dateTool = defineBuiltInTool({
  in_code_tool_id: 'DateTool',
  name: 'date',
  display_name: 'Date',
  description: 'Knows what day it is, and counts days.',
  descriptionForModel:
    'Returns the current date and time, the day of the week of a date, the number of days between two dates, or a date a number of days or months later.',
  default_enabled: true,
  arguments: Arguments,
  call: async ({ now }: DateDeps, args) => answerDateQuestion(args, now()),
})

export function answerDateQuestion(
  { question, time_zone, days, months, ...given }: Arguments,
  now: number,
): ToolResult {
  if (!isTimeZone(time_zone))
    return errorResult(`"${time_zone}" is not a time zone. Use an IANA name such as Europe/Berlin.`)
  const today = dayInZone(now, time_zone)
  const [day, until] = [parseDay(given.date, today), parseDay(given.until, today)]
  if (day === undefined) return errorResult(invalidDate(given.date))
  if (until === undefined) return errorResult(invalidDate(given.until))
  if (question === 'now') return okResult(describeNow(now, time_zone))
  if (question === 'weekday') return okResult(describeDay(day))
  if (question === 'difference') return okResult(describeDifference(day, until))
  const later = addToDay(day, { days, months })
  return later === undefined ? errorResult('The date is outside the years 1 to 9999.') : okResult(describeDay(later))
}

const invalidDate = (text: string | undefined) => `"${text}" is not a date. Use the form 2026-05-31.`

/** Days are represented in UTC, where each has 24 hours. */
const parseDay = (text: string | undefined, today: number): number | undefined => {
  if (text === undefined || text === '') return today
  const time = parseDateTime(text)
  return typeof time === 'number' ? Math.floor(time / DAY_MS) * DAY_MS : undefined
}

function dateParts(time: number, timeZone: string): Record<string, string> {
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

function dayInZone(time: number, timeZone: string): number {
  const { year, month, day } = dateParts(time, timeZone)
  return Date.UTC(Number(year), Number(month) - 1, Number(day))
}

function describeNow(now: number, timeZone: string): string {
  const { hour, minute, timeZoneName = '' } = dateParts(now, timeZone)
  const offset = timeZoneName === 'GMT' ? 'UTC' : timeZoneName.replace('GMT', 'UTC')
  return `${describeDay(dayInZone(now, timeZone))}, ${hour}:${minute} ${timeZone === 'UTC' ? 'UTC' : `${timeZone} (${offset})`}`
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const describeDay = (day: number): string => {
  const it = new Date(day)
  return `${WEEKDAYS[it.getUTCDay()]}, ${it.toISOString().slice(0, 10)}, week ${isoWeek(day)}`
}

/** The ISO 8601 week, which is the week of its Thursday. */
function isoWeek(day: number): number {
  const thursday = day + (3 - ((new Date(day).getUTCDay() + 6) % 7)) * DAY_MS
  const first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.floor((thursday - first) / DAY_MS / 7) + 1
}

function describeDifference(from: number, until: number): string {
  const days = Math.round((until - from) / DAY_MS)
  return `${days} days from ${describeDay(from)} to ${describeDay(until)}: ${countWorkdays(from, until)} of them from Monday to Friday`
}

/** Counts Monday to Friday after `from`, up to and including `until`; negative if `until` is earlier. */
function countWorkdays(from: number, until: number): number {
  if (until < from) return -countWorkdays(until, from)
  const days = Math.round((until - from) / DAY_MS)
  const weeks = Math.floor(days / 7)
  let count = weeks * 5
  for (let left = days % 7; left > 0; left -= 1) {
    const weekday = new Date(until - (left - 1) * DAY_MS).getUTCDay()
    if (weekday !== 0 && weekday !== 6) count += 1
  }
  return count
}

/** Adds months first; the 31st of a shorter month becomes its last day. */
function addToDay(day: number, { days, months }: { days: number; months: number }): number | undefined {
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
