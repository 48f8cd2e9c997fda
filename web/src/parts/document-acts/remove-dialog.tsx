import { textsOf } from '../../text/texts.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import type { useRemoveDocument } from './document-acts.ts'

interface Props {
  title: string
  remove: ReturnType<typeof useRemoveDocument>
  onClose: () => void
}

/** Asks before a document goes to the trash. */
export function RemoveDialog({ title, remove, onClose }: Props) {
  const t = textsOf('admin.documents.one')
  return (
    <ConfirmDialog
      title={t('delete_title', { title })}
      action={textsOf('parts')('delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t('delete_help')}
    </ConfirmDialog>
  )
}
