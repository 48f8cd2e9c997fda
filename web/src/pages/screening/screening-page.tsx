// Documents that speak to a language model instead of people, or hide text from people.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getInjectionScanSummary } from '../../../../src/client/operations.ts'
import type { ScreenedSource } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { SourceTable } from './source-table.tsx'
import { WarnedDocuments } from './warned-documents.tsx'
import './screening.css'

export function ScreeningPage() {
  const t = textsOf('admin.screening')
  const [source, setSource] = useState<string | null>(null)
  const summary = useQuery({
    queryKey: ['screening', 'summary'],
    queryFn: ({ signal }) => getInjectionScanSummary(api, { signal }),
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
      {summary.data !== undefined && <Waiting sources={summary.data} />}
      {summary.data !== undefined && !summary.data.some(hasWarnings) && (
        <div className="card">
          <EmptyState icon="check" title={t('empty')}>
            {t('empty_help')}
          </EmptyState>
        </div>
      )}
      {summary.data?.some(hasWarnings) && (
        <>
          <SourceTable sources={summary.data} chosen={source} onChoose={setSource} />
          <WarnedDocuments sources={summary.data.map((it) => it.source)} source={source} onSource={setSource} />
        </>
      )}
    </div>
  )
}

const hasWarnings = ({ instructions, hidden_text }: ScreenedSource): boolean => instructions + hidden_text > 0

function Waiting({ sources }: { sources: readonly ScreenedSource[] }) {
  const count = sources.reduce((sum, it) => sum + it.unscreened, 0)
  return count === 0 ? null : <p role="status">{textsOf('admin.screening')('unscreened', { count })}</p>
}
