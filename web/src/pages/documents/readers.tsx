// The people and groups that may read a document, each with the reason.
import { Badge, Pagination } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listDocumentReaders } from '../../../../src/client/operations.ts'
import type { DocumentReaderPage } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const PAGE_SIZE = 25
type Reader = DocumentReaderPage['items'][number]

export function Readers({ document_id }: { document_id: string }) {
  const t = textsOf('admin.documents.reader_list')
  const [page, setPage] = useState(1)
  const readers = useQuery({
    queryKey: ['receipts', 'readers', document_id, page],
    queryFn: ({ signal }) =>
      listDocumentReaders(api, { document_id, offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <section className="card" aria-labelledby="reader-list">
      <div className="section-head">
        <h2 id="reader-list">{t('title')}</h2>
      </div>
      {readers.isError && <ErrorAlert error={readers.error} retry={() => void readers.refetch()} />}
      {readers.isPending && <LoadingSkeleton lines={4} />}
      {readers.data !== undefined && (
        <>
          <p className="section-note dimmed small">
            {readers.data.is_hidden
              ? t('hidden')
              : readers.data.total_items === 0
                ? t('nobody')
                : t('help', { count: readers.data.total_items })}
          </p>
          {readers.data.items.length > 0 && <ReaderTable items={readers.data.items} />}
          {readers.data.total_items > PAGE_SIZE && (
            <div className="section-end">
              <Pagination
                value={page}
                onChange={setPage}
                total={Math.ceil(readers.data.total_items / PAGE_SIZE)}
                size="sm"
                getItemProps={(number) => ({ 'aria-label': t('page', { number }) })}
                getControlProps={(control) => ({
                  'aria-label': textsOf('parts')(control === 'previous' ? 'previous_page' : 'next_page'),
                })}
              />
            </div>
          )}
        </>
      )}
    </section>
  )
}

function ReaderTable({ items }: { items: readonly Reader[] }) {
  const t = textsOf('admin.documents.reader_list')
  return (
    <RecordTable
      label={t('title')}
      rows={items}
      keyOf={(it) => `${it.kind} ${it.name} ${it.cc_pair?.id ?? ''}`}
      columns={[
        { label: t('reader'), className: 'long-text', cell: (it) => <Named reader={it} /> },
        { label: t('why'), className: 'long-text', cell: (it) => <Why reader={it} /> },
        { label: t('state'), cell: (it) => <State reader={it} /> },
      ]}
    />
  )
}

function Named({ reader: { kind, name, group_id } }: { reader: Reader }) {
  const t = textsOf('admin.documents.reader_list')
  if (kind === 'everyone' || kind === 'pair_everyone') return t('everyone')
  if (kind === 'pair_source') return t('nobody_named')
  const text = <bdi>{name}</bdi>
  if (group_id === null) return text
  return (
    <AdminLink page="groups" id={String(group_id)}>
      {text}
    </AdminLink>
  )
}

function Why({ reader: { kind, cc_pair } }: { reader: Reader }) {
  const t = textsOf('admin.documents.reader_list')
  if (cc_pair === null) return t(`reasons.${kind}`)
  return t.rich(`reasons.${kind}`, {
    connector: () => (
      <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(cc_pair.id) }}>
        <bdi>{pairLabel(cc_pair)}</bdi>
      </Link>
    ),
  })
}

function State({ reader: { kind, person, group_id, members } }: { reader: Reader }) {
  const t = textsOf('admin.documents.reader_list')
  if (members !== null)
    return (
      <>
        {t('members', { count: members })}
        {group_id === null && <div className="small dimmed">{t('of_source')}</div>}
      </>
    )
  if (kind !== 'address') return '–'
  const state = person === null ? 'unknown' : person.is_active ? 'active' : 'suspended'
  return (
    <Badge variant="light" tt="none" color={state === 'active' ? 'green' : 'yellow'}>
      {t(`states.${state}`)}
    </Badge>
  )
}
