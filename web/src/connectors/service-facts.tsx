import { formatCount } from '../parts/text.tsx'
import { useReadiness } from './use-listing.ts'

/** How far the service as a whole is, and what it waits for. */
export function ServiceFacts({ documents }: { documents: number | undefined }) {
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
        <dt>Found by meaning</dt>
        <dd className="plain">{ready === undefined ? '…' : meaningText(ready)}</dd>
      </div>
      <div>
        <dt>Disk</dt>
        <dd className="plain">
          {ready === undefined
            ? '…'
            : `${formatCount(Math.round(ready.disk.free_mb / 1_024))} GB free${ready.disk.state === 'low' ? ': too little, nothing is taken' : ''}`}
        </dd>
      </div>
    </dl>
  )
}

type Ready = NonNullable<ReturnType<typeof useReadiness>['data']>

const MINUTE_S = 60

function meaningText({ embedding: { model, pending, total, remaining_s, reason } }: Ready): string {
  if (model === null) return `no, by words only${reason === null ? '' : `: ${reason}`}`
  if (pending === 0) return total === 0 ? 'nothing yet' : `${formatCount(total)} passages`
  const rest = remaining_s === null ? '' : `, about ${formatCount(Math.ceil(remaining_s / MINUTE_S))} min`
  return reason ?? `${formatCount(total - pending)} of ${formatCount(total)} passages${rest}`
}

function indexText({ index, pending, waiting_for }: Ready): string {
  if (index.state === 'rebuilding') {
    const part = index.total === null ? '' : `, ${formatCount(index.done ?? 0)} of ${formatCount(index.total)}`
    return `being made anew (${(index.reason ?? '').replaceAll('_', ' ')})${part}`
  }
  if (waiting_for !== null) return waiting_for
  return pending === 0 ? 'up to date' : 'working'
}
