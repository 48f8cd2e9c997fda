// A new secret of a webhook, made in the browser. The old one no longer signs anything.
import { useMutation } from '@tanstack/react-query'
import { updateWebhook } from '../../../../src/client/operations.ts'
import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { textsOf } from '../../text/texts.ts'

const SECRET_BYTES = 32

export function ReplaceSecret({ webhook, onClose }: { webhook: WebhookSnapshot; onClose: () => void }) {
  const t = textsOf('admin.webhooks.replace_secret')
  const replace = useMutation({
    mutationFn: async () => {
      const secret = createSecret()
      await updateWebhook(api, { webhook_id: webhook.id, body: { secret } })
      return secret
    },
  })
  if (replace.data !== undefined) return <SecretDialog kind="secret" secret={replace.data} onClose={onClose} />
  return (
    <ConfirmDialog
      title={t('title')}
      action={t('confirm')}
      isPending={replace.isPending}
      error={replace.error}
      onConfirm={() => replace.mutate()}
      onClose={onClose}
    >
      {t('help')}
    </ConfirmDialog>
  )
}

const createSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`
