// Shared formatting: counts, times, durations, highlights and labels.
import { Fragment, type ReactNode } from 'react'
import { SOURCE_LABELS } from '../../../src/client/source-labels.ts'
import { language, timeZone } from '../text/language.ts'
import { textsOf } from '../text/texts.ts'

const count = new Intl.NumberFormat(language)
export const formatCount = (it: number): string => count.format(it)

const day = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'medium' })
const utcDay = new Intl.DateTimeFormat(language, { timeZone: 'UTC', dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'medium', timeStyle: 'medium' })
export const exactDay = (at: string): string => day.format(Date.parse(at))
/** A day such as 2026-05-31, which is the same in every time zone. */
export const exactDate = (it: string): string => utcDay.format(Date.parse(it))
const clock = new Intl.DateTimeFormat(language, { timeZone, timeStyle: 'short' })
export const timeOfDay = (at: string): string => clock.format(Date.parse(at))
export const exactTime = (at: string): string => moment.format(Date.parse(at))

const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
const SPANS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const MAX_AGO_MS = 30 * 86_400_000

function relativeTimeText(at: number, now: number): string {
  const gone = now - at
  if (gone > MAX_AGO_MS) return day.format(at)
  const [unit, ms] = SPANS.find(([, it]) => Math.abs(gone) >= it) ?? ['second', 1_000]
  if (unit === 'second') return gone < 0 ? ago.format(Math.ceil(-gone / 1_000), unit) : textsOf('parts')('just_now')
  return ago.format(-Math.round(gone / ms), unit)
}

export function Time({ at, none }: { at: string | null; none?: string }) {
  if (at === null) return <span className="dimmed">{none ?? textsOf('parts')('never')}</span>
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={moment.format(time)}>
      {relativeTimeText(time, Date.now())}
    </time>
  )
}

const unit = (value: number, name: 'hour' | 'minute'): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)

/** For example "1 hr 15 min"; rounded up to whole minutes. */
export function durationText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  const parts = [hours > 0 && unit(hours, 'hour'), (rest > 0 || hours === 0) && unit(rest, 'minute')]
  return parts.filter((it) => it !== false).join(' ')
}

const BYTE_UNITS = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const BYTE_STEP = 1_000

/** "12 MB"; less than a kilobyte is shown as one. */
export function formatBytes(bytes: number): string {
  const kilobytes = bytes === 0 ? 0 : Math.max(bytes / BYTE_STEP, 1)
  const at = kilobytes === 0 ? 0 : Math.min(Math.floor(Math.log10(kilobytes) / 3), BYTE_UNITS.length - 1)
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: BYTE_UNITS[at] ?? 'terabyte',
    unitDisplay: 'short',
    maximumSignificantDigits: 3,
  }).format(kilobytes / BYTE_STEP ** at)
}

const list = new Intl.ListFormat(language, { type: 'unit' })
/** "a, b, c" */
export const listText = (it: readonly string[]): string => list.format(it)

/** Spans are offsets in UTF-16 code units, end exclusive, in ascending order. */
export function HighlightedText({ text, spans }: { text: string; spans: readonly (readonly number[])[] }): ReactNode {
  const pieces: ReactNode[] = []
  let done = 0
  for (const [from = 0, to = 0] of spans) {
    if (from < done || to <= from || to > text.length) continue
    pieces.push(<Fragment key={`t${done}`}>{text.slice(done, from)}</Fragment>)
    pieces.push(<mark key={`m${from}`}>{text.slice(from, to)}</mark>)
    done = to
  }
  return (
    <>
      {pieces}
      {text.slice(done)}
    </>
  )
}

/** `ticket_tracker` → Ticket tracker. */
export function sourceLabel(source: string): string {
  if (source === 'imap' || source === 'ingestion_api') return textsOf('sources')(source)
  const label = SOURCE_LABELS.get(source)
  if (label !== undefined) return label
  const text = source.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The default pair of pushed documents has a fixed name in the API. Old pairs may have no name. */
export function pairLabel({ id, name }: { id: number; name: string }): string {
  if (name === 'DefaultCCPair') return textsOf('parts')('pushed')
  return name.trim() === '' ? textsOf('parts')('unnamed_connector', { id: String(id) }) : name
}
