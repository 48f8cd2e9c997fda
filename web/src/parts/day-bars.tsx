// A number for each day as bars. The words beside it say the same to people who do not see it.
import { exactDate, formatCount } from './text.tsx'
import './day-bars.css'

interface BarsProps {
  /** The first day (UTC). The last one is today. */
  from: string
  /** The numbers by day; days without a number have 0. */
  values: ReadonlyMap<string, number>
  title: string
  label: (facts: { total: number; highest: number; day: string }) => string
  barLabel: (facts: { day: string; count: number }) => string
}

const DAY_MS = 86_400_000
const HEIGHT = 100
/** In units of the drawing, which is stretched to the width of the card. */
const BAR = 8
const GAP = 2

export function DayBars({ from, values, title, label, barLabel }: BarsProps) {
  const days = allDays(from)
  const countOf = (day: string) => values.get(day) ?? 0
  const highestDay = days.reduce((most, it) => (countOf(it) > countOf(most) ? it : most), from)
  const highest = countOf(highestDay)
  const total = days.reduce((sum, it) => sum + countOf(it), 0)
  return (
    <div className="day-bars">
      <p className="day-bars-line small dimmed">
        <span>{title}</span>
        <span>{formatCount(highest)}</span>
      </p>
      <svg
        className="day-bars-plot"
        viewBox={`0 0 ${days.length * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label({ total, highest, day: exactDate(highestDay) })}
      >
        {days.map((day, at) => {
          const height = highest === 0 ? 0 : (countOf(day) / highest) * HEIGHT
          return (
            <rect key={day} x={at * (BAR + GAP)} y={HEIGHT - height} width={BAR} height={height}>
              <title>{barLabel({ day: exactDate(day), count: countOf(day) })}</title>
            </rect>
          )
        })}
      </svg>
      <p className="day-bars-line small dimmed">
        <span>{exactDate(from)}</span>
        <span>{exactDate(days.at(-1) ?? from)}</span>
      </p>
    </div>
  )
}

function allDays(from: string): string[] {
  const first = Date.parse(from)
  const count = Math.max(1, Math.floor((Date.now() - first) / DAY_MS) + 1)
  return Array.from({ length: count }, (_, at) => new Date(first + at * DAY_MS).toISOString().slice(0, 10))
}
