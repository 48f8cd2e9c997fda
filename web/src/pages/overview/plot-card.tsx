// One plot with its lines in words, and all its values as a table.
import { Button } from '@mantine/core'
import { useId, useState } from 'react'
import type { OverviewPoint } from '../../../../src/client/schemas.ts'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { formatStep, formatValue } from './format-value.ts'
import type { SeriesRange } from './overview-query.ts'
import { Plot } from './plot.tsx'
import { PlotTable } from './plot-table.tsx'
import type { PlotLine, PlotOf } from './plots.ts'
import { WaitReason } from './wait-reason.tsx'

interface PlotCardProps {
  plot: PlotOf
  range: SeriesRange
  points: readonly OverviewPoint[]
}

export function PlotCard({ plot, range, points }: PlotCardProps) {
  const t = textsOf('admin.overview.measurements')
  const id = useId()
  const [isTable, setIsTable] = useState(false)
  const [pointed, setPointed] = useState<number | null>(null)
  const title = textsOf('admin.overview.plots')(plot.name)
  const lines = plot.lines.map((line) => summaryOf(line, plot, range, points))
  const isMeasured = lines.some((it) => it.highest !== null)
  const point = pointed === null ? undefined : points[pointed]
  return (
    <section className="card plot-card" aria-labelledby={id}>
      <header>
        <h3 id={id}>
          {title} {'isPerStep' in plot && <span className="dimmed">{t(`steps.${range}`)}</span>}
        </h3>
        {isMeasured && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={t(isTable ? 'plot_of' : 'table_of', { title })}
            onClick={() => setIsTable(!isTable)}
          >
            {t(isTable ? 'plot' : 'table')}
          </Button>
        )}
      </header>
      {!isMeasured && <p className="plot-nothing dimmed">{t('nothing')}</p>}
      {isMeasured && isTable && <PlotTable plot={plot} range={range} points={points} title={title} />}
      {isMeasured && !isTable && (
        <Plot
          {...{ plot, range, points }}
          label={t('summary', { title, lines: listText(lines.map((it) => it.text)) })}
          onPoint={setPointed}
        />
      )}
      {isMeasured && (
        <ul className="plot-lines">
          {lines.map(({ line, name, text }, at) => (
            <li key={name}>
              <span className={`plot-swatch plot-swatch-${at + 1}`} aria-hidden="true" />
              {point === undefined ? text : pointText(line, { name, plot, range, point })}
            </li>
          ))}
        </ul>
      )}
      {plot.name === 'longest_wait' && <WaitReason points={points} point={point} />}
    </section>
  )
}

function summaryOf(line: PlotLine, { unit }: PlotOf, range: SeriesRange, points: readonly OverviewPoint[]) {
  const t = textsOf('admin.overview')
  const name = t(`lines.${line.name}`)
  const values = points.map(line.pick)
  const highest = values.reduce((most, it) => (it === null || (most !== null && most >= it) ? most : it), null)
  if (highest === null) return { line, name, highest, text: t('measurements.line_nothing', { name }) }
  const latest = values.findLast((it) => it !== null) ?? highest
  const at = points[values.indexOf(highest)]?.at ?? ''
  const facts = { latest: formatValue(unit, latest), highest: formatValue(unit, highest) }
  const time = formatStep(Date.parse(at), range)
  return { line, name, highest, text: t('measurements.line', { name, ...facts, time }) }
}

/** The value below the pointer. */
function pointText(
  line: PlotLine,
  { name, plot, range, point }: { name: string; plot: PlotOf; range: SeriesRange; point: OverviewPoint },
): string {
  const t = textsOf('admin.overview.measurements')
  const value = line.pick(point)
  const time = formatStep(Date.parse(point.at), range)
  if (value === null) return t('line_not_measured', { name, time })
  return t('line_at', { name, value: formatValue(plot.unit, value), time })
}
