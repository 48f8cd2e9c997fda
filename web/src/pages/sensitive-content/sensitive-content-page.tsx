// Secrets and personal data in documents: where they are, never what they say.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getSensitiveContent } from '../../../../src/client/operations.ts'
import type { SensitiveContentSummary } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { CountTable } from './count-table.tsx'
import { type FindingFilter, SensitiveDocuments } from './sensitive-documents.tsx'
import './sensitive-content.css'

export function SensitiveContentPage() {
  const t = textsOf('admin.sensitive_content')
  const [filter, setFilter] = useState<FindingFilter>({ source: null, kind: null, state: 'open' })
  const summary = useQuery({
    queryKey: ['sensitive-content', 'summary'],
    queryFn: ({ signal }) => getSensitiveContent(api, { signal }),
  })
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      {summary.isPending && <LoadingSkeleton lines={5} />}
      {summary.isError && <ErrorAlert error={summary.error} retry={() => void summary.refetch()} />}
      {summary.data !== undefined && <State summary={summary.data} />}
      {summary.data?.by_source.length === 0 && (
        <div className="card">
          <EmptyState icon="check" title={t('empty')}>
            {t('empty_help')}
          </EmptyState>
        </div>
      )}
      {summary.data !== undefined && summary.data.by_source.length > 0 && (
        <CountTable
          summary={summary.data}
          onChoose={({ source, kind }) => setFilter({ source, kind, state: 'open' })}
        />
      )}
      {summary.data !== undefined && (
        <SensitiveDocuments
          sources={[...new Set(summary.data.by_source.map((it) => it.source))]}
          filter={filter}
          onFilter={setFilter}
        />
      )}
    </div>
  )
}

function State({ summary: { mode, unsearched, quarantined } }: { summary: SensitiveContentSummary }) {
  const t = textsOf('admin.sensitive_content')
  return (
    <div className="card card-pad stack">
      <p>
        {t.rich(`modes.${mode}`, {
          count: quarantined,
          link: (text) => <AdminLink page="settings">{text}</AdminLink>,
        })}
      </p>
      {unsearched > 0 && mode !== 'off' && <p role="status">{t('unsearched', { count: unsearched })}</p>}
    </div>
  )
}
