// One document: what became of it, its text, its passages, its readers, and why a person does not find it.
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { getDocumentDetails, listReceipts } from '../../../../src/client/operations.ts'
import type { DocumentDetails } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api, isNotFound } from '../../api.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { type Receipt, ReceiptState } from '../ingestion/receipt-state.tsx'
import { DocumentFindings } from '../sensitive-content/document-findings.tsx'
import { DocumentActions } from './document-actions.tsx'
import { DocumentChunks } from './document-chunks.tsx'
import { DocumentFacts } from './document-facts.tsx'
import { DocumentParts, type PartName, readPart } from './document-parts.tsx'
import { DocumentText } from './document-text.tsx'
import { Readers } from './readers.tsx'
import { Stages } from './stages.tsx'
import { TextReport } from './text-report.tsx'
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
  const details = useQuery({
    queryKey: ['receipts', 'details', id],
    queryFn: ({ signal }) => getDocumentDetails(api, { document_id: id, signal }),
    retry: false,
    enabled: receipts.data?.items.length === 1,
  })
  const receipt = receipts.data?.items[0]
  useTitle(receipt?.semantic_identifier ?? t('document'))
  const error = receipts.error ?? (isNotFound(details.error) ? null : details.error)
  const reload = () => void Promise.all([receipts.refetch(), details.refetch()])
  return (
    <div className="stack">
      <AdminLink page="documents">{t('one.back')}</AdminLink>
      {error !== null && <ErrorAlert error={error} retry={reload} />}
      {receipts.isPending && <LoadingSkeleton lines={8} />}
      {receipt !== undefined && <Head receipt={receipt} />}
      {receipts.isSuccess && (
        <DocumentActions id={id} receipt={receipt} isRead={details.data?.from_ingestion_api === false} />
      )}
      {receipt !== undefined && <Opened receipt={receipt} details={details.data} />}
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
      <div className="document-head">
        <SourceIcon source={receipt.source} />
        <div>
          <h1 className="long-text" dir="auto">
            {receipt.semantic_identifier}
          </h1>
          <div className="row">
            <ReceiptState receipt={receipt} />
            {href !== undefined && (
              <a href={href} target="_blank" rel="noopener noreferrer">
                {t('open')}
              </a>
            )}
            <CopyButton text={receipt.document_id} label={t('copy_id')} />
          </div>
        </div>
      </div>
    </div>
  )
}

const FROM = '/signed-in/admin/admin/$page/{-$id}'

function Opened({ receipt, details }: { receipt: Receipt; details: DocumentDetails | undefined }) {
  const isAdministrator = hasPermission(useMe(), 'admin')
  const part = useSearch({ from: FROM, select: (search) => readPart(search.part, isAdministrator) })
  return (
    <>
      {isAdministrator && <DocumentFindings id={receipt.document_id} />}
      <DocumentParts id={receipt.document_id} isAdministrator={isAdministrator} />
      <Part part={part} receipt={receipt} details={details} />
    </>
  )
}

interface PartProps {
  part: PartName
  receipt: Receipt
  details: DocumentDetails | undefined
}

function Part({ part, receipt, details }: PartProps) {
  const id = receipt.document_id
  if (part === 'why') return <WhyNotFound document_id={id} />
  if (part === 'readers')
    return (
      <>
        <Readers document_id={id} />
        <WhoMayRead document_id={id} />
      </>
    )
  if (part === 'state')
    return (
      <>
        <Stages receipt={receipt} />
        {details !== undefined && <TextReport extraction={details.extraction} />}
        {details !== undefined && <DocumentFacts details={details} />}
      </>
    )
  if (details === undefined) return <LoadingSkeleton lines={8} />
  return part === 'text' ? (
    <DocumentText document_id={id} isOpen={details.may_read_text} />
  ) : (
    <DocumentChunks document_id={id} isOpen={details.may_read_text} />
  )
}
