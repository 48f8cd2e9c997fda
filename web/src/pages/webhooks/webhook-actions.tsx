import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteWebhook, updateWebhook } from '../../../../src/client/operations.ts'
import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ReplaceSecret } from './replace-secret.tsx'
import { WebhookForm, type WebhookValues } from './webhook-form.tsx'
import { useReloadWebhooks } from './webhooks-query.ts'

interface WebhookProps {
  webhook: WebhookSnapshot
}

export function WebhookActions({ webhook }: WebhookProps) {
  const t = textsOf('admin.webhooks.actions')
  const [open, setOpen] = useState<'edit' | 'secret' | 'delete' | null>(null)
  const close = () => setOpen(null)
  return (
    <div className="row">
      <PauseButton webhook={webhook} />
      <Button variant="default" onClick={() => setOpen('edit')}>
        {textsOf('parts')('edit')}
      </Button>
      <Button variant="default" onClick={() => setOpen('secret')}>
        {t('replace_secret')}
      </Button>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen('delete')}>
        {textsOf('parts')('delete')}
      </Button>
      {open === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {open === 'secret' && <ReplaceSecret webhook={webhook} onClose={close} />}
      {open === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </div>
  )
}

function PauseButton({ webhook: { id: webhook_id, status } }: WebhookProps) {
  const t = textsOf('admin.webhooks.actions')
  const reload = useReloadWebhooks()
  const toggle = useMutation({
    mutationFn: () => updateWebhook(api, { webhook_id, body: { status: status === 'active' ? 'paused' : 'active' } }),
    onSettled: reload,
  })
  return (
    <>
      {toggle.isError && <ErrorAlert error={toggle.error} />}
      <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
        {status === 'active' ? t('pause') : t('resume')}
      </Button>
    </>
  )
}

function EditWebhook({ webhook, onClose }: WebhookProps & { onClose: () => void }) {
  const t = textsOf('admin.webhooks.form')
  const { id: webhook_id, url, events, cc_pair_ids } = webhook
  const reload = useReloadWebhooks()
  const save = useMutation({
    mutationFn: (body: WebhookValues) => updateWebhook(api, { webhook_id, body }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <Dialog title={t('edit')} onClose={onClose}>
      <WebhookForm
        initial={{ url, events, cc_pair_ids }}
        action={textsOf('parts')('save')}
        isPending={save.isPending}
        error={save.error}
        onSave={save.mutate}
        onCancel={onClose}
      />
    </Dialog>
  )
}

function DeleteWebhook({ webhook: { id: webhook_id, url }, onClose }: WebhookProps & { onClose: () => void }) {
  const t = textsOf('admin.webhooks.delete')
  const reload = useReloadWebhooks()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => deleteWebhook(api, { webhook_id }),
    onSuccess: async () => {
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'webhooks', id: undefined } })
      await reload()
    },
  })
  return (
    <ConfirmDialog
      title={t('title')}
      action={t('confirm')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('help', { url: () => <bdi>{url}</bdi> })}
    </ConfirmDialog>
  )
}
