// Draws the lines of one plot on a canvas. Its words are beside it: people who do not see it read the summary or the table.
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import type { OverviewPoint } from '../../../../src/client/schemas.ts'
import { timeZone } from '../../text/language.ts'
import { formatTick, formatValue, gridSteps } from './format-value.ts'
import type { SeriesRange } from './overview-query.ts'
import type { PlotOf } from './plots.ts'
import 'uplot/dist/uPlot.min.css'

interface PlotProps {
  plot: PlotOf
  range: SeriesRange
  points: readonly OverviewPoint[]
  label: string
  /** Called with the point below the pointer; null when there is none. */
  onPoint: (index: number | null) => void
}

const HEIGHT = 160
const VALUE_AXIS = 68
const TIME_AXIS = 30
/** The second line is dashed, so that colour is not the only difference. */
const DASHES = [[], [5, 4]]

export function Plot({ plot, range, points, label, onPoint }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const data = useMemo(() => dataOf(plot, points), [plot, points])
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides the colours, which the styles have.
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const made = new uPlot(optionsOf({ plot, range, element, onPoint }), undefined, element)
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    chart.current = made
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [plot, range, scheme, onPoint])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chart has no data yet.
  useEffect(() => chart.current?.setData(data), [data, range, scheme, onPoint])
  return <div className="plot" ref={frame} role="img" aria-label={label} />
}

const dataOf = ({ lines }: PlotOf, points: readonly OverviewPoint[]): uPlot.AlignedData => [
  points.map((it) => Date.parse(it.at) / 1_000),
  ...lines.map(({ pick }) => points.map(pick)),
]

interface OptionsRequest extends Pick<PlotProps, 'plot' | 'range' | 'onPoint'> {
  element: HTMLElement
}

function optionsOf({ plot, range, element, onPoint }: OptionsRequest): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name)
  const axis: uPlot.Axis = {
    stroke: colour('--mantine-color-dimmed'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${style.fontFamily}`,
  }
  const incrs = gridSteps(plot.unit)
  return {
    ...{ width: element.clientWidth, height: HEIGHT, padding: [12, 12, 0, 0] },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, size: TIME_AXIS, space: 76, values: (_, splits) => splits.map((it) => formatTick(it * 1_000, range)) },
      {
        ...{ ...axis, size: VALUE_AXIS, space: 34, ...(incrs !== undefined && { incrs }) },
        values: (_, splits) => splits.map((it) => formatValue(it === 0 ? 'number' : plot.unit, it)),
      },
    ],
    series: [
      {},
      ...plot.lines.map((_, at) => ({
        ...{ stroke: colour(`--plot-${at + 1}`), width: 2, dash: DASHES[at] ?? [] },
        points: { show: true, size: 5, filter: lonePoints },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

/** A value between two gaps has no line, so it is drawn as a dot. */
function lonePoints({ data }: uPlot, line: number): number[] {
  const values = data[line] ?? []
  const isGap = (at: number) => values[at] === null || values[at] === undefined
  return Array.from(values, (_, at) => at).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1))
}
