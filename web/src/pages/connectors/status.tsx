import { Badge, Progress } from '@mantine/core'
import type { ConnectorIndexingStatus } from '../../../../src/client/schemas.ts'
import { durationText, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { withoutNextRunTime } from './status-reason.ts'

/** The states by which people filter, in the order of the list; each with the colour of its label. */
export const STATES = {
  failing: 'red',
  held: 'yellow',
  syncing: 'blue',
  with_errors: 'yellow',
  not_synced_yet: 'gray',
  up_to_date: 'green',
  paused: 'gray',
  deleting: 'red',
} as const
export type ShownState = keyof typeof STATES

/** The state of a pushed connector is that of its documents. */
export function shownState(status: ConnectorIndexingStatus): ShownState {
  const { sync_state, cc_pair_status, docs_waiting, docs_failed, docs_indexed } = status
  if (sync_state !== 'pushed') return sync_state
  if (cc_pair_status === 'PAUSED') return 'paused'
  if (docs_waiting > 0) return 'syncing'
  if (docs_failed > 0) return 'with_errors'
  return docs_indexed > 0 ? 'up_to_date' : 'not_synced_yet'
}

/** The status of a connector in one sentence, with local times. */
export function StatusSentence({ status }: { status: ConnectorIndexingStatus }) {
  const t = textsOf('admin.connectors.status')
  const { sync_state, last_error, next_run_at, docs_held, status_reason, source_wait } = status
  const next = next_run_at === null ? null : { time: () => <Time at={next_run_at} /> }
  if (source_wait !== null) {
    const reason = { reason: () => <bdi>{source_wait.reason}</bdi> }
    return <>{t.rich('source_waits', { ...reason, time: () => <Time at={source_wait.until} /> })}</>
  }
  if (sync_state === 'failing') {
    const error = { error: () => <bdi>{last_error ?? '–'}</bdi> }
    return <>{next === null ? t.rich('failing', error) : t.rich('failing_retry', { ...error, ...next })}</>
  }
  if (sync_state === 'held') return <>{t('held', { count: docs_held })}</>
  if (sync_state === 'up_to_date' && next !== null) return <>{t.rich('next_sync', next)}</>
  const reason = withoutNextRunTime(status_reason, next_run_at)
  return (
    <>
      {reason} {next !== null && t.rich('next', next)}
    </>
  )
}

export function StatusBadge({ status }: { status: ConnectorIndexingStatus }) {
  const state = shownState(status)
  const isEmpty = status.sync_state === 'pushed' && state === 'not_synced_yet'
  return (
    <Badge color={STATES[state]} variant="light" tt="none" className="nowrap">
      {textsOf('admin.connectors.status')(isEmpty ? 'states.empty' : `states.${state}`)}
    </Badge>
  )
}

/** How many documents are indexed, and how far the run that reads the source has come. */
export function ProgressBar({ status }: { status: ConnectorIndexingStatus }) {
  const t = textsOf('admin.connectors.status')
  const { docs_indexed, docs_waiting, docs_failed, progress } = status
  const total = docs_indexed + docs_waiting + docs_failed
  if (total === 0 && progress === null) return <span className="dimmed">{t('no_documents')}</span>
  // A full bar means "done", so it stays below 100 % while a document waits.
  const percent =
    docs_waiting === 0 ? 100 : Math.min(99, Math.floor(((docs_indexed + docs_failed) / Math.max(total, 1)) * 100))
  const counts = { indexed: docs_indexed, total, failed: docs_failed }
  return (
    <div className="progress">
      {total > 0 && (
        <Progress
          value={percent}
          size="sm"
          color={docs_waiting > 0 ? 'blue' : 'teal'}
          aria-label={t('indexed_of', { ...counts, percent })}
        />
      )}
      <span className="small dimmed">
        {docs_waiting > 0 ? t('indexed_of', { ...counts, percent }) : t('indexed', counts)}
      </span>
      {progress !== null && <RunProgress progress={progress} />}
    </div>
  )
}

function RunProgress({ progress }: { progress: NonNullable<ConnectorIndexingStatus['progress']> }) {
  const t = textsOf('admin.connectors.status')
  const { read, per_minute, remaining_s } = progress
  const rate = Math.round(per_minute ?? 0)
  const text =
    per_minute === null
      ? t('read', { read })
      : remaining_s === null
        ? t('read_rate', { read, rate })
        : t('read_left', { read, rate, left: durationText(remaining_s) })
  return <span className="small dimmed">{text}</span>
}
