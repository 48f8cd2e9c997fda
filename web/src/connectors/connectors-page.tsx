import { NativeSelect, Table, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { ConnectorIndexingStatus, SourceIndexingStatus } from '../../../src/client/schemas.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Waiting } from '../parts/states.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { formatCount, sourceLabel, Time } from '../parts/text.tsx'
import { may, useMe } from '../session.ts'
import { ServiceFacts } from './service-facts.tsx'
import { ProgressBar, StatusBadge } from './status.tsx'
import { useListing } from './use-listing.ts'
import './connectors.css'

const STATES: Record<string, (it: ConnectorIndexingStatus) => boolean> = {
  all: () => true,
  indexing: (it) => it.in_progress,
  failed: (it) => it.docs_failed > 0,
  paused: (it) => it.cc_pair_status === 'PAUSED',
}

export function ConnectorsPage() {
  const me = useMe()
  const listing = useListing()
  const [name, setName] = useState('')
  const [state, setState] = useState('all')
  useEffect(() => {
    document.title = 'Connectors · Pharos'
  }, [])
  if (me !== undefined && !may(me, 'connectors')) {
    return <Empty icon="key" title="This key does not manage connectors" />
  }
  const isShown = (it: ConnectorIndexingStatus) =>
    it.name.toLowerCase().includes(name.trim().toLowerCase()) && STATES[state]!(it)
  const sources = (listing.data ?? [])
    .map((it) => ({ ...it, indexing_statuses: it.indexing_statuses.filter(isShown) }))
    .filter((it) => it.indexing_statuses.length > 0)
  const documents = listing.data?.reduce((sum, it) => sum + it.summary.total_docs_indexed, 0)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Connectors</h1>
          <p>Where documents come from, how far they are, and what the rest waits for. It follows by itself.</p>
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
            aria-label="State"
            value={state}
            onChange={(event) => setState(event.currentTarget.value)}
            data={[
              { value: 'all', label: 'Every state' },
              { value: 'indexing', label: 'Indexing' },
              { value: 'failed', label: 'With errors' },
              { value: 'paused', label: 'Paused' },
            ]}
          />
        </div>
      </div>
      <ServiceFacts documents={documents} />
      {listing.isError && listing.data === undefined && (
        <Failure error={listing.error} retry={() => void listing.refetch()} />
      )}
      {listing.isPending && <Waiting lines={8} />}
      {listing.data?.length === 0 && (
        <div className="card">
          <Empty icon="document" title="No connectors yet">
            Documents can be pushed without one: see <Link to="/admin/ingestion">Ingestion</Link>. A connector is made
            with <code>POST /manage/admin/connector</code>, described at <a href="/docs">/docs</a>.
          </Empty>
        </div>
      )}
      {listing.data !== undefined && listing.data.length > 0 && sources.length === 0 && (
        <div className="card">
          <Empty icon="filter" title="No connector passes the filters" />
        </div>
      )}
      <div className="stack">
        {sources.map((it) => (
          <SourceCard key={it.source} listing={it} />
        ))}
      </div>
    </>
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
          {formatCount(summary.total_docs_indexed)} documents
        </p>
      </header>
      <TableFrame label={`Connectors of ${sourceLabel(source)}`}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th className="col-name">Name</Table.Th>
              <Table.Th className="col-state">State</Table.Th>
              <Table.Th className="col-progress">Documents</Table.Th>
              <Table.Th className="col-access">Access</Table.Th>
              <Table.Th className="col-time">Last indexed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {indexing_statuses.map((it) => (
              <Row key={it.cc_pair_id} status={it} />
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
    </section>
  )
}

const Row = ({ status }: { status: ConnectorIndexingStatus }) => (
  <Table.Tr>
    <Table.Td>
      <Link
        to="/admin/connector/$cc_pair_id"
        params={{ cc_pair_id: String(status.cc_pair_id) }}
        className="source-name"
      >
        {status.name}
      </Link>
      <div className="small dimmed">{status.status_reason}</div>
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
