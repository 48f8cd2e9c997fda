// The audit for administrators: who did what, newest first.
import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditList } from './audit-list.tsx'
import { type AuditFields, auditQuery, csvAddress, NO_FILTER, PAGE_SIZE } from './audit-query.ts'
import { CheckChain } from './check-chain.tsx'
import './audit.css'

/** The last cursor is the id after which the page that is shown begins; those before it lead back. */
interface Place {
  fields: AuditFields
  cursors: readonly (number | null)[]
}

const FIRST: Place['cursors'] = [null]

/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 250

export function AuditPage() {
  const t = textsOf('admin.audit')
  const [{ fields, cursors }, setPlace] = useState<Place>({ fields: NO_FILTER, cursors: FIRST })
  const [asked] = useDebouncedValue(fields, TYPING_MS)
  useTitle(t('title'))
  const entries = useQuery(auditQuery(asked, cursors.at(-1) ?? null))
  const shown = entries.data?.slice(0, PAGE_SIZE)
  const last = shown?.at(-1)?.id
  const hasMore = (entries.data?.length ?? 0) > PAGE_SIZE
  return (
    <>
      <PageHead title={t('title')} help={t('intro')}>
        <CheckChain />
        <CsvLink href={csvAddress(fields)} file="audit" />
      </PageHead>
      <AuditFilters fields={fields} onChange={(changed) => setPlace({ fields: changed, cursors: FIRST })} />
      {entries.isError && <ErrorAlert error={entries.error} retry={() => void entries.refetch()} />}
      {entries.isPending && <LoadingSkeleton lines={8} />}
      {shown !== undefined && (
        <div className="card">
          {shown.length === 0 ? <EmptyState icon="filter" title={t('none')} /> : <AuditList entries={shown} />}
          <div className="section-end row">
            <Button
              size="xs"
              variant="default"
              disabled={cursors.length === 1}
              onClick={() => setPlace({ fields, cursors: cursors.slice(0, -1) })}
            >
              {t('newer')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={!hasMore || entries.isPlaceholderData || asked !== fields}
              onClick={() => last !== undefined && setPlace({ fields, cursors: [...cursors, last] })}
            >
              {t('older')}
            </Button>
          </div>
        </div>
      )}
    </>
  )
}
