import { useMutation } from '@tanstack/react-query'
import { deleteLlmProvider } from '../../../../src/client/operations.ts'
import type { LLMProviderView } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadModels } from './models-query.ts'

interface DeleteProps {
  provider: LLMProviderView
  /** Whether one of its models is the default. */
  isDefault: boolean
  onClose: () => void
}

export function DeleteProvider({ provider: { id, name }, isDefault, onClose }: DeleteProps) {
  const t = textsOf('admin.models.delete')
  const reload = useReloadModels()
  const remove = useMutation({
    mutationFn: () => deleteLlmProvider(api, { provider_id: id, force: isDefault }),
    onSuccess: async () => {
      await reload()
      onClose()
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
      {t.rich(isDefault ? 'help_default' : 'help', { name, it: (text) => <bdi>{text}</bdi> })}
    </ConfirmDialog>
  )
}
