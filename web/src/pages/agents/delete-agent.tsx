import { useMutation } from '@tanstack/react-query'
import { deletePersona } from '../../../../src/client/operations.ts'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { useReloadAgents } from './agents-query.ts'

interface Props {
  agent: Pick<MinimalPersonaSnapshot, 'id' | 'name'>
  onDeleted: () => void
  onClose: () => void
}

export function DeleteAgent({ agent: { id, name }, onDeleted, onClose }: Props) {
  const t = textsOf('agents.delete')
  const isAdmin = hasPermission(useMe(), 'admin')
  const reload = useReloadAgents()
  const remove = useMutation({
    mutationFn: () => deletePersona(api, { persona_id: id }),
    onSuccess: async () => {
      onDeleted()
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
      {t.rich(isAdmin ? 'help_for_administrators' : 'help', { name: () => <bdi>{name}</bdi> })}
    </ConfirmDialog>
  )
}
