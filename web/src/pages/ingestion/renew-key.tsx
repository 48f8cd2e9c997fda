// Replaces the secret of a key, and shows the new one once.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { regenerateApiKey } from '../../../../src/client/operations.ts'
import type { ApiKeyDescriptor } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { keyName } from './key-kinds.ts'

export function RenewKey({ apiKey, onClose }: { apiKey: ApiKeyDescriptor; onClose: () => void }) {
  const t = textsOf('admin.ingestion.keys')
  const queryClient = useQueryClient()
  const renew = useMutation({
    mutationFn: () => regenerateApiKey(api, { api_key_id: apiKey.api_key_id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['keys'] }),
  })
  if (renew.data !== undefined) return <SecretDialog kind="key" secret={renew.data.api_key ?? ''} onClose={onClose} />
  return (
    <ConfirmDialog
      title={t('renew_title', { name: keyName(apiKey) })}
      action={t('renew_key')}
      isPending={renew.isPending}
      error={renew.error}
      onConfirm={() => renew.mutate()}
      onClose={onClose}
    >
      {t.rich('renew_help', { key: () => <code>{apiKey.api_key_display}</code> })}
    </ConfirmDialog>
  )
}
