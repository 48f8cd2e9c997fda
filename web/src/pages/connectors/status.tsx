import { Badge, Progress } from '@mantine/core'
import type { ConnectorIndexingStatus } from '../../../../src/client/schemas.ts'
import { formatCount, Time } from '../../parts/text.tsx'
import { withoutNextRunTime } from './status-reason.ts'

type Counts = Pick<ConnectorIndexingStatus, 'docs_indexed' | 'docs_waiting' | 'docs_failed'>

interface StatusStyle {
  color: string
  text: string
}

const SYNC_STATE_STYLES: Record<Exclude<ConnectorIndexingStatus['sync_state'], 'pushed'>, StatusStyle> = {
  syncing: { color: 'blue', text: 'Syncing' },
  up_to_date: { color: 'green', text: 'Up to date' },
  not_synced_yet: { color: 'gray', text: 'Not synced yet' },
  failing: { color: 'red', text: 'Sync failed' },
  held: { color: 'yellow', text: 'Deletion needs confirmation' },
  with_errors: { color: 'yellow', text: 'With errors' },
  paused: { color: 'gray', text: 'Paused' },
  deleting: { color: 'red', text: 'Being deleted' },
}

function statusStyle({
  sync_state,
  cc_pair_status,
  docs_waiting,
  docs_failed,
  docs_indexed,
}: ConnectorIndexingStatus): StatusStyle {
  if (sync_state !== 'pushed') return SYNC_STATE_STYLES[sync_state]
  if (cc_pair_status === 'PAUSED') return { color: 'gray', text: 'Paused' }
  if (docs_waiting > 0) return { color: 'blue', text: 'Indexing' }
  if (docs_failed > 0) return { color: 'yellow', text: 'With errors' }
  return docs_indexed > 0 ? { color: 'green', text: 'Up to date' } : { color: 'gray', text: 'No documents yet' }
}

/** The status of a connector in one sentence, with local times. */
export function StatusSentence({ status }: { status: ConnectorIndexingStatus }) {
  const { sync_state, last_error, next_run_at, docs_waiting, status_reason } = status
  if (sync_state === 'failing')
    return (
      <>
        Last sync failed: {last_error}{' '}
        {next_run_at !== null && (
          <>
            Retrying <Time at={next_run_at} />.
          </>
        )}
      </>
    )
  if (sync_state === 'up_to_date' && next_run_at !== null)
    return (
      <>
        Next sync <Time at={next_run_at} />.
        {docs_waiting > 0 && ` ${formatCount(docs_waiting)} documents are being indexed.`}
      </>
    )
  return (
    <>
      {withoutNextRunTime(status_reason, next_run_at)}
      {next_run_at !== null && (
        <>
          {' '}
          Next <Time at={next_run_at} />.
        </>
      )}
    </>
  )
}

export function StatusBadge({ status }: { status: ConnectorIndexingStatus }) {
  const { color, text } = statusStyle(status)
  return (
    <Badge color={color} variant="light" tt="none" className="nowrap">
      {text}
    </Badge>
  )
}

export function ProgressBar({ counts: { docs_indexed, docs_waiting, docs_failed } }: { counts: Counts }) {
  const total = docs_indexed + docs_waiting + docs_failed
  if (total === 0) return <span className="dimmed">No documents</span>
  // A full bar means "done", so it stays below 100 % while a document waits.
  const percent = docs_waiting === 0 ? 100 : Math.min(99, Math.floor(((docs_indexed + docs_failed) / total) * 100))
  const text = `${formatCount(docs_indexed)} of ${formatCount(total)}`
  return (
    <div className="progress">
      <Progress value={percent} size="sm" color={docs_waiting > 0 ? 'blue' : 'teal'} aria-label={`${text} indexed`} />
      <span className="small dimmed">
        {docs_waiting > 0 ? `${text}, ${percent} %` : `${formatCount(docs_indexed)} indexed`}
        {docs_failed > 0 && `, ${formatCount(docs_failed)} failed`}
      </span>
    </div>
  )
}
