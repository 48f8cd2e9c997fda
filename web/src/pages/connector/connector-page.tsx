// One connector: what it does, what it read and could not read, and everything that can be done with it.
import { skipToken, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { getCcPair } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, ConnectorIndexingStatus } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api, isNotFound } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { ProgressBar, StatusBadge, StatusSentence } from '../connectors/status.tsx'
import { REFRESH_MS, useConnectorStatus } from '../connectors/use-connector-statuses.ts'
import { Attempts } from './attempts.tsx'
import { Completeness } from './completeness.tsx'
import { Configuration } from './configuration.tsx'
import { ConnectorActions } from './connector-actions.tsx'
import { ConnectorFiles } from './connector-files.tsx'
import { PermissionSync } from './permission-sync.tsx'
import { Pruning } from './pruning.tsx'
import { FailedDocuments, SkippedDocuments } from './unread-documents.tsx'
import '../connectors/connectors.css'
import './connector.css'

export function ConnectorPage() {
  const t = textsOf('admin.connector')
  const me = useMe()
  const { cc_pair_id } = useParams({ from: '/signed-in/admin/admin/connector/$cc_pair_id' })
  const id = /^\d{1,15}$/.test(cc_pair_id) ? Number(cc_pair_id) : null
  const detail = useQuery({
    queryKey: ['pair', id],
    queryFn: id === null ? skipToken : ({ signal }) => getCcPair(api, { cc_pair_id: id, signal }),
    enabled: id !== null && hasPermission(me, 'manage:connectors'),
    refetchInterval: (query) => (isNotFound(query.state.error) ? false : REFRESH_MS),
  })
  const pair = detail.data
  const title = pair === undefined ? t('title') : pairLabel(pair)
  useEffect(() => {
    document.title = `${title} · Pharos`
  }, [title])
  if (me !== undefined && !hasPermission(me, 'manage:connectors')) {
    return <EmptyState icon="key" title={t('no_access')} heading="h1" />
  }
  if (id === null || isNotFound(detail.error)) return <ConnectorNotFound wasDeleted={pair !== undefined} />
  return (
    <>
      <AdminLink page="connectors" className="connector-back">
        <Icon name="back" size={16} /> {t('back')}
      </AdminLink>
      {detail.isError && <ErrorAlert error={detail.error} retry={() => void detail.refetch()} />}
      {detail.isPending && <LoadingSkeleton lines={8} />}
      {pair !== undefined && <ConnectorDetails pair={pair} />}
    </>
  )
}

/** `wasDeleted`: the page showed it before. */
function ConnectorNotFound({ wasDeleted }: { wasDeleted: boolean }) {
  const t = textsOf('admin.connector')
  return (
    <EmptyState icon="document" title={wasDeleted ? t('deleted_title') : t('not_found_title')} heading="h1">
      {t.rich(wasDeleted ? 'deleted_help' : 'not_found_help', {
        link: (text) => <AdminLink page="connectors">{text}</AdminLink>,
      })}
    </EmptyState>
  )
}

function ConnectorDetails({ pair }: { pair: CCPairFullInfo }) {
  const status = useConnectorStatus(pair.id).data
  const pulls = pair.pull.state !== 'pushed'
  return (
    <>
      <div className="page-head">
        <div>
          <h1>
            <bdi>{pairLabel(pair)}</bdi>
          </h1>
          <p>{sourceLabel(pair.connector.source)}</p>
        </div>
        <ConnectorActions pair={pair} />
      </div>
      {status !== undefined && (
        <p className={status.sync_state === 'failing' ? 'connector-reason failing' : 'connector-reason'}>
          <StatusSentence status={status} />
        </p>
      )}
      <ConnectorFacts pair={pair} status={status} />
      <div className="stack">
        {status !== undefined && (status.docs_waiting > 0 || status.progress !== null) && (
          <section className="card card-pad" aria-label={textsOf('admin.connector')('progress')}>
            <ProgressBar status={status} />
          </section>
        )}
        {pair.connector.source === 'file' && <ConnectorFiles pair={pair} />}
        {pair.access_type === 'sync' && <PermissionSync pair={pair} />}
        {pulls && <Pruning pair={pair} />}
        <FailedDocuments pair={pair} />
        {pulls && <SkippedDocuments pair={pair} />}
        {pulls && <Completeness pair={pair} />}
        <Attempts pair={pair} />
        <Configuration pair={pair} />
      </div>
    </>
  )
}

function ConnectorFacts({ pair, status }: { pair: CCPairFullInfo; status: ConnectorIndexingStatus | undefined }) {
  const t = textsOf('admin.connector.facts')
  return (
    <dl className="facts">
      <div>
        <dt>{t('state')}</dt>
        <dd className="plain">{status === undefined ? '…' : <StatusBadge status={status} />}</dd>
      </div>
      <div>
        <dt>{t('indexed')}</dt>
        <dd>{formatCount(pair.num_docs_indexed)}</dd>
      </div>
      <div>
        <dt>{t('waiting')}</dt>
        <dd>{status === undefined ? '…' : formatCount(status.docs_waiting)}</dd>
      </div>
      <div>
        <dt>{t('failed')}</dt>
        <dd>{status === undefined ? '…' : formatCount(status.docs_failed)}</dd>
      </div>
      <div>
        <dt>{t('last_success')}</dt>
        <dd className="plain">
          <Time at={status?.last_success ?? null} />
        </dd>
      </div>
      <div>
        <dt>{t('next_run')}</dt>
        <dd className="plain">
          <Time at={status?.next_run_at ?? null} none={t('no_next_run')} />
        </dd>
      </div>
    </dl>
  )
}
