// Transcripts of recordings: the server that makes them, how far they are, and another try.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { getTranscription, rereadSkippedRecordings, retryTranscription } from '../../../../src/client/operations.ts'
import type { TranscriptionStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { RemoveTranscription, TranscriptionForm } from './transcription-form.tsx'

const REFRESH_MS = 5_000
const STATES = ['waiting', 'read', 'failed', 'minutes_today'] as const

export function Transcription() {
  const t = textsOf('admin.ingestion.transcription')
  const status = useQuery({
    queryKey: ['transcription'],
    queryFn: ({ signal }) => getTranscription(api, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="card card-pad stack" aria-labelledby="transcription">
      <h2 id="transcription">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      {status.isError && <ErrorAlert error={status.error} retry={() => void status.refetch()} />}
      {status.isPending && <LoadingSkeleton lines={2} />}
      {status.data !== undefined && <Status status={status.data} />}
    </section>
  )
}

function Status({ status }: { status: TranscriptionStatus }) {
  const t = textsOf('admin.ingestion.transcription')
  const [opened, setOpened] = useState<'form' | 'removal' | null>(null)
  const { model, wait_reason } = status
  const close = () => setOpened(null)
  return (
    <>
      {model === null && (
        <Alert variant="light" color="gray">
          {t('none')}
        </Alert>
      )}
      {model !== null && wait_reason !== null && <Alert color="yellow">{wait_reason}</Alert>}
      {model !== null && (
        <p className="long-text">
          <span className="dimmed">{t('server')}:</span> <bdi>{model.url}</bdi>, <bdi>{model.model}</bdi>
        </p>
      )}
      <dl className="facts">
        {STATES.map((it) => (
          <div key={it}>
            <dt>{t(it)}</dt>
            <dd className="plain">{formatCount(status[it])}</dd>
          </div>
        ))}
      </dl>
      {opened === 'form' ? (
        <TranscriptionForm model={model} onClose={close} />
      ) : (
        <div className="row">
          <Button variant={model === null ? 'filled' : 'default'} onClick={() => setOpened('form')}>
            {t(model === null ? 'set_up' : 'edit')}
          </Button>
          {model !== null && (
            <Button variant="default" onClick={() => setOpened('removal')}>
              {t('remove')}
            </Button>
          )}
          <Again status={status} />
        </div>
      )}
      {opened === 'removal' && <RemoveTranscription onClose={close} />}
    </>
  )
}

/** Recordings that failed, or that connectors skipped, once there is a model. */
function Again({ status: { model, failed, skipped } }: { status: TranscriptionStatus }) {
  const t = textsOf('admin.ingestion.transcription')
  const queryClient = useQueryClient()
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: ['transcription'] })
  const retry = useMutation({ mutationFn: () => retryTranscription(api), onSuccess })
  const reread = useMutation({ mutationFn: () => rereadSkippedRecordings(api), onSuccess })
  const error = retry.error ?? reread.error
  return (
    <>
      {failed > 0 && (
        <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          {t('retry')}
        </Button>
      )}
      {skipped > 0 && model !== null && (
        <Button variant="default" loading={reread.isPending} onClick={() => reread.mutate()}>
          {t('reread', { count: skipped })}
        </Button>
      )}
      <span role="status" className="small">
        {reread.data !== undefined && t('rereading', { count: reread.data.documents })}
      </span>
      {error !== null && <ErrorAlert error={error} />}
    </>
  )
}
