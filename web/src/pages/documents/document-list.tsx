// The documents that the person may manage, newest version first.
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { AdminLink } from '../../admin/admin-link.tsx'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { DocumentFilters, NO_FILTER } from './document-filters.tsx'
import { DocumentOrders } from './document-orders.tsx'
import { DocumentTable } from './document-table.tsx'
import { csvAddress, useDocuments } from './documents-query.ts'

/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 250

export function DocumentList() {
  const t = textsOf('admin.documents')
  const [fields, setFields] = useState(NO_FILTER)
  const [asked] = useDebouncedValue(fields, TYPING_MS)
  const documents = useDocuments(asked)
  useTitle(t('title'))
  const items = documents.data?.pages.flatMap((it) => it.items)
  return (
    <div className="stack">
      <PageHead title={t('title')} help={t('intro')}>
        <CsvLink href={csvAddress(fields)} file="documents" />
      </PageHead>
      <DocumentOrders />
      <DocumentFilters fields={fields} onChange={setFields} />
      {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
      {documents.isPending && <LoadingSkeleton lines={8} />}
      {items?.length === 0 && <NoDocuments isFiltered={asked !== NO_FILTER} />}
      {items !== undefined && items.length > 0 && (
        <section className="card">
          <DocumentTable items={items} />
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

function NoDocuments({ isFiltered }: { isFiltered: boolean }) {
  const t = textsOf('admin.documents')
  return isFiltered ? (
    <EmptyState icon="filter" title={t('none')}>
      {t.rich('none_help', { link: (text) => <AdminLink page="trash">{text}</AdminLink> })}
    </EmptyState>
  ) : (
    <EmptyState icon="document" title={t('empty')}>
      {t.rich('empty_help', { link: (text) => <AdminLink page="ingestion">{text}</AdminLink> })}
    </EmptyState>
  )
}
