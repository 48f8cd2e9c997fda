import { Badge, Button, NativeSelect, Table } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { getServiceApiReceipts } from '../../../src/client/operations.ts'
import type { IngestionReceiptPage } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { safeHref } from '../parts/link.ts'
import { Failure, Waiting } from '../parts/states.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { formatCount, Time } from '../parts/text.tsx'
import { may, useMe } from '../session.ts'

type Receipt = IngestionReceiptPage['items'][number]
type State = 'waiting' | 'failed'

const PAGE_SIZE = 25
/** The newest are found at once; those of one state have to be looked for among all. */
const LIVE_MS = { all: 2_000, one: 15_000 }
const MAX_LIVE_PAGES = 4

export function Receipts() {
  const [state, setState] = useState<State | null>(null)
  const receipts = useInfiniteQuery({
    queryKey: ['receipts', state],
    queryFn: ({ signal, pageParam }) =>
      getServiceApiReceipts(api, {
        limit: PAGE_SIZE,
        ...(pageParam !== null && { before: pageParam }),
        ...(state !== null && { state }),
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
        <h2 id="receipts">Receipts</h2>
        <NativeSelect
          aria-label="Which receipts"
          size="xs"
          value={state ?? 'all'}
          onChange={({ currentTarget: { value } }) => setState(value === 'all' ? null : (value as State))}
          data={[
            { value: 'all', label: 'Newest documents' },
            { value: 'waiting', label: 'Those that wait' },
            { value: 'failed', label: 'Those that failed' },
          ]}
        />
      </div>
      {receipts.isError && <Failure error={receipts.error} retry={() => void receipts.refetch()} />}
      {receipts.isPending && <Waiting lines={5} />}
      {items?.length === 0 && <p className="section-note dimmed small">{NONE[state ?? 'all']}</p>}
      {items !== undefined && items.length > 0 && <ReceiptTable items={items} />}
      {receipts.hasNextPage && (
        <div className="section-end">
          <Button
            variant="default"
            size="xs"
            loading={receipts.isFetchingNextPage}
            onClick={() => receipts.fetchNextPage()}
          >
            Show older ones
          </Button>
        </div>
      )}
    </section>
  )
}

const NONE = {
  all: 'Nothing was pushed yet. Send the request above, and its receipt stands here.',
  waiting: 'Nothing waits: all that was accepted can be found.',
  failed: 'Nothing failed.',
}

const ReceiptTable = ({ items }: { items: readonly Receipt[] }) => (
  <TableFrame label="Receipts">
    <Table verticalSpacing="sm" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Document</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Connector</Table.Th>
          <Table.Th className="number">Passages</Table.Th>
          <Table.Th>Accepted</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((it) => (
          <Row key={it.document_id} receipt={it} />
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

const COLORS: Record<Receipt['status'], string> = {
  indexed: 'green',
  failed: 'red',
  indexing: 'blue',
  accepted: 'yellow',
}
const TEXTS: Record<Receipt['status'], string> = {
  indexed: 'Indexed',
  failed: 'Failed',
  indexing: 'Being indexed',
  accepted: 'Waiting',
}

function Row({ receipt }: { receipt: Receipt }) {
  const me = useMe()
  const href = safeHref(receipt.link)
  return (
    <Table.Tr>
      <Table.Td>
        {href === undefined ? (
          receipt.semantic_identifier
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {receipt.semantic_identifier}
          </a>
        )}
        <div className="small dimmed">
          <code>{receipt.document_id}</code>
        </div>
        {receipt.reason !== null && <div className="small receipt-reason">{receipt.reason}</div>}
      </Table.Td>
      <Table.Td>
        <Badge color={COLORS[receipt.status]} variant="light" tt="none" className="nowrap">
          {TEXTS[receipt.status]}
        </Badge>
      </Table.Td>
      <Table.Td>
        {receipt.cc_pairs.map((it) =>
          may(me, 'connectors') ? (
            <Link key={it.id} to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(it.id) }}>
              {it.name}
            </Link>
          ) : (
            <span key={it.id}>{it.name}</span>
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
