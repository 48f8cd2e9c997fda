import { Alert, NativeSelect, Table, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { ConnectorIndexingStatus, SourceIndexingStatus } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { formatCount, pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { ServiceStatus } from './service-status.tsx'
import { ProgressBar, StatusBadge, StatusSentence } from './status.tsx'
import { UnconnectedConnectors } from './unconnected-connectors.tsx'
import { useConnectorStatuses } from './use-connector-statuses.ts'
import './connectors.css'

const labelOf = ({ cc_pair_id: id, name }: ConnectorIndexingStatus) => pairLabel({ id, name })

const STATUS_FILTERS = {
  all: () => true,
  indexing: (it) => it.in_progress,
  failing: (it) => it.sync_state === 'failing',
  held: (it) => it.sync_state === 'held',
  failed: (it) => it.docs_failed > 0,
  paused: (it) => it.cc_pair_status === 'PAUSED',
} satisfies Record<string, (it: ConnectorIndexingStatus) => boolean>

export function ConnectorsPage() {
  const listing = useConnectorStatuses()
  const [name, setName] = useState('')
  const [state, setState] = useState<keyof typeof STATUS_FILTERS>('all')
  useEffect(() => {
    document.title = 'Connectors · Pharos'
  }, [])
  const isShown = (it: ConnectorIndexingStatus) =>
    labelOf(it).toLowerCase().includes(name.trim().toLowerCase()) && STATUS_FILTERS[state](it)
  const sources = (listing.data ?? [])
    .map((it) => ({ ...it, indexing_statuses: it.indexing_statuses.filter(isShown) }))
    .filter((it) => it.indexing_statuses.length > 0)
  const documents = listing.data?.reduce((sum, it) => sum + it.summary.total_docs_indexed, 0)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Connectors</h1>
          <p>Your sources, their sync status, and what needs attention. This page updates live.</p>
        </div>
        <div className="row">
          <TextInput
            aria-label="Filter by name"
            placeholder="Filter by name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            leftSection={<Icon name="filter" size={16} />}
          />
          <NativeSelect
            aria-label="Status"
            value={state}
            onChange={({ currentTarget: { value } }) => isKeyOf(STATUS_FILTERS, value) && setState(value)}
            data={[
              { value: 'all', label: 'All statuses' },
              { value: 'failing', label: 'Sync failed' },
              { value: 'held', label: 'Deletion needs confirmation' },
              { value: 'indexing', label: 'Indexing' },
              { value: 'failed', label: 'With errors' },
              { value: 'paused', label: 'Paused' },
            ]}
          />
        </div>
      </div>
      <AttentionAlert statuses={(listing.data ?? []).flatMap((it) => it.indexing_statuses)} />
      <ServiceStatus documents={documents} />
      {listing.isError && listing.data === undefined && (
        <ErrorAlert error={listing.error} retry={() => void listing.refetch()} />
      )}
      {listing.isPending && <LoadingSkeleton lines={8} />}
      {listing.data?.length === 0 && (
        <div className="card">
          <EmptyState icon="document" title="No documents and no connectors yet">
            You can push documents without a connector: see <AdminLink page="ingestion">Ingestion</AdminLink>. To create
            a connector, use <code>POST /manage/admin/connector</code>, described at <a href="/docs">/docs</a>.
          </EmptyState>
        </div>
      )}
      {listing.data !== undefined && listing.data.length > 0 && sources.length === 0 && (
        <div className="card">
          <EmptyState icon="filter" title="No connector matches the filters" />
        </div>
      )}
      <div className="stack">
        <UnconnectedConnectors />
        {sources.map((it) => (
          <SourceCard key={it.source} listing={it} />
        ))}
      </div>
    </>
  )
}

/** Names the connectors that need attention at the top of the page. */
function AttentionAlert({ statuses }: { statuses: readonly ConnectorIndexingStatus[] }) {
  const names = statuses.filter((it) => it.sync_state === 'failing' || it.sync_state === 'held').map(labelOf)
  if (names.length === 0) return null
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} mb="md">
      {names.length === 1 ? '1 source needs attention: ' : `${formatCount(names.length)} sources need attention: `}
      {names.slice(0, 5).join(', ')}
    </Alert>
  )
}

function SourceCard({ listing: { source, summary, indexing_statuses } }: { listing: SourceIndexingStatus }) {
  const id = `source-${source}`
  return (
    <section className="card source" aria-labelledby={id}>
      <header>
        <h2 id={id}>{sourceLabel(source)}</h2>
        <p className="dimmed small">
          {summary.active_connectors} of {summary.total_connectors} active · {summary.public_connectors} public ·{' '}
          {formatCount(summary.total_docs_indexed)} {summary.total_docs_indexed === 1 ? 'document' : 'documents'}
        </p>
      </header>
      <TableFrame label={`${sourceLabel(source)} connectors`}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th className="col-name">Name</Table.Th>
              <Table.Th className="col-state">Status</Table.Th>
              <Table.Th className="col-progress">Documents</Table.Th>
              <Table.Th className="col-access">Access</Table.Th>
              <Table.Th className="col-time">Last synced</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {indexing_statuses.map((it) => (
              <ConnectorRow key={it.cc_pair_id} status={it} />
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
    </section>
  )
}

const ConnectorRow = ({ status }: { status: ConnectorIndexingStatus }) => (
  <Table.Tr>
    <Table.Td>
      <Link
        to="/admin/connector/$cc_pair_id"
        params={{ cc_pair_id: String(status.cc_pair_id) }}
        className="source-name"
      >
        {labelOf(status)}
      </Link>
      <div className="small dimmed">
        <StatusSentence status={status} />
      </div>
    </Table.Td>
    <Table.Td>
      <StatusBadge status={status} />
    </Table.Td>
    <Table.Td>
      <ProgressBar counts={status} />
    </Table.Td>
    <Table.Td>{sourceLabel(status.access_type)}</Table.Td>
    <Table.Td className="nowrap">
      <Time at={status.last_success} />
    </Table.Td>
  </Table.Tr>
)
