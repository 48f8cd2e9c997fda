// Every document of a connector in the order of its ids, to compare with its source.
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  listCcPairDocuments,
  listDocumentSyncStatuses,
  listIndexingStatuses,
  listIngestedDocuments,
} from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { type Column, RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { DocumentOrders } from './document-orders.tsx'

const PAGE_SIZE = 100

interface Listed {
  document_id: string
  semantic_id: string
  /** Undefined where the state is not known: the pushed documents of all connectors. */
  sync: { last_synced: string | null; last_modified: string } | undefined
}

export function Inventory() {
  const t = textsOf('admin.documents.inventory')
  const [pair, setPair] = useState<number | null>(null)
  const managesConnectors = hasPermission(useMe(), 'manage:connectors')
  const documents = useInventory(pair)
  const items = documents.data?.pages.flat()
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
      </div>
      <DocumentOrders />
      {managesConnectors && (
        <div className="filters">
          <PairSelect value={pair} onChange={setPair} />
        </div>
      )}
      {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
      {documents.isPending && <LoadingSkeleton lines={8} />}
      {items?.length === 0 && <EmptyState icon="document" title={t('empty')} />}
      {items !== undefined && items.length > 0 && (
        <section className="card" aria-label={t('title')}>
          <InventoryTable items={items} />
          <div className="section-end row">
            <span className="dimmed small">
              {documents.hasNextPage ? t('count', { count: items.length }) : t('count_all', { count: items.length })}
            </span>
            {documents.hasNextPage && (
              <Button
                variant="default"
                size="xs"
                loading={documents.isFetchingNextPage}
                onClick={() => void documents.fetchNextPage()}
              >
                {textsOf('parts')('show_more')}
              </Button>
            )}
          </div>
        </section>
      )}
    </div>
  )
}

/** The first id. */
const firstPage = (): string | null => null

/** Null: all pushed documents. */
const useInventory = (pair: number | null) =>
  useInfiniteQuery({
    queryKey: ['receipts', 'inventory', pair],
    queryFn: ({ signal, pageParam: after }) =>
      pair === null ? listPushed({ after, signal }) : listOfPair(pair, { after, signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => (last.length < PAGE_SIZE ? null : (last.at(-1)?.document_id ?? null)),
  })

interface Page {
  after: string | null
  signal: AbortSignal
}

async function listPushed(page: Page): Promise<Listed[]> {
  const documents = await listIngestedDocuments(api, { ...page, limit: PAGE_SIZE })
  return documents.map((document) => ({ ...document, sync: undefined }))
}

async function listOfPair(cc_pair_id: number, page: Page): Promise<Listed[]> {
  const asked = { ...page, cc_pair_id, limit: PAGE_SIZE }
  const [documents, states] = await Promise.all([listCcPairDocuments(api, asked), listDocumentSyncStatuses(api, asked)])
  const byId = new Map(states.map((it) => [it.doc_id, it]))
  return documents.map((document) => ({ ...document, sync: byId.get(document.document_id) }))
}

function PairSelect({ value, onChange }: { value: number | null; onChange: (pair: number | null) => void }) {
  const t = textsOf('admin.documents.inventory')
  const { data = [] } = useQuery({
    queryKey: ['access', 'pairs'],
    queryFn: ({ signal }) =>
      listIndexingStatuses(api, { body: { get_all_connectors: true, with_pushed: true }, signal }),
    select: (sources) => sources.flatMap((it) => it.indexing_statuses),
  })
  return (
    <NativeSelect
      label={t('connector')}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : Number(currentTarget.value))}
      data={[
        { value: '', label: t('pushed') },
        ...data.map(({ cc_pair_id: id, name }) => ({ value: String(id), label: pairLabel({ id, name: name ?? '' }) })),
      ]}
    />
  )
}

function InventoryTable({ items }: { items: readonly Listed[] }) {
  const t = textsOf('admin.documents.inventory')
  const names = textsOf('admin.documents')
  const named: Column<Listed>[] = [
    {
      label: names('filter_id'),
      className: 'long-text',
      cell: ({ document_id }) => <DocumentId id={document_id} />,
    },
    { label: names('document'), className: 'long-text', cell: ({ semantic_id }) => <bdi>{semantic_id}</bdi> },
  ]
  const states: Column<Listed>[] = [
    {
      label: t('changed'),
      className: 'nowrap',
      cell: ({ sync }) => <Time at={sync?.last_modified ?? null} none="–" />,
    },
    {
      label: t('in_index'),
      className: 'nowrap',
      cell: ({ sync }) => <Time at={sync?.last_synced ?? null} none={t('waiting')} />,
    },
  ]
  const hasStates = items.some((it) => it.sync !== undefined)
  return (
    <RecordTable
      label={t('title')}
      rows={items}
      keyOf={(it) => it.document_id}
      columns={hasStates ? [...named, ...states] : named}
    />
  )
}

const DocumentId = ({ id }: { id: string }) => (
  <AdminLink page="documents" id={id}>
    <bdi>{id}</bdi>
  </AdminLink>
)
