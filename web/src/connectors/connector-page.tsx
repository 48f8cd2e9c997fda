import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import {
  getManageAdminCcPairCcPairId,
  postServiceApiIngestionRetry,
  putManageAdminCcPairCcPairIdStatus,
} from '../../../src/client/operations.ts'
import type { CCPairFullInfo, ConnectorIndexingStatus } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Waiting } from '../parts/states.tsx'
import { formatCount, sourceLabel, Time } from '../parts/text.tsx'
import { may, useMe } from '../session.ts'
import { Attempts } from './attempts.tsx'
import { DocumentErrors } from './document-errors.tsx'
import { ProgressBar, StatusBadge } from './status.tsx'
import { LIVE_MS, useListing } from './use-listing.ts'
import './connectors.css'

export function ConnectorPage() {
  const me = useMe()
  const { cc_pair_id } = useParams({ from: '/signed-in/admin/connector/$cc_pair_id' })
  const id = /^\d{1,15}$/.test(cc_pair_id) ? Number(cc_pair_id) : null
  const detail = useQuery({
    queryKey: ['pair', id],
    queryFn: ({ signal }) => getManageAdminCcPairCcPairId(api, { cc_pair_id: id!, signal }),
    enabled: id !== null && may(me, 'connectors'),
    refetchInterval: LIVE_MS,
  })
  const listing = useListing()
  const pair = detail.data
  useEffect(() => {
    document.title = `${pair?.name ?? 'Connector'} · Pharos`
  }, [pair?.name])
  if (me !== undefined && !may(me, 'connectors')) {
    return <Empty icon="key" title="This key does not manage connectors" />
  }
  if (id === null) return <Empty icon="document" title="There is no such connector" />
  const status = listing.data?.flatMap((it) => it.indexing_statuses).find((it) => it.cc_pair_id === id)
  return (
    <>
      <Link to="/admin/connectors" className="connector-back">
        <Icon name="back" size={16} /> Connectors
      </Link>
      {detail.isError && <Failure error={detail.error} retry={() => void detail.refetch()} />}
      {detail.isPending && <Waiting lines={8} />}
      {pair !== undefined && <Connector pair={pair} status={status} />}
    </>
  )
}

interface Props {
  pair: CCPairFullInfo
  status: ConnectorIndexingStatus | undefined
}

const Connector = ({ pair, status }: Props) => (
  <>
    <div className="page-head">
      <div>
        <h1>{pair.name}</h1>
        <p>
          {sourceLabel(pair.connector.source)} · pair {pair.id}
        </p>
      </div>
      <Actions pair={pair} failed={status?.docs_failed ?? 0} />
    </div>
    {status !== undefined && <p className="connector-reason card card-pad">{status.status_reason}</p>}
    <dl className="facts">
      <div>
        <dt>State</dt>
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
        <dt>Last indexed</dt>
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
      <Attempts id={pair.id} />
      <Settings pair={pair} />
    </div>
  </>
)

function Actions({ pair, failed }: { pair: CCPairFullInfo; failed: number }) {
  const queries = useQueryClient()
  const again = () => queries.invalidateQueries()
  const isPaused = pair.status === 'PAUSED'
  const toggle = useMutation({
    mutationFn: () =>
      putManageAdminCcPairCcPairIdStatus(api, {
        cc_pair_id: pair.id,
        body: { status: isPaused ? 'ACTIVE' : 'PAUSED' },
      }),
    onSettled: again,
  })
  const retry = useMutation({
    mutationFn: () => postServiceApiIngestionRetry(api, { body: { cc_pair_id: pair.id } }),
    onSettled: again,
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
          Try failed ones again
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
      {error !== null && <Failure error={error} />}
    </div>
  )
}

const SPANS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

function everyText(seconds: number | null): string {
  if (seconds === null) return 'never'
  const [unit, size] = SPANS.find(([, it]) => seconds % it === 0) ?? ['second', 1]
  const count = seconds / size
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

function Settings({ pair: { connector, credential, access_type, creator_email } }: { pair: CCPairFullInfo }) {
  const facts: [string, string][] = [
    ['Access', sourceLabel(access_type)],
    ['Credential', credential.name ?? `number ${credential.id}`],
    ['Asked for news', everyText(connector.refresh_freq)],
    ['Compared with its source', everyText(connector.prune_freq)],
    ...(creator_email === null ? [] : [['Made by', creator_email] as [string, string]]),
    ...Object.entries(connector.connector_specific_config).map(([name, value]): [string, string] => [
      sourceLabel(name),
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ]
  return (
    <section className="card" aria-labelledby="settings">
      <div className="section-head">
        <h2 id="settings">Settings</h2>
        <span className="small dimmed">
          Made <Time at={connector.time_created} />
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
