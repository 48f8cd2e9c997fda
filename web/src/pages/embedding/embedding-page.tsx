// The search index: the model of its vectors, and building it again.
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { useReindexStatus, useSearchSettings } from './embedding-query.ts'
import { IndexFacts } from './index-facts.tsx'
import { ModelHelp } from './model-help.tsx'
import { Progress } from './progress.tsx'
import { Reindex } from './reindex.tsx'
import './embedding.css'

export function EmbeddingPage() {
  const t = textsOf('admin.embedding')
  const settings = useSearchSettings()
  const status = useReindexStatus()
  useTitle(t('title'))
  const error = settings.error ?? status.error
  const retry = () => void Promise.all([settings.refetch(), status.refetch()])
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      <div className="stack">
        {error !== null && <ErrorAlert error={error} retry={retry} />}
        {(settings.isPending || status.isPending) && error === null && <LoadingSkeleton lines={6} />}
        {settings.data !== undefined && status.data !== undefined && (
          <>
            <IndexFacts settings={settings.data} />
            {status.data.building === null ? (
              <Reindex last={status.data.last} />
            ) : (
              <Progress building={status.data.building} />
            )}
            <ModelHelp settings={settings.data} />
          </>
        )}
      </div>
    </>
  )
}
