import { useMutation } from '@tanstack/react-query'
import { createWebhook } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { EVENTS } from './webhook-events.ts'
import { WebhookForm, type WebhookValues } from './webhook-form.tsx'
import { useReloadWebhooks } from './webhooks-query.ts'

/** Creates a webhook, and shows its secret once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.webhooks')
  const reload = useReloadWebhooks()
  const create = useMutation({
    mutationFn: (body: WebhookValues) => createWebhook(api, { body }),
    onSuccess: reload,
  })
  if (create.data !== undefined) return <SecretDialog kind="secret" secret={create.data.secret} onClose={onClose} />
  return (
    <Dialog title={t('new')} onClose={onClose}>
      <WebhookForm
        initial={{ url: '', events: [...EVENTS], cc_pair_ids: null }}
        action={t('form.create')}
        isPending={create.isPending}
        error={create.error}
        onSave={create.mutate}
        onCancel={onClose}
      />
    </Dialog>
  )
}
