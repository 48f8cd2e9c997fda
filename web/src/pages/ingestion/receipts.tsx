import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listReceipts } from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, pairLabel, Time } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { type Receipt, ReceiptState } from './receipt-state.tsx'
import { RetryFailed } from './retry-failed.tsx'

const FILTERS = ['waiting', 'failed', 'no_text'] as const
type ReceiptFilter = (typeof FILTERS)[number]

const CSV = '/api/service-api/receipts/csv'
/** The longest text that the API takes. */
const MAX_TITLE = 200
/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 250
const PAGE_SIZE = 25
/** The newest receipts are cheap to list; a state filter scans all receipts. */
const LIVE_MS = { all: 2_000, one: 15_000 }
const MAX_LIVE_PAGES = 4

export function Receipts() {
  const t = textsOf('admin.ingestion.receipts')
  const [state, setState] = useState<ReceiptFilter | null>(null)
  const [typed, setTyped] = useState('')
  const [asked] = useDebouncedValue(typed.trim(), TYPING_MS)
  const title = asked === '' ? null : asked
  const receipts = useInfiniteQuery({
    queryKey: ['receipts', 'newest', state, title],
    queryFn: ({ signal, pageParam }) =>
      listReceipts(api, {
        limit: PAGE_SIZE,
        ...(pageParam !== null && { before: pageParam }),
        title,
        ...(state === 'no_text' ? { warning: state } : state !== null && { state }),
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next_before,
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.length ?? 0) <= MAX_LIVE_PAGES && (state === null && title === null ? LIVE_MS.all : LIVE_MS.one),
    placeholderData: keepPreviousData,
  })
  const items = receipts.data?.pages.flatMap((it) => it.items)
  return (
    <section className="card" aria-labelledby="receipts">
      <div className="section-head">
        <h2 id="receipts">{t('title')}</h2>
        <div className="row">
          <TextInput
            aria-label={t('filter_title')}
            placeholder={t('filter_title_example')}
            size="xs"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            maxLength={MAX_TITLE}
          />
          <NativeSelect
            aria-label={t('filter')}
            size="xs"
            value={state ?? 'all'}
            onChange={({ currentTarget: { value } }) => setState(FILTERS.find((it) => it === value) ?? null)}
            data={(['all', ...FILTERS] as const).map((value) => ({ value, label: t(`filters.${value}`) }))}
          />
          <CsvLink size="xs" href={csvAddress(state, typed.trim())} file="receipts" />
        </div>
      </div>
      {state === 'failed' && (items?.length ?? 0) > 0 && <RetryFailed />}
      {receipts.isError && <ErrorAlert error={receipts.error} retry={() => void receipts.refetch()} />}
      {receipts.isPending && <LoadingSkeleton lines={5} />}
      {items?.length === 0 && (
        <p className="section-note dimmed small">{title === null ? t(`empty.${state ?? 'all'}`) : t('empty.title')}</p>
      )}
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

/** The address of a table of all receipts that meet the filters. */
function csvAddress(state: ReceiptFilter | null, title: string): string {
  const query = new URLSearchParams({
    ...(state !== null && (state === 'no_text' ? { warning: state } : { state })),
    ...(title !== '' && { title }),
  })
  return query.size === 0 ? CSV : `${CSV}?${query}`
}

function ReceiptTable({ items }: { items: readonly Receipt[] }) {
  const t = textsOf('admin.ingestion.receipts')
  return (
    <RecordTable
      label={t('title')}
      rows={items}
      keyOf={(it) => it.document_id}
      columns={[
        { label: t('document'), cell: (it) => <ReceiptDocument receipt={it} /> },
        { label: t('state'), cell: (it) => <ReceiptState receipt={it} /> },
        { label: t('connector'), cell: (it) => <ReceiptPairs receipt={it} /> },
        {
          label: t('passages'),
          className: 'number',
          cell: ({ chunk_count: it }) => (it === null ? '–' : formatCount(it)),
        },
        { label: t('accepted'), className: 'nowrap', cell: (it) => <Time at={it.accepted_at} /> },
      ]}
    />
  )
}

function ReceiptDocument({ receipt }: { receipt: Receipt }) {
  const href = safeHref(receipt.link)
  return (
    <>
      {href === undefined ? (
        <bdi>{receipt.semantic_identifier}</bdi>
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          <bdi>{receipt.semantic_identifier}</bdi>
        </a>
      )}
      <div className="small dimmed">
        <AdminLink page="documents" id={receipt.document_id}>
          <code>{receipt.document_id}</code>
        </AdminLink>
      </div>
      {receipt.reason !== null && <div className="small receipt-reason">{receipt.reason}</div>}
    </>
  )
}

function ReceiptPairs({ receipt: { cc_pairs } }: { receipt: Receipt }) {
  const me = useMe()
  return cc_pairs.map((it) =>
    hasPermission(me, 'connectors') ? (
      <Link key={it.id} to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(it.id) }}>
        {pairLabel(it)}
      </Link>
    ) : (
      <span key={it.id}>{pairLabel(it)}</span>
    ),
  )
}
