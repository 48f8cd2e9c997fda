// The runs of a connector: a plot, a table, and the log of each.
import { Badge, Button, Pagination } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listIndexAttempts } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, IndexAttemptSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { REFRESH_MS } from '../connectors/use-connector-statuses.ts'
import { RunLog } from './run-log.tsx'
import { RunTimeline } from './run-timeline.tsx'

const PAGE_SIZE = 10

/** The colour of the label of each outcome. */
export const OUTCOMES = {
  success: 'green',
  completed_with_errors: 'yellow',
  failed: 'red',
  canceled: 'gray',
  in_progress: 'blue',
  not_started: 'gray',
} as const
export type Outcome = keyof typeof OUTCOMES

export const outcomeOf = ({ status }: IndexAttemptSnapshot): Outcome =>
  isKeyOf(OUTCOMES, status) ? status : 'not_started'

/** In seconds; null before the run has started. */
export const durationOf = ({ time_started, time_finished }: IndexAttemptSnapshot): number | null =>
  time_started === null
    ? null
    : Math.max(
        0,
        ((time_finished === null ? Date.now() : Date.parse(time_finished)) - Date.parse(time_started)) / 1_000,
      )

export function Attempts({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.runs')
  const [page, setPage] = useState(1)
  const [logOf, setLogOf] = useState<number | null>(null)
  const attempts = useQuery({
    queryKey: ['pair', pair.id, 'attempts', page],
    queryFn: ({ signal }) =>
      listIndexAttempts(api, { cc_pair_id: pair.id, page_num: page - 1, page_size: PAGE_SIZE, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const total = attempts.data?.total_items ?? 0
  return (
    <section className="card" aria-labelledby="attempts">
      <div className="section-head">
        <h2 id="attempts">{t('title')}</h2>
      </div>
      {attempts.isError && <ErrorAlert error={attempts.error} retry={() => void attempts.refetch()} />}
      {attempts.isPending && <LoadingSkeleton lines={4} />}
      {attempts.data !== undefined && total === 0 && (
        <p className="section-note dimmed small">{pair.pull.state === 'pushed' ? t('pushed') : t('none')}</p>
      )}
      {total > 0 && (
        <>
          <RunTimeline id={pair.id} onOpen={setLogOf} />
          <AttemptTable attempts={attempts.data?.items ?? []} onOpenLog={setLogOf} />
        </>
      )}
      {total > PAGE_SIZE && (
        <nav className="section-end" aria-label={t('pages')}>
          <Pagination
            value={page}
            onChange={setPage}
            total={Math.ceil(total / PAGE_SIZE)}
            size="sm"
            getItemProps={(it) => ({ 'aria-label': t('page', { page: it }) })}
            getControlProps={(it) => ({ 'aria-label': it === 'next' ? t('next_page') : t('previous_page') })}
          />
        </nav>
      )}
      {logOf !== null && <RunLog pairId={pair.id} attemptId={logOf} onClose={() => setLogOf(null)} />}
    </section>
  )
}

interface TableProps {
  attempts: readonly IndexAttemptSnapshot[]
  onOpenLog: (id: number) => void
}

function AttemptTable({ attempts, onOpenLog }: TableProps) {
  const t = textsOf('admin.connector.runs')
  const count = (label: string, value: (it: IndexAttemptSnapshot) => number) => ({
    label,
    className: 'number',
    cell: (it: IndexAttemptSnapshot) => formatCount(value(it)),
  })
  return (
    <RecordTable
      label={t('title')}
      rows={attempts}
      keyOf={(it) => it.id}
      columns={[
        { label: t('started'), className: 'nowrap', cell: (it) => <Time at={it.time_started} none={t('not_yet')} /> },
        { label: t('outcome'), className: 'run-outcome', cell: (it) => <OutcomeBadge attempt={it} /> },
        { label: t('log'), cell: (it) => <LogButton id={it.id} onOpen={onOpenLog} /> },
        { label: t('duration'), className: 'nowrap', cell: (it) => <Duration seconds={durationOf(it)} /> },
        count(t('seen'), (it) => it.total_docs_indexed),
        count(t('new'), (it) => it.new_docs_indexed),
        count(t('changed'), (it) => it.docs_changed),
        count(t('unchanged'), (it) => it.docs_unchanged),
        count(t('deleted'), (it) => it.docs_removed_from_index),
        count(t('skipped'), (it) => it.docs_skipped),
        count(t('failed'), (it) => it.error_count),
        { label: t('error'), className: 'long-text', cell: (it) => <bdi>{it.error_msg ?? '–'}</bdi> },
      ]}
    />
  )
}

function LogButton({ id, onOpen }: { id: number; onOpen: (id: number) => void }) {
  const t = textsOf('admin.connector.runs')
  return (
    <Button variant="subtle" size="compact-sm" aria-label={t('log_of', { id: String(id) })} onClick={() => onOpen(id)}>
      {t('log')}
    </Button>
  )
}

function OutcomeBadge({ attempt }: { attempt: IndexAttemptSnapshot }) {
  const outcome = outcomeOf(attempt)
  return (
    <Badge color={OUTCOMES[outcome]} variant="light" tt="none" className="nowrap">
      {textsOf('admin.connector.runs')(`outcomes.${outcome}`)}
    </Badge>
  )
}

const Duration = ({ seconds }: { seconds: number | null }) => <>{seconds === null ? '–' : shortDuration(seconds)}</>

/** Seconds up to two minutes, then minutes, then hours. */
export function shortDuration(seconds: number): string {
  const t = textsOf('admin.connector.runs')
  if (seconds < 10) return t('seconds', { seconds: Math.round(seconds * 10) / 10 })
  if (seconds < 120) return t('seconds', { seconds: Math.round(seconds) })
  if (seconds < 7_200) return t('minutes', { minutes: Math.round(seconds / 60) })
  return t('hours', { hours: Math.round(seconds / 360) / 10 })
}
