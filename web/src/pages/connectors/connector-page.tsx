import { Button } from '@mantine/core'
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { getCcPair, retryFailedDocuments, setCcPairStatus } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, ConnectorIndexingStatus } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api, isNotFound } from '../../api.ts'
import { fact } from '../../parts/fact.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { Attempts } from './attempts.tsx'
import { DocumentErrors } from './document-errors.tsx'
import { SkippedDocuments } from './skipped-documents.tsx'
import { ProgressBar, StatusBadge, StatusSentence } from './status.tsx'
import { REFRESH_MS, useConnectorStatuses } from './use-connector-statuses.ts'
import './connectors.css'

export function ConnectorPage() {
  const me = useMe()
  const { cc_pair_id } = useParams({ from: '/signed-in/admin/admin/connector/$cc_pair_id' })
  const id = /^\d{1,15}$/.test(cc_pair_id) ? Number(cc_pair_id) : null
  const detail = useQuery({
    queryKey: ['pair', id],
    queryFn: id === null ? skipToken : ({ signal }) => getCcPair(api, { cc_pair_id: id, signal }),
    enabled: id !== null && hasPermission(me, 'manage:connectors'),
    refetchInterval: REFRESH_MS,
  })
  const listing = useConnectorStatuses()
  const pair = detail.data
  useEffect(() => {
    document.title = `${pair === undefined ? 'Connector' : pairLabel(pair)} · Pharos`
  }, [pair])
  if (me !== undefined && !hasPermission(me, 'manage:connectors')) {
    return <EmptyState icon="key" title="You need administrator access to manage connectors" />
  }
  if (id === null || isNotFound(detail.error)) return <ConnectorNotFound />
  const status = listing.data?.flatMap((it) => it.indexing_statuses).find((it) => it.cc_pair_id === id)
  return (
    <>
      <AdminLink page="connectors" className="connector-back">
        <Icon name="back" size={16} /> Connectors
      </AdminLink>
      {detail.isError && <ErrorAlert error={detail.error} retry={() => void detail.refetch()} />}
      {detail.isPending && <LoadingSkeleton lines={8} />}
      {pair !== undefined && <ConnectorDetails pair={pair} status={status} />}
    </>
  )
}

const ConnectorNotFound = () => (
  <EmptyState icon="document" title="This connector does not exist" heading="h1">
    It may have been deleted. <AdminLink page="connectors">Go to the connectors</AdminLink>.
  </EmptyState>
)

interface Props {
  pair: CCPairFullInfo
  status: ConnectorIndexingStatus | undefined
}

const ConnectorDetails = ({ pair, status }: Props) => (
  <>
    <div className="page-head">
      <div>
        <h1>{pairLabel(pair)}</h1>
        <p>{sourceLabel(pair.connector.source)}</p>
      </div>
      <ConnectorActions pair={pair} failed={status?.docs_failed ?? 0} />
    </div>
    {status !== undefined && (
      <p className="connector-reason card card-pad">
        <StatusSentence status={status} />
      </p>
    )}
    <dl className="facts">
      <div>
        <dt>Status</dt>
        <dd className="plain">{status === undefined ? pair.status : <StatusBadge status={status} />}</dd>
      </div>
      <div>
        <dt>Documents indexed</dt>
        <dd>{formatCount(pair.num_docs_indexed)}</dd>
      </div>
      <div>
        <dt>Waiting</dt>
        <dd>{status === undefined ? '…' : formatCount(status.docs_waiting)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd>{status === undefined ? '…' : formatCount(status.docs_failed)}</dd>
      </div>
      <div>
        <dt>Last synced</dt>
        <dd className="plain">
          <Time at={pair.last_indexed} />
        </dd>
      </div>
    </dl>
    <div className="stack">
      {status !== undefined && status.docs_waiting > 0 && (
        <section className="card card-pad" aria-label="Progress">
          <ProgressBar counts={status} />
        </section>
      )}
      <DocumentErrors id={pair.id} />
      <SkippedDocuments id={pair.id} />
      <Attempts id={pair.id} />
      <ConnectorSettings pair={pair} />
    </div>
  </>
)

function ConnectorActions({ pair, failed }: { pair: CCPairFullInfo; failed: number }) {
  const queryClient = useQueryClient()
  const refetchAll = () => queryClient.invalidateQueries()
  const isPaused = pair.status === 'PAUSED'
  const toggle = useMutation({
    mutationFn: () =>
      setCcPairStatus(api, {
        cc_pair_id: pair.id,
        body: { status: isPaused ? 'ACTIVE' : 'PAUSED' },
      }),
    onSettled: refetchAll,
  })
  const retry = useMutation({
    mutationFn: () => retryFailedDocuments(api, { body: { cc_pair_id: pair.id } }),
    onSettled: refetchAll,
  })
  const error = toggle.error ?? retry.error
  return (
    <div className="row">
      {failed > 0 && (
        <Button
          variant="default"
          leftSection={<Icon name="retry" size={16} />}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry failed documents
        </Button>
      )}
      {pair.is_editable_for_current_user && (
        <Button
          variant="default"
          leftSection={<Icon name={isPaused ? 'play' : 'pause'} size={16} />}
          loading={toggle.isPending}
          onClick={() => toggle.mutate()}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      )}
      {error !== null && <ErrorAlert error={error} />}
    </div>
  )
}

const SPANS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

function intervalText(seconds: number | null): string {
  if (seconds === null) return 'never'
  const [unit, size] = SPANS.find(([, it]) => seconds % it === 0) ?? ['second', 1]
  const count = seconds / size
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

function ConnectorSettings({ pair: { connector, credential, access_type, creator_email } }: { pair: CCPairFullInfo }) {
  const facts: [string, string][] = [
    ['Access', sourceLabel(access_type)],
    ['Credential', credential.id === 0 ? 'No credential needed' : (credential.name ?? `Credential ${credential.id}`)],
    ['Syncs', intervalText(connector.refresh_freq)],
    ['Removes deleted documents', intervalText(connector.prune_freq)],
    ...(creator_email === null ? [] : [fact('Created by', creator_email)]),
    ...Object.entries(connector.connector_specific_config).map(([name, value]) =>
      fact(sourceLabel(name), typeof value === 'string' ? value : JSON.stringify(value)),
    ),
  ]
  return (
    <section className="card" aria-labelledby="settings">
      <div className="section-head">
        <h2 id="settings">Settings</h2>
        <span className="small dimmed">
          Created <Time at={connector.time_created} />
        </span>
      </div>
      <dl className="config">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
