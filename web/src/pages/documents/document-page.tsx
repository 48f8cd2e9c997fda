// One document: what became of it, why a person finds it or not, and who may read it.
import { useQuery } from '@tanstack/react-query'
import { listReceipts } from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { safeHref } from '../../parts/safe-link.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { type Receipt, ReceiptState } from '../ingestion/receipt-state.tsx'
import { DocumentActions } from './document-actions.tsx'
import { Stages } from './stages.tsx'
import { WhoMayRead } from './who-may-read.tsx'
import { WhyNotFound } from './why-not-found.tsx'

/** Until the document is indexed and has its vectors. */
const REFRESH_MS = 2_000

export function DocumentPage({ id }: { id: string }) {
  const t = textsOf('admin.documents')
  const receipts = useQuery({
    queryKey: ['receipts', 'one', id],
    queryFn: ({ signal }) => listReceipts(api, { document_id: id, limit: 1, signal }),
    refetchInterval: ({ state }) => (isWaiting(state.data?.items[0]) ? REFRESH_MS : false),
  })
  const receipt = receipts.data?.items[0]
  useTitle(receipt?.semantic_identifier ?? t('document'))
  return (
    <div className="stack">
      <AdminLink page="documents">{t('one.back')}</AdminLink>
      {receipts.isError && <ErrorAlert error={receipts.error} retry={() => void receipts.refetch()} />}
      {receipts.isPending && <LoadingSkeleton lines={8} />}
      {receipt !== undefined && <Head receipt={receipt} />}
      {receipts.isSuccess && <DocumentActions id={id} receipt={receipt} />}
      {receipt !== undefined && <Parts receipt={receipt} />}
      {receipts.isSuccess && receipt === undefined && (
        <EmptyState icon="document" title={t('one.not_found')} heading="h1">
          {t.rich('one.not_found_help', { link: (text) => <AdminLink page="trash">{text}</AdminLink> })}
        </EmptyState>
      )}
    </div>
  )
}

const isWaiting = (receipt: Receipt | undefined): boolean =>
  receipt?.status === 'accepted' || receipt?.status === 'indexing'

function Head({ receipt }: { receipt: Receipt }) {
  const t = textsOf('admin.documents.one')
  const href = safeHref(receipt.link)
  return (
    <div className="page-head">
      <div>
        <h1 className="long-text" dir="auto">
          {receipt.semantic_identifier}
        </h1>
        <p>
          <ReceiptState receipt={receipt} />{' '}
          {href !== undefined && (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {t('open')}
            </a>
          )}
        </p>
      </div>
    </div>
  )
}

function Parts({ receipt }: { receipt: Receipt }) {
  const isAdministrator = hasPermission(useMe(), 'admin')
  return (
    <>
      <Stages receipt={receipt} />
      {isAdministrator && <WhyNotFound document_id={receipt.document_id} />}
      {isAdministrator && <WhoMayRead document_id={receipt.document_id} />}
    </>
  )
}
