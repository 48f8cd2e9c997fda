// The index that is being built: how far it is, how fast, and how long it still takes.
import { Alert, Button, Progress as ProgressBar } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelReindex } from '../../../../src/client/operations.ts'
import type { ReindexStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { durationText, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadIndex } from './embedding-query.ts'

type Building = NonNullable<ReindexStatus['building']>

export function Progress({ building }: { building: Building }) {
  const t = textsOf('admin.embedding.progress')
  const [isAsking, setAsking] = useState(false)
  const { started_at, model, waiting_for, vectors } = building
  return (
    <section className="card card-pad stack" aria-labelledby="progress">
      <h2 id="progress">{t('title')}</h2>
      <p className="dimmed">
        {t.rich(model === null ? 'started_words' : 'started', {
          time: () => <Time at={started_at} />,
          model: model ?? '',
          it: (text) => <bdi>{text}</bdi>,
        })}
      </p>
      <Documents building={building} />
      {vectors !== null && <Vectors vectors={vectors} />}
      {waiting_for !== null && (
        <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title={t('waiting')}>
          <span dir="auto">{waiting_for}</span>
        </Alert>
      )}
      <div className="row">
        <Button variant="default" leftSection={<Icon name="stop" size={16} />} onClick={() => setAsking(true)}>
          {t('cancel')}
        </Button>
      </div>
      {isAsking && <ConfirmCancel onClose={() => setAsking(false)} />}
    </section>
  )
}

function Documents({ building: { done, total, started_at } }: { building: Building }) {
  const t = textsOf('admin.embedding.progress')
  const perSecond = done / Math.max(1, (Date.now() - Date.parse(started_at)) / 1_000)
  const text =
    done === 0 || done >= total
      ? t('documents', { done, total })
      : t('documents_left', { done, total, rate: perSecond, left: durationText((total - done) / perSecond) })
  return <Bar done={done} total={total} label={t('documents_label')} text={text} />
}

function Vectors({ vectors: { pending, total, remaining_s } }: { vectors: NonNullable<Building['vectors']> }) {
  const t = textsOf('admin.embedding.progress')
  const done = total - pending
  const text =
    remaining_s === null
      ? t('vectors', { done, total })
      : t('vectors_left', { done, total, left: durationText(remaining_s) })
  return <Bar done={done} total={total} label={t('vectors_label')} text={text} />
}

const Bar = ({ done, total, label, text }: { done: number; total: number; label: string; text: string }) => (
  <div>
    <p className="embedding-bar small">
      <strong>{label}</strong> <span className="dimmed">{text}</span>
    </p>
    <ProgressBar value={total === 0 ? 100 : (done / total) * 100} aria-label={label} />
  </div>
)

function ConfirmCancel({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.embedding.progress')
  const reload = useReloadIndex()
  const cancel = useMutation({
    mutationFn: () => cancelReindex(api),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('cancel_title')}
      action={t('cancel')}
      isPending={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      {t('cancel_help')}
    </ConfirmDialog>
  )
}
