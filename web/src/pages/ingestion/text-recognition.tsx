// How far the text recognition in pictures and scans is, and another try of what failed or was skipped.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRecognition, rereadSkippedScans, retryRecognition } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const REFRESH_MS = 5_000
const STATES = ['waiting', 'read', 'failed'] as const

export function TextRecognition() {
  const t = textsOf('admin.ingestion.recognition')
  const queryClient = useQueryClient()
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: ['recognition'] })
  const status = useQuery({
    queryKey: ['recognition'],
    queryFn: ({ signal }) => getRecognition(api, { signal }),
    refetchInterval: REFRESH_MS,
  })
  const retry = useMutation({ mutationFn: () => retryRecognition(api), onSuccess })
  const reread = useMutation({ mutationFn: () => rereadSkippedScans(api), onSuccess })
  const error = retry.error ?? reread.error
  return (
    <section className="card card-pad stack" aria-labelledby="recognition">
      <h2 id="recognition">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      {status.isError && <ErrorAlert error={status.error} retry={() => void status.refetch()} />}
      {status.isPending && <LoadingSkeleton lines={2} />}
      {status.data !== undefined && (
        <>
          {status.data.off_reason !== null && (
            <Alert variant="light" color="gray">
              {status.data.off_reason}
            </Alert>
          )}
          <dl className="facts">
            {STATES.map((it) => (
              <div key={it}>
                <dt>{t(it)}</dt>
                <dd className="plain">{formatCount(status.data[it])}</dd>
              </div>
            ))}
          </dl>
          <div className="row">
            {status.data.failed > 0 && (
              <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
                {t('retry')}
              </Button>
            )}
            {status.data.skipped > 0 && status.data.off_reason === null && (
              <Button variant="default" loading={reread.isPending} onClick={() => reread.mutate()}>
                {t('reread', { count: status.data.skipped })}
              </Button>
            )}
            <span role="status" className="small">
              {reread.data !== undefined && t('rereading', { count: reread.data.documents })}
            </span>
          </div>
        </>
      )}
      {error !== null && <ErrorAlert error={error} />}
    </section>
  )
}
