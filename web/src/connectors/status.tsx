import { Badge, Progress } from '@mantine/core'
import type { ConnectorIndexingStatus } from '../../../src/client/schemas.ts'
import { formatCount } from '../parts/text.tsx'

type Counts = Pick<ConnectorIndexingStatus, 'docs_indexed' | 'docs_waiting' | 'docs_failed'>

interface Shown {
  color: string
  text: string
}

function shownOf({ cc_pair_status, last_status, docs_failed }: ConnectorIndexingStatus): Shown {
  if (cc_pair_status === 'DELETING') return { color: 'red', text: 'Being deleted' }
  if (cc_pair_status === 'PAUSED') return { color: 'gray', text: 'Paused' }
  if (last_status === 'in_progress') return { color: 'blue', text: 'Indexing' }
  if (docs_failed > 0) return { color: 'yellow', text: 'With errors' }
  return last_status === 'success'
    ? { color: 'green', text: 'Up to date' }
    : { color: 'gray', text: 'No documents yet' }
}

export function StatusBadge({ status }: { status: ConnectorIndexingStatus }) {
  const { color, text } = shownOf(status)
  return (
    <Badge color={color} variant="light" tt="none" className="nowrap">
      {text}
    </Badge>
  )
}

export function ProgressBar({ counts: { docs_indexed, docs_waiting, docs_failed } }: { counts: Counts }) {
  const total = docs_indexed + docs_waiting + docs_failed
  if (total === 0) return <span className="dimmed">no documents</span>
  // A bar that is full says "done": one document that waits must show.
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
