// Documents that nobody changed, opened or verified for long.
import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listStaleDocuments } from '../../../../src/client/operations.ts'
import type { StaleDocument, StaleDocumentPage } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { safeHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { exactDate, exactDay, listText, pairLabel, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { VerificationMark } from '../../parts/verification/verification-mark.tsx'
import { textsOf } from '../../text/texts.ts'
import { NO_FILTER, type StaleFilter, StaleFilters } from './stale-filters.tsx'
import './stale-documents.css'

const PAGE_SIZE = 25
const MAX_OWNERS = 3

export function StaleDocumentsPage() {
  const t = textsOf('admin.stale_documents')
  const [filter, setFilter] = useState<StaleFilter>(NO_FILTER)
  const documents = useStaleDocuments(filter)
  const items = documents.data?.pages.flatMap((it) => it.items)
  const clicks = documents.data?.pages[0]?.clicks
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      <section className="card" aria-labelledby="stale-documents">
        <div className="section-head">
          <h2 id="stale-documents">{t('documents')}</h2>
        </div>
        <StaleFilters filter={filter} onFilter={setFilter} />
        {clicks !== undefined && <p className="small dimmed stale-note">{clicksText(clicks)}</p>}
        {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
        {documents.isPending && <LoadingSkeleton lines={6} />}
        {items?.length === 0 && <EmptyState icon="filter" title={t('none')} />}
        <ul className="aged-list">
          {items?.map((it) => (
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
    </div>
  )
}

function clicksText({ since, min_people }: StaleDocumentPage['clicks']): string {
  const t = textsOf('admin.stale_documents')
  return min_people === null ? t('no_clicks') : t('clicks', { since: exactDay(since), count: min_people })
}

const firstPage = (): string | null => null
const DAY_MS = 86_400_000
const daysAgo = (days: number | null): string | null =>
  days === null ? null : new Date(Date.now() - days * DAY_MS).toISOString()

const useStaleDocuments = ({ unchangedDays, unopenedDays, owner, ...filter }: StaleFilter) =>
  useInfiniteQuery({
    queryKey: ['stale-documents', unchangedDays, unopenedDays, owner, ...Object.values(filter)],
    queryFn: ({ signal, pageParam }) =>
      listStaleDocuments(api, {
        ...filter,
        owner: owner === '' ? null : owner,
        changed_before: daysAgo(unchangedDays),
        not_opened_since: daysAgo(unopenedDays),
        after: pageParam,
        limit: PAGE_SIZE,
        signal,
      }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_after ?? undefined,
    placeholderData: keepPreviousData,
  })

function Listed({ document }: { document: StaleDocument }) {
  const t = textsOf('admin.stale_documents')
  const { document_id, semantic_identifier, source_type, cc_pairs, primary_owners, verification } = document
  const { last_changed_at, last_click_on } = document
  const href = safeHref(document.link)
  return (
    <li>
      <div className="row">
        <AdminLink page="documents" id={document_id}>
          <bdi>{semantic_identifier}</bdi>
        </AdminLink>
        {href !== undefined && (
          <a
            className="small"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={t('in_source_of', { title: semantic_identifier })}
          >
            {textsOf('reader')('in_source')}
          </a>
        )}
      </div>
      <div className="aged-facts small dimmed">
        <SourceIcon source={source_type} size={18} />
        <bdi>{listText(cc_pairs.map(pairLabel))}</bdi>
        <span>{textsOf('search.results').rich('updated', { time: () => <Time at={last_changed_at} /> })}</span>
        <span>{last_click_on === null ? t('not_opened') : t('opened', { day: exactDate(last_click_on) })}</span>
        <bdi>
          {primary_owners.length === 0
            ? t('no_owner')
            : textsOf('search.results')('by', { people: listText(primary_owners.slice(0, MAX_OWNERS)) })}
        </bdi>
        {verification === null ? (
          <span>{textsOf('verification')('never')}</span>
        ) : (
          <VerificationMark verification={verification} />
        )}
      </div>
    </li>
  )
}
