// The audit for administrators: who did what, newest first.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
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

export function AuditPage() {
  const [{ fields, cursors }, setPlace] = useState<Place>({ fields: NO_FILTER, cursors: FIRST })
  useEffect(() => {
    document.title = 'Audit · Pharos'
  }, [])
  const entries = useQuery(auditQuery(fields, cursors.at(-1) ?? null))
  const shown = entries.data?.slice(0, PAGE_SIZE)
  const last = shown?.at(-1)?.id
  const hasMore = (entries.data?.length ?? 0) > PAGE_SIZE
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Audit</h1>
          <p>
            What people, keys and the service did. Entries name fields and ids, and never contain values or secrets.
          </p>
        </div>
        <div className="row">
          <CheckChain />
          <Button component="a" variant="default" href={csvAddress(fields)} download="audit.csv">
            Export CSV
          </Button>
        </div>
      </div>
      <AuditFilters fields={fields} onChange={(changed) => setPlace({ fields: changed, cursors: FIRST })} />
      {entries.isError && <ErrorAlert error={entries.error} retry={() => void entries.refetch()} />}
      {entries.isPending && <LoadingSkeleton lines={8} />}
      {shown !== undefined && (
        <div className="card">
          {shown.length === 0 ? (
            <EmptyState icon="filter" title="No entry matches the filters" />
          ) : (
            <AuditList entries={shown} />
          )}
          <div className="section-end row">
            <Button
              size="xs"
              variant="default"
              disabled={cursors.length === 1}
              onClick={() => setPlace({ fields, cursors: cursors.slice(0, -1) })}
            >
              Newer entries
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={!hasMore || entries.isPlaceholderData}
              onClick={() => last !== undefined && setPlace({ fields, cursors: [...cursors, last] })}
            >
              Older entries
            </Button>
          </div>
        </div>
      )}
    </>
  )
}
