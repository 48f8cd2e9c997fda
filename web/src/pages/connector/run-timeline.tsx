// The newest runs as bars, oldest first: the height is the duration, colour and pattern are the outcome.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listIndexAttempts } from '../../../../src/client/operations.ts'
import type { IndexAttemptSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { TableFrame } from '../../parts/table-frame.tsx'
import { exactTime } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { REFRESH_MS } from '../connectors/use-connector-statuses.ts'
import { durationOf, type Outcome, outcomeOf, shortDuration } from './attempts.tsx'

const SHOWN = 60
const [BAR, GAP, HEIGHT, LEAST] = [14, 4, 96, 6]
const LEGEND: readonly Outcome[] = ['success', 'completed_with_errors', 'failed', 'canceled']

/** The table below it is the text alternative; each bar opens the log of its run. */
export function RunTimeline({ id, onOpen }: { id: number; onOpen: (attemptId: number) => void }) {
  const t = textsOf('admin.connector.runs')
  const { data } = useQuery({
    queryKey: ['pair', id, 'timeline'],
    queryFn: ({ signal }) => listIndexAttempts(api, { cc_pair_id: id, page_size: SHOWN, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const runs = (data?.items ?? []).filter((it) => it.time_started !== null).toReversed()
  if (runs.length === 0) return null
  const longest = Math.max(...runs.map((it) => durationOf(it) ?? 0), 0.001)
  const width = runs.length * (BAR + GAP)
  return (
    <figure className="timeline">
      <TableFrame label={t('plot')}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: each bar has a name. */}
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
          <Patterns />
          {runs.map((run, at) => (
            <Bar key={run.id} run={run} x={at * (BAR + GAP)} share={(durationOf(run) ?? 0) / longest} onOpen={onOpen} />
          ))}
        </svg>
      </TableFrame>
      <figcaption className="small dimmed">
        <span>{t('plot_help', { longest: shortDuration(longest) })}</span>
        {LEGEND.map((it) => (
          <span key={it} className="timeline-key">
            <svg width={12} height={12} aria-hidden="true">
              <rect width={12} height={12} rx={2} className={`run-bar run-${it}`} />
            </svg>
            {t(`outcomes.${it}`)}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

interface BarProps {
  run: IndexAttemptSnapshot
  x: number
  /** The share of the longest duration, from 0 to 1. */
  share: number
  onOpen: (attemptId: number) => void
}

function Bar({ run, x, share, onOpen }: BarProps) {
  const t = textsOf('admin.connector.runs')
  const height = Math.max(LEAST, Math.round(share * (HEIGHT - 4)))
  const label = t('bar', {
    time: run.time_started === null ? '–' : exactTime(run.time_started),
    outcome: t(`outcomes.${outcomeOf(run)}`),
    duration: shortDuration(durationOf(run) ?? 0),
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons.
    <g
      role="button"
      tabIndex={0}
      aria-label={label}
      className="timeline-bar"
      onClick={() => onOpen(run.id)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onOpen(run.id)
      }}
    >
      <title>{label}</title>
      <rect x={x} y={0} width={BAR + GAP} height={HEIGHT} fill="transparent" />
      <rect
        x={x + GAP / 2}
        y={HEIGHT - height}
        width={BAR}
        height={height}
        rx={2}
        className={`run-bar run-${outcomeOf(run)}`}
      />
    </g>
  )
}

/** So that outcomes differ without colours. */
const Patterns = () => (
  <defs>
    <pattern id="run-stripes" width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width={6} height={6} className="run-failed-ground" />
      <rect width={2.5} height={6} className="run-failed-stripe" />
    </pattern>
    <pattern id="run-dots" width={6} height={6} patternUnits="userSpaceOnUse">
      <rect width={6} height={6} className="run-errors-ground" />
      <circle cx={3} cy={3} r={1.5} className="run-errors-dot" />
    </pattern>
  </defs>
)
