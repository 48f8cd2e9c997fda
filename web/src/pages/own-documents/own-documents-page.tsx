// The documents that name the person as an owner: those to verify first.
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { listOwnDocuments } from '../../../../src/client/operations.ts'
import type { OwnDocument } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { sourceLabel, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { VerificationMark } from '../../parts/verification/verification-mark.tsx'
import { VerifyControl } from '../../parts/verification/verify-control.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'

const PAGE_SIZE = 25
const firstPage = (): string | null => null

export function OwnDocumentsPage() {
  const t = textsOf('own_documents')
  const documents = useInfiniteQuery({
    queryKey: ['own-documents'],
    queryFn: ({ signal, pageParam }) => listOwnDocuments(api, { after: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_after ?? undefined,
  })
  const items = documents.data?.pages.flatMap((it) => it.items)
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
      {documents.isPending && <LoadingSkeleton lines={6} />}
      {items !== undefined && (
        <section className="card" aria-label={t('title')}>
          {items.length === 0 && (
            <EmptyState icon="document" title={t('empty')}>
              {t('empty_help')}
            </EmptyState>
          )}
          <ul className="aged-list">
            {items.map((it) => (
              <Listed key={it.document_id} document={it} />
            ))}
          </ul>
          {documents.hasNextPage && (
            <div className="section-end">
              <Button
                variant="default"
                size="xs"
                loading={documents.isFetchingNextPage}
                onClick={() => void documents.fetchNextPage()}
              >
                {textsOf('parts')('show_more')}
              </Button>
            </div>
          )}
        </section>
      )}
    </div>
  )
}

function Listed({ document }: { document: OwnDocument }) {
  const { document_id, semantic_identifier, source_type, last_changed_at, verification } = document
  const mayVerify = hasPermission(useMe(), 'pats')
  return (
    <li>
      <Link to="/document" search={{ id: document_id }}>
        <bdi>{semantic_identifier}</bdi>
      </Link>
      <div className="aged-facts small dimmed">
        <SourceIcon source={source_type} size={18} />
        <bdi>{sourceLabel(source_type)}</bdi>
        <span>{textsOf('search.results').rich('updated', { time: () => <Time at={last_changed_at} /> })}</span>
        {verification === null ? (
          <span>{textsOf('verification')('never')}</span>
        ) : (
          <VerificationMark verification={verification} />
        )}
      </div>
      {mayVerify && (
        <div className="aged-facts">
          <VerifyControl id={document_id} title={semantic_identifier} verification={verification} />
        </div>
      )}
    </li>
  )
}
