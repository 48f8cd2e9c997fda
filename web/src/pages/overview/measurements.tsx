// The measurements of the service over an hour, a day or a month.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { type SeriesRange, useSeries } from './overview-query.ts'
import { PlotCard } from './plot-card.tsx'
import { PLOTS } from './plots.ts'

const RANGES = ['hour', 'day', 'month'] as const

export function Measurements() {
  const t = textsOf('admin.overview.measurements')
  const [range, setRange] = useState<SeriesRange>('hour')
  const series = useSeries(range)
  return (
    <section aria-labelledby="measurements" className="stack">
      <div className="measurements-head">
        <h2 id="measurements">{t('title')}</h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
        <div role="group" aria-label={t('range')} className="row">
          {RANGES.map((it) => (
            <Button
              key={it}
              size="compact-sm"
              variant={it === range ? 'filled' : 'default'}
              aria-pressed={it === range}
              onClick={() => setRange(it)}
            >
              {t(`ranges.${it}`)}
            </Button>
          ))}
        </div>
      </div>
      {series.isError && series.data === undefined && (
        <ErrorAlert error={series.error} retry={() => void series.refetch()} />
      )}
      {series.isPending && <PlotSkeletons />}
      {series.data !== undefined && <Plots range={series.data.range} points={series.data.points} />}
    </section>
  )
}

function Plots({ range, points }: { range: SeriesRange; points: Parameters<typeof PlotCard>[0]['points'] }) {
  const t = textsOf('admin.overview.measurements')
  if (points.every((it) => it.measured_s === 0))
    return (
      <div className="card">
        <EmptyState icon="history" title={t('empty')}>
          {t('empty_help')}
        </EmptyState>
      </div>
    )
  return (
    <div className="plots">
      {PLOTS.map((it) => (
        <PlotCard key={it.name} plot={it} range={range} points={points} />
      ))}
    </div>
  )
}

const PlotSkeletons = () => (
  <div className="plots">
    {PLOTS.slice(0, 4).map((it) => (
      <LoadingSkeleton key={it.name} lines={5} />
    ))}
  </div>
)
