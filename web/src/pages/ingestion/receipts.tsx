import { Button, NativeSelect, Table } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listReceipts } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { formatCount, pairLabel, Time } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { type Receipt, ReceiptState } from './receipt-state.tsx'

const FILTERS = ['waiting', 'failed', 'no_text'] as const
type ReceiptFilter = (typeof FILTERS)[number]

const PAGE_SIZE = 25
/** The newest receipts are cheap to list; a state filter scans all receipts. */
const LIVE_MS = { all: 2_000, one: 15_000 }
const MAX_LIVE_PAGES = 4

export function Receipts() {
  const t = textsOf('admin.ingestion.receipts')
  const [state, setState] = useState<ReceiptFilter | null>(null)
  const receipts = useInfiniteQuery({
    queryKey: ['receipts', state],
    queryFn: ({ signal, pageParam }) =>
      listReceipts(api, {
        limit: PAGE_SIZE,
        ...(pageParam !== null && { before: pageParam }),
        ...(state === 'no_text' ? { warning: state } : state !== null && { state }),
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next_before,
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.length ?? 0) <= MAX_LIVE_PAGES && (state === null ? LIVE_MS.all : LIVE_MS.one),
    placeholderData: keepPreviousData,
  })
  const items = receipts.data?.pages.flatMap((it) => it.items)
  return (
    <section className="card" aria-labelledby="receipts">
      <div className="section-head">
        <h2 id="receipts">{t('title')}</h2>
        <NativeSelect
          aria-label={t('filter')}
          size="xs"
          value={state ?? 'all'}
          onChange={({ currentTarget: { value } }) => setState(FILTERS.find((it) => it === value) ?? null)}
          data={(['all', ...FILTERS] as const).map((value) => ({ value, label: t(`filters.${value}`) }))}
        />
      </div>
      {receipts.isError && <ErrorAlert error={receipts.error} retry={() => void receipts.refetch()} />}
      {receipts.isPending && <LoadingSkeleton lines={5} />}
      {items?.length === 0 && <p className="section-note dimmed small">{t(`empty.${state ?? 'all'}`)}</p>}
      {items !== undefined && items.length > 0 && <ReceiptTable items={items} />}
      {receipts.hasNextPage && (
        <div className="section-end">
          <Button
            variant="default"
            size="xs"
            loading={receipts.isFetchingNextPage}
            onClick={() => receipts.fetchNextPage()}
          >
            {t('older')}
          </Button>
        </div>
      )}
    </section>
  )
}

const COLUMNS = ['document', 'state', 'connector', 'passages', 'accepted'] as const

function ReceiptTable({ items }: { items: readonly Receipt[] }) {
  const t = textsOf('admin.ingestion.receipts')
  return (
    <TableFrame label={t('title')}>
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {COLUMNS.map((it) => (
              <Table.Th key={it} className={it === 'passages' ? 'number' : undefined}>
                {t(it)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((it) => (
            <ReceiptRow key={it.document_id} receipt={it} />
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function ReceiptRow({ receipt }: { receipt: Receipt }) {
  const me = useMe()
  const href = safeHref(receipt.link)
  return (
    <Table.Tr>
      <Table.Td>
        {href === undefined ? (
          <bdi>{receipt.semantic_identifier}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            <bdi>{receipt.semantic_identifier}</bdi>
          </a>
        )}
        <div className="small dimmed">
          <code>{receipt.document_id}</code>
        </div>
        {receipt.reason !== null && <div className="small receipt-reason">{receipt.reason}</div>}
      </Table.Td>
      <Table.Td>
        <ReceiptState receipt={receipt} />
      </Table.Td>
      <Table.Td>
        {receipt.cc_pairs.map((it) =>
          hasPermission(me, 'connectors') ? (
            <Link key={it.id} to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(it.id) }}>
              {pairLabel(it)}
            </Link>
          ) : (
            <span key={it.id}>{pairLabel(it)}</span>
          ),
        )}
      </Table.Td>
      <Table.Td className="number">{receipt.chunk_count === null ? '–' : formatCount(receipt.chunk_count)}</Table.Td>
      <Table.Td className="nowrap">
        <Time at={receipt.accepted_at} />
      </Table.Td>
    </Table.Tr>
  )
}
