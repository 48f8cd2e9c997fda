// The index that searches use now.
import type { ReactNode } from 'react'
import type { FullModelVersionResponse } from '../../../../src/client/schemas.ts'
import { durationText, formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useOverview, useServiceState } from '../overview/overview-query.ts'

export function IndexFacts({ settings: { current_settings: current } }: { settings: FullModelVersionResponse }) {
  const t = textsOf('admin.embedding.facts')
  const overview = useOverview().data
  const hasModel = current.model_name !== ''
  return (
    <dl className="facts">
      <Fact label={t('model')}>{hasModel ? current.model_name : t('no_model')}</Fact>
      <Fact label={t('dimensions')}>{hasModel ? formatCount(current.model_dim) : '–'}</Fact>
      <Fact label={t('documents')}>{overview?.documents == null ? '…' : formatCount(overview.documents)}</Fact>
      <Fact label={t('vectors')}>
        <Vectors />
      </Fact>
    </dl>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd className="plain long-text" dir="auto">
      {children}
    </dd>
  </div>
)

function Vectors() {
  const t = textsOf('admin.embedding.facts')
  const embedding = useServiceState().data?.embedding
  if (embedding === undefined) return '…'
  const { model, pending, total, remaining_s, reason } = embedding
  if (model === null) return reason === null ? t('words_only') : t('words_only_because', { reason })
  if (pending === 0) return t('complete', { total })
  const done = total - pending
  if (reason !== null) return t('stalled', { done, total, reason })
  return remaining_s === null
    ? t('done', { done, total })
    : t('done_left', { done, total, left: durationText(remaining_s) })
}
