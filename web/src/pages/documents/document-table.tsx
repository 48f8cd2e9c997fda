import { AdminLink } from '../../admin/admin-link.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { formatCount, sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { type Receipt, ReceiptState } from '../ingestion/receipt-state.tsx'
import { PairLinks } from './pair-links.tsx'

export function DocumentTable({ items }: { items: readonly Receipt[] }) {
  const t = textsOf('admin.ingestion.receipts')
  return (
    <RecordTable
      label={textsOf('admin.documents')('title')}
      rows={items}
      keyOf={(it) => it.document_id}
      columns={[
        { label: t('document'), className: 'long-text', cell: (it) => <Named receipt={it} /> },
        { label: t('state'), cell: (it) => <ReceiptState receipt={it} /> },
        { label: t('connector'), className: 'long-text', cell: (it) => <PairLinks pairs={it.cc_pairs} /> },
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

const Named = ({ receipt: { document_id, semantic_identifier, source } }: { receipt: Receipt }) => (
  <>
    <AdminLink page="documents" id={document_id}>
      <bdi>{semantic_identifier}</bdi>
    </AdminLink>
    <div className="small dimmed">
      {sourceLabel(source)} · <bdi>{document_id}</bdi>
    </div>
  </>
)
