// Builds the index again, after an estimate of what it takes.
import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { estimateReindex, startReindex } from '../../../../src/client/operations.ts'
import type { ReindexStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { durationText, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadIndex } from './embedding-query.ts'
import { Estimate } from './estimate.tsx'

export function Reindex({ last }: { last: ReindexStatus['last'] }) {
  const t = textsOf('admin.embedding.reindex')
  const [isAsking, setAsking] = useState(false)
  const estimate = useMutation({ mutationFn: () => estimateReindex(api) })
  return (
    <section className="card card-pad stack" aria-labelledby="reindex">
      <h2 id="reindex">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      {last !== null && <LastRebuild last={last} />}
      <div className="row">
        <Button variant="default" loading={estimate.isPending} onClick={() => estimate.mutate()}>
          {t('estimate')}
        </Button>
        <Button leftSection={<Icon name="retry" size={16} />} onClick={() => setAsking(true)}>
          {t('start')}
        </Button>
      </div>
      <div className="embedding-live" aria-live="polite">
        {estimate.isPending && <p className="small dimmed">{t('estimating')}</p>}
        {estimate.isError && <ErrorAlert error={estimate.error} />}
        {estimate.data !== undefined && <Estimate estimate={estimate.data} />}
      </div>
      {isAsking && <ConfirmStart onClose={() => setAsking(false)} />}
    </section>
  )
}

function LastRebuild({ last }: { last: NonNullable<ReindexStatus['last']> }) {
  const t = textsOf('admin.embedding.reindex')
  const isDone = last.status === 'success'
  return (
    <Alert variant="light" color={isDone ? 'green' : 'gray'} icon={<Icon name={isDone ? 'check' : 'stop'} />}>
      {t.rich(isDone ? 'last_done' : 'last_canceled', {
        time: () => <Time at={last.ended_at} />,
        duration: durationText(last.took_ms / 1_000),
      })}
    </Alert>
  )
}

function ConfirmStart({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.embedding.reindex')
  const reload = useReloadIndex()
  const start = useMutation({
    mutationFn: () => startReindex(api),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <Dialog title={t('confirm_title')} onClose={onClose}>
      <p>{t('confirm_help')}</p>
      {start.isError && <ErrorAlert error={start.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button loading={start.isPending} onClick={() => start.mutate()}>
          {t('start')}
        </Button>
      </div>
    </Dialog>
  )
}
