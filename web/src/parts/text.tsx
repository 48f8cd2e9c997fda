// Shared formatting: counts, times, durations, highlights and labels.
import { Fragment, type ReactNode } from 'react'
import { SOURCE_LABELS } from '../../../src/client/source-labels.ts'

const count = new Intl.NumberFormat('en')
export const formatCount = (it: number): string => count.format(it)

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
export const exactTime = (at: string): string => moment.format(Date.parse(at))

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
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
  return unit === 'second' ? 'just now' : ago.format(-Math.round(gone / ms), unit)
}

export function Time({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span className="dimmed">{none}</span>
  const time = Date.parse(at)
  return (
    <time dateTime={at} title={moment.format(time)}>
      {relativeTimeText(time, Date.now())}
    </time>
  )
}

/** For example "1 h 15 min"; rounded up to whole minutes. */
export function durationText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  if (hours === 0) return `${minutes} min`
  return rest === 0 ? `${formatCount(hours)} h` : `${formatCount(hours)} h ${rest} min`
}

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
  const label = SOURCE_LABELS.get(source)
  if (label !== undefined) return label
  const text = source.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The default pair of pushed documents has a fixed name in the API. Old pairs may have no name. */
export function pairLabel({ id, name }: { id: number; name: string }): string {
  if (name === 'DefaultCCPair') return 'Pushed through the API'
  return name.trim() === '' ? `Connector ${id} (unnamed)` : name
}
