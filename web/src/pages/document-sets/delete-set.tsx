// Asks before a set is deleted. An agent whose last set it is searches everything from then on, so the question says so.
import { useMutation } from '@tanstack/react-query'
import { deleteDocumentSet } from '../../../../src/client/operations.ts'
import type { DocumentSetSummary, MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadSets } from './document-sets-query.ts'

interface Props {
  set: DocumentSetSummary
  /** Those that use it. */
  agents: readonly MinimalPersonaSnapshot[]
  onClose: () => void
}

export function DeleteSet({ set, agents, onClose }: Props) {
  const t = textsOf('admin.document_sets.delete')
  const reload = useReloadSets()
  const remove = useMutation({
    mutationFn: () => deleteDocumentSet(api, { document_set_id: set.id }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const unlimited = agents.filter((it) => it.document_sets.length === 1)
  const names = listText(unlimited.map((it) => it.name))
  return (
    <ConfirmDialog
      title={t('title')}
      action={t('confirm')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('help', { name: () => <bdi>{set.name}</bdi> })}{' '}
      {unlimited.length > 0 &&
        t.rich('agents', { count: unlimited.length, names: () => <strong dir="auto">{names}</strong> })}
    </ConfirmDialog>
  )
}
