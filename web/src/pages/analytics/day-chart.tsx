// Searches per day as bars. Their lower part is the searches without results. All values are in a table as well.
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { QueryReport } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { exactDate, formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { ExportLink } from './export-link.tsx'
import type { Period } from './report-query.ts'

type Day = QueryReport['days'][number]

const DAY_MS = 86_400_000
/** The size of the drawing, which grows with the window. */
const WIDTH = 1_000
const HEIGHT = 160
/** The part of its place that a bar fills. */
const FILLED = 0.75

export function DayChart({ report, days: period }: { report: QueryReport; days: Period }) {
  const t = textsOf('admin.analytics.days')
  const [isTable, setIsTable] = useState(false)
  return (
    <section className="card" aria-labelledby="days">
      <div className="section-head">
        <h2 id="days">{t('title')}</h2>
        <div className="row">
          <Button size="xs" variant="default" onClick={() => setIsTable(!isTable)}>
            {isTable ? t('as_chart') : t('as_table')}
          </Button>
          <ExportLink days={period} list="days" title={t('title')} />
        </div>
      </div>
      {isTable ? <DayTable days={report.days} /> : <Chart days={allDays(report)} />}
    </section>
  )
}

/** The report leaves out days without searches. */
function allDays({ from, until, days }: QueryReport): Day[] {
  const known = new Map(days.map((it) => [it.day, it]))
  const first = Math.floor(Date.parse(from) / DAY_MS)
  const last = Math.floor((Date.parse(until) - 1) / DAY_MS)
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const day = new Date((first + at) * DAY_MS).toISOString().slice(0, 10)
    return known.get(day) ?? { day, searches: 0, empty: 0, answered: 0, slow: 0 }
  })
}

function Chart({ days }: { days: readonly Day[] }) {
  const t = textsOf('admin.analytics.days')
  const most = Math.max(1, ...days.map((it) => it.searches))
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const place = WIDTH / days.length
  return (
    <figure className="day-chart">
      <div className="small dimmed day-head">
        <span>{t('most', { count: most })}</span>
        <span className="day-legend">
          <span className="day-swatch day-swatch-searches" aria-hidden="true" />
          {t('searches')}
          <span className="day-swatch day-swatch-empty" aria-hidden="true" />
          {t('empty')}
        </span>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('summary', { from: exactDate(first), until: exactDate(last), most })}
      >
        {days.map((it, at) => (
          <g key={it.day}>
            <title>{t('day', { day: exactDate(it.day), searches: it.searches, empty: it.empty })}</title>
            <rect className="day-place" x={at * place} y={0} width={place} height={HEIGHT} />
            <Bar className="day-searches" at={at} place={place} share={it.searches / most} />
            <Bar className="day-empty" at={at} place={place} share={it.empty / most} />
          </g>
        ))}
      </svg>
      <figcaption className="small dimmed">
        <span>{exactDate(first)}</span>
        <span>{exactDate(last)}</span>
      </figcaption>
    </figure>
  )
}

interface BarProps {
  className: string
  at: number
  place: number
  /** The part of the height. */
  share: number
}

const Bar = ({ className, at, place, share }: BarProps) => (
  <rect
    className={className}
    x={at * place + (place * (1 - FILLED)) / 2}
    y={HEIGHT * (1 - share)}
    width={place * FILLED}
    height={HEIGHT * share}
  />
)

function DayTable({ days }: { days: readonly Day[] }) {
  const t = textsOf('admin.analytics.days')
  const count = (name: 'searches' | 'empty' | 'answered' | 'slow') => ({
    label: t(name),
    className: 'number',
    cell: (it: Day) => formatCount(it[name]),
  })
  return (
    <div className="day-table">
      <RecordTable
        label={t('title')}
        rows={days.toReversed()}
        keyOf={(it) => it.day}
        columns={[
          { label: t('date'), className: 'nowrap', cell: (it) => exactDate(it.day) },
          ...[count('searches'), count('answered'), count('empty'), count('slow')],
        ]}
      />
    </div>
  )
}
