// All values of a plot, newest first.
import type { OverviewPoint } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { formatStep, formatValue } from './format-value.ts'
import type { SeriesRange } from './overview-query.ts'
import type { PlotOf } from './plots.ts'

interface PlotTableProps {
  plot: PlotOf
  range: SeriesRange
  points: readonly OverviewPoint[]
  title: string
}

export function PlotTable({ plot, range, points, title }: PlotTableProps) {
  const t = textsOf('admin.overview')
  const { lines, unit } = plot
  return (
    <div className="plot-table">
      <RecordTable
        label={title}
        rows={points.toReversed().filter((it) => it.measured_s > 0)}
        keyOf={(it) => it.at}
        columns={[
          { label: t('measurements.time'), cell: (it) => formatStep(Date.parse(it.at), range) },
          ...lines.map(({ name, pick }) => ({
            label: t(`lines.${name}`),
            className: 'number',
            cell: (it: OverviewPoint) => {
              const value = pick(it)
              return value === null ? '–' : formatValue(unit, value)
            },
          })),
        ]}
      />
    </div>
  )
}
