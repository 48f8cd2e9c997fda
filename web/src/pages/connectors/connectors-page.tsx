// All connectors by source, with their true state.
import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { AdminLink } from '../../admin/admin-link.tsx'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { AttentionAlert } from './attention.tsx'
import { ALL_STATES, ConnectorFilters } from './connector-filters.tsx'
import { ServiceStatus } from './service-status.tsx'
import { SourceCard } from './source-card.tsx'
import { STATES } from './status.tsx'
import { UnconnectedConnectors } from './unconnected-connectors.tsx'
import { useConnectorStatuses } from './use-connector-statuses.ts'
import './connectors.css'

const CSV = '/api/manage/admin/connector/indexing-status/csv'
const ADD = { page: 'add-connector', id: undefined }
const FROM = '/signed-in/admin/admin/$page/{-$id}'

/** The filters are in the address, so that they survive a visit of one connector. */
function useFilters() {
  const search = useSearch({ from: FROM })
  const navigate = useNavigate()
  const name = typeof search.name === 'string' ? search.name : ''
  const asked = typeof search.state === 'string' ? search.state : ALL_STATES
  const state = isKeyOf(STATES, asked) ? asked : ALL_STATES
  const change = (filter: { name: string; state: string }) =>
    void navigate({
      to: '.',
      search: {
        ...(filter.name !== '' && { name: filter.name }),
        ...(filter.state !== ALL_STATES && { state: filter.state }),
      },
      replace: true,
    })
  return { name, state, change }
}

export function ConnectorsPage() {
  const t = textsOf('admin.connectors')
  const { name, state, change } = useFilters()
  const [pages, setPages] = useState<Readonly<Record<string, number>>>({})
  const filter = { name: useDeferredValue(name.trim()), states: state === ALL_STATES ? [] : [state], pages }
  const listing = useConnectorStatuses(filter)
  const documents = listing.data?.reduce((sum, it) => sum + it.summary.total_docs_indexed, 0)
  const isFiltered = name.trim() !== '' || state !== ALL_STATES
  useEffect(() => {
    document.title = t('document_title')
  }, [t])
  return (
    <>
      <PageHead title={t('title')} help={t('help')}>
        <CsvLink href={CSV} file="connectors" />
        <AddConnector />
      </PageHead>
      <AttentionAlert />
      <ServiceStatus documents={documents} />
      <ConnectorFilters
        name={name}
        state={state}
        onChange={(changed) => {
          setPages({})
          change(changed)
        }}
      />
      {listing.isError && listing.data === undefined && (
        <ErrorAlert error={listing.error} retry={() => void listing.refetch()} />
      )}
      {listing.isPending && <LoadingSkeleton lines={8} />}
      {listing.data?.length === 0 && (isFiltered ? <NothingFound /> : <NoConnectors />)}
      <div className="stack">
        {!isFiltered && <UnconnectedConnectors />}
        {listing.data?.map((it) => (
          <SourceCard
            key={it.source}
            listing={it}
            onPage={(page) => setPages((before) => ({ ...before, [it.source]: page }))}
          />
        ))}
      </div>
    </>
  )
}

function AddConnector() {
  const navigate = useNavigate()
  return (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      onClick={() => void navigate({ to: '/admin/$page/{-$id}', params: ADD })}
    >
      {textsOf('admin.connectors')('add')}
    </Button>
  )
}

const NothingFound = () => (
  <div className="card">
    <EmptyState icon="filter" title={textsOf('admin.connectors')('nothing_found')} />
  </div>
)

function NoConnectors() {
  const t = textsOf('admin.connectors')
  return (
    <div className="card">
      <EmptyState icon="document" title={t('empty_title')}>
        {t.rich('empty_help', {
          add: (text) => <AdminLink page="add-connector">{text}</AdminLink>,
          push: (text) => <AdminLink page="ingestion">{text}</AdminLink>,
        })}
      </EmptyState>
    </div>
  )
}
