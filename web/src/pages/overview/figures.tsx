// The state of the whole service in a few figures and sentences.
import type { ReactNode } from 'react'
import { durationText, formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useOverview, useServiceState } from './overview-query.ts'

type ServiceState = NonNullable<ReturnType<typeof useServiceState>['data']>

export function Figures() {
  const t = textsOf('admin.overview.figures')
  const state = useServiceState().data
  const overview = useOverview().data
  return (
    <dl className="facts overview-figures">
      <Figure label={t('documents')}>{overview && countText(overview.documents)}</Figure>
      <Figure label={t('sources')}>{overview && formatCount(overview.cc_pairs)}</Figure>
      <Figure label={t('searches')}>{overview && formatCount(overview.searches_last_day)}</Figure>
      <Figure label={t('answers')}>{overview && formatCount(overview.answers_last_day)}</Figure>
      <Figure label={t('waiting')}>{state && formatCount(state.pending)}</Figure>
      <Figure label={t('index')} isSentence>
        {state && indexText(state)}
      </Figure>
      <Figure label={t('semantic_search')} isSentence>
        {state && embeddingText(state)}
      </Figure>
      <Figure label={t('disk')} isSentence>
        {state && t(`disk_states.${state.disk.state}`, { free: state.disk.free_mb / 1_024 })}
      </Figure>
    </dl>
  )
}

const Figure = ({
  label,
  isSentence = false,
  children,
}: {
  label: string
  isSentence?: boolean
  children: ReactNode
}) => (
  <div>
    <dt>{label}</dt>
    <dd className={isSentence ? 'plain' : undefined} dir="auto">
      {children ?? '…'}
    </dd>
  </div>
)

/** The index may not respond. */
const countText = (count: number | null): string => (count === null ? '–' : formatCount(count))

function indexText({ index, pending, waiting_for }: ServiceState): string {
  const t = textsOf('admin.overview.index')
  if (index.state === 'rebuilding') {
    const { done, total } = index
    return total === null ? t('rebuilding') : t('rebuilding_of', { done: done ?? 0, total })
  }
  if (waiting_for !== null) return waiting_for
  return pending === 0 ? t('up_to_date') : t('working')
}

function embeddingText({ embedding: { model, pending, total, remaining_s, reason } }: ServiceState): string {
  const t = textsOf('admin.overview.semantic_search')
  if (model === null) return reason === null ? t('off') : t('off_because', { reason })
  if (pending === 0) return total === 0 ? t('nothing') : t('ready', { count: total })
  if (reason !== null) return reason
  const share = Math.floor(((total - pending) / total) * 100) / 100
  return remaining_s === null
    ? t('progress', { share })
    : t('progress_left', { share, left: durationText(remaining_s) })
}
