import { durationText, formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReadiness } from './use-connector-statuses.ts'

/** The indexing status of the whole service. */
export function ServiceStatus({ documents }: { documents: number | undefined }) {
  const t = textsOf('admin.connectors.service')
  const ready = useReadiness().data
  return (
    <dl className="facts">
      <div>
        <dt>{t('documents')}</dt>
        <dd>{documents === undefined ? '…' : formatCount(documents)}</dd>
      </div>
      <div>
        <dt>{t('waiting')}</dt>
        <dd>{ready === undefined ? '…' : formatCount(ready.pending)}</dd>
      </div>
      <div>
        <dt>{t('index')}</dt>
        <dd className="plain">{ready === undefined ? '…' : indexText(ready)}</dd>
      </div>
      <div>
        <dt>{t('semantic')}</dt>
        <dd className="plain">{ready === undefined ? '…' : embeddingText(ready)}</dd>
      </div>
      <div>
        <dt>{t('disk')}</dt>
        <dd className="plain">
          {ready === undefined
            ? '…'
            : t(ready.disk.state === 'low' ? 'disk_low' : 'disk_free', { gb: Math.round(ready.disk.free_mb / 1_024) })}
        </dd>
      </div>
    </dl>
  )
}

type ReadinessData = NonNullable<ReturnType<typeof useReadiness>['data']>

function embeddingText({ embedding: { model, pending, total, remaining_s, reason } }: ReadinessData): string {
  const t = textsOf('admin.connectors.service')
  if (model === null) return reason === null ? t('keyword_only') : t('keyword_only_because', { reason })
  if (pending === 0) return total === 0 ? t('nothing_to_embed') : t('embedded', { count: total })
  if (reason !== null) return reason
  const percent = Math.floor(((total - pending) / total) * 100)
  return remaining_s === null
    ? t('embedding', { percent })
    : t('embedding_left', { percent, left: durationText(remaining_s) })
}

function indexText({ index, pending, waiting_for }: ReadinessData): string {
  const t = textsOf('admin.connectors.service')
  if (index.state === 'rebuilding')
    return index.total === null ? t('rebuilding') : t('rebuilding_of', { done: index.done ?? 0, total: index.total })
  if (waiting_for !== null) return waiting_for
  return pending === 0 ? t('up_to_date') : t('working')
}
