// Captions of pictures: whether they are made, how far they are, another try, and their deletion.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { getCaptions, putCaptionSettings, retryCaptions } from '../../../../src/client/operations.ts'
import type { CaptionStatus } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { CaptionsForm, RemoveCaptions } from './captions-form.tsx'

const REFRESH_MS = 5_000
const STATES = ['waiting', 'read', 'skipped', 'failed', 'pictures_today'] as const

export function Captions() {
  const t = textsOf('admin.ingestion.captions')
  const status = useQuery({
    queryKey: ['captions'],
    queryFn: ({ signal }) => getCaptions(api, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="card card-pad stack" aria-labelledby="captions">
      <h2 id="captions">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      {status.isError && <ErrorAlert error={status.error} retry={() => void status.refetch()} />}
      {status.isPending && <LoadingSkeleton lines={2} />}
      {status.data !== undefined && <Status status={status.data} />}
    </section>
  )
}

function Status({ status }: { status: CaptionStatus }) {
  const t = textsOf('admin.ingestion.captions')
  const { is_on, model, wait_reason, waiting } = status
  return (
    <>
      {!is_on && (
        <Alert variant="light" color="gray">
          {t('off', { count: waiting })}
        </Alert>
      )}
      <p className="dimmed">{t('of_sources')}</p>
      {is_on && wait_reason !== null && <Alert color="yellow">{wait_reason}</Alert>}
      {model === null ? (
        <p>{t.rich('no_model', { link: (text) => <AdminLink page="models">{text}</AdminLink> })}</p>
      ) : (
        <p className="long-text">
          <span className="dimmed">{t('model')}:</span> <bdi>{model}</bdi>
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
      <Actions status={status} />
    </>
  )
}

function Actions({ status }: { status: CaptionStatus }) {
  const t = textsOf('admin.ingestion.captions')
  const [opened, setOpened] = useState<'form' | 'removal' | null>(null)
  const queryClient = useQueryClient()
  const onSuccess = (it: CaptionStatus) => queryClient.setQueryData(['captions'], it)
  const switchOff = useMutation({
    mutationFn: () => putCaptionSettings(api, { body: { is_on: false } }),
    onSuccess,
  })
  const retry = useMutation({ mutationFn: () => retryCaptions(api), onSuccess })
  const { is_on, read, failed } = status
  const error = switchOff.error ?? retry.error
  if (opened === 'form') return <CaptionsForm status={status} onClose={() => setOpened(null)} />
  return (
    <>
      <div className="row">
        <Button variant={is_on ? 'default' : 'filled'} onClick={() => setOpened('form')}>
          {t(is_on ? 'edit' : 'switch_on')}
        </Button>
        {is_on && (
          <Button variant="default" loading={switchOff.isPending} onClick={() => switchOff.mutate()}>
            {t('switch_off')}
          </Button>
        )}
        {failed > 0 && (
          <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
            {t('retry')}
          </Button>
        )}
        {read > 0 && (
          <Button variant="default" onClick={() => setOpened('removal')}>
            {t('remove')}
          </Button>
        )}
      </div>
      {error !== null && <ErrorAlert error={error} />}
      {opened === 'removal' && <RemoveCaptions onClose={() => setOpened(null)} />}
    </>
  )
}
