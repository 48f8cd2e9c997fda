import { durationText, formatCount } from '../../parts/text.tsx'
import { useReadiness } from './use-connector-statuses.ts'

/** The indexing status of the whole service. */
export function ServiceStatus({ documents }: { documents: number | undefined }) {
  const ready = useReadiness().data
  return (
    <dl className="facts">
      <div>
        <dt>Documents indexed</dt>
        <dd>{documents === undefined ? '…' : formatCount(documents)}</dd>
      </div>
      <div>
        <dt>Changes waiting</dt>
        <dd>{ready === undefined ? '…' : formatCount(ready.pending)}</dd>
      </div>
      <div>
        <dt>Index</dt>
        <dd className="plain">{ready === undefined ? '…' : indexText(ready)}</dd>
      </div>
      <div>
        <dt>Semantic search</dt>
        <dd className="plain">{ready === undefined ? '…' : embeddingText(ready)}</dd>
      </div>
      <div>
        <dt>Disk</dt>
        <dd className="plain">
          {ready === undefined
            ? '…'
            : `${formatCount(Math.round(ready.disk.free_mb / 1_024))} GB free${ready.disk.state === 'low' ? ': low disk space, new documents are rejected' : ''}`}
        </dd>
      </div>
    </dl>
  )
}

type ReadinessData = NonNullable<ReturnType<typeof useReadiness>['data']>

function embeddingText({ embedding: { model, pending, total, remaining_s, reason } }: ReadinessData): string {
  if (model === null) return `Off, keyword search only${reason === null ? '' : `: ${reason}`}`
  if (pending === 0)
    return total === 0 ? 'Nothing to embed yet' : `Ready, ${formatCount(total)} ${total === 1 ? 'passage' : 'passages'}`
  const rest = remaining_s === null ? '' : `, about ${durationText(remaining_s)} left`
  return reason ?? `${Math.floor(((total - pending) / total) * 100)} % ready${rest}`
}

function indexText({ index, pending, waiting_for }: ReadinessData): string {
  if (index.state === 'rebuilding') {
    const part = index.total === null ? '' : `, ${formatCount(index.done ?? 0)} of ${formatCount(index.total)}`
    return `being rebuilt (${(index.reason ?? '').replaceAll('_', ' ')})${part}`
  }
  if (waiting_for !== null) return waiting_for
  return pending === 0 ? 'Up to date' : 'Working'
}
