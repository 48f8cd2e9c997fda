// Numbers, times, links and marks, as they are shown everywhere.
import { Fragment, type ReactNode } from 'react'

const count = new Intl.NumberFormat('en')
export const formatCount = (it: number): string => count.format(it)

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const SPANS: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const MAX_AGO_MS = 30 * 86_400_000

function agoText(at: number, now: number): string {
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
      {agoText(time, Date.now())}
    </time>
  )
}

/** Spans are offsets in UTF-16 units, end exclusive, in order. */
export function Marked({ text, spans }: { text: string; spans: readonly (readonly number[])[] }): ReactNode {
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

/** The same words again, in a longer text. */
export function spansOf(words: readonly string[], text: string): [number, number][] {
  const wanted = [...new Set(words.map((it) => it.toLowerCase()))].filter((it) => it.trim() !== '')
  if (wanted.length === 0) return []
  const pattern = wanted
    .sort((a, b) => b.length - a.length)
    .map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|')
  const matcher = new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu')
  return [...text.matchAll(matcher)].map((it) => [it.index, it.index + it[0].length])
}

/** `ticket_tracker` → Ticket tracker. */
export function sourceLabel(source: string): string {
  const text = source.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
