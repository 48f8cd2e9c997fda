import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { emptyTrash, restoreFromTrash } from '../../../../src/client/operations.ts'
import type { RestoredDocument, TrashedDocument } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  items: readonly TrashedDocument[]
  onDone: (notice: string) => void
}

export function TrashTable({ items, onDone }: Props) {
  const t = textsOf('admin.trash')
  const [toPurge, setToPurge] = useState<TrashedDocument | null>(null)
  return (
    <>
      <RecordTable
        label={t('title')}
        rows={items}
        keyOf={(it) => it.document_id}
        columns={[
          { label: t('document'), className: 'trash-document', cell: (it) => <Named item={it} /> },
          { label: t('deleted'), className: 'trash-fact', cell: (it) => <Deleted item={it} /> },
          {
            label: t('cause'),
            className: 'trash-fact',
            cell: ({ deletion_cause: it }) => (it === null ? '–' : t(`causes.${it}`)),
          },
          { label: t('expires'), className: 'nowrap', cell: (it) => <Time at={it.expires_at} /> },
        ]}
        action={(it) => (
          <div className="row-actions">
            <Restore item={it} onDone={onDone} />
            <EndButton
              label={t('purge')}
              longLabel={t('purge_of', { title: it.semantic_identifier })}
              onClick={() => setToPurge(it)}
            />
          </div>
        )}
      />
      {toPurge !== null && <Purge item={toPurge} onDone={onDone} onClose={() => setToPurge(null)} />}
    </>
  )
}

const Named = ({ item }: { item: TrashedDocument }) => (
  <>
    <bdi>{item.semantic_identifier}</bdi>
    <div className="small dimmed">
      {sourceLabel(item.source)} · <bdi>{item.document_id}</bdi>
    </div>
  </>
)

const Deleted = ({ item: { deleted_at, deleted_by } }: { item: TrashedDocument }) => (
  <>
    <Time at={deleted_at} />
    {deleted_by !== null && (
      <div className="small dimmed">
        <bdi>{deleted_by === OPERATOR ? textsOf('admin.audit.actors')('operator') : deleted_by}</bdi>
      </div>
    )}
  </>
)

/** The id of the operator's key. */
const OPERATOR = '00000000-0000-4000-8000-000000000000'

function Restore({ item, onDone }: { item: TrashedDocument; onDone: Props['onDone'] }) {
  const t = textsOf('admin.trash')
  const queryClient = useQueryClient()
  const restore = useMutation({
    mutationFn: () => restoreFromTrash(api, { body: { document_ids: [item.document_id] } }),
    onSuccess: async ({ results }) => {
      onDone(noticeOf(item, results[0]))
      await queryClient.invalidateQueries({ queryKey: ['trash'] })
    },
  })
  return (
    <>
      {restore.isError && <ErrorAlert error={restore.error} />}
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={t('restore_of', { title: item.semantic_identifier })}
        loading={restore.isPending}
        onClick={() => restore.mutate()}
      >
        {t('restore')}
      </Button>
    </>
  )
}

function noticeOf({ semantic_identifier: title }: TrashedDocument, result: RestoredDocument | undefined): string {
  const t = textsOf('admin.trash')
  if (result?.status !== 'restored') return t('not_restored', { title, detail: result?.detail ?? '' })
  return result.held_from_prune ? t('restored_held', { title }) : t('restored', { title })
}

function Purge({ item, onDone, onClose }: { item: TrashedDocument; onDone: Props['onDone']; onClose: () => void }) {
  const t = textsOf('admin.trash')
  const queryClient = useQueryClient()
  const purge = useMutation({
    mutationFn: () => emptyTrash(api, { body: { document_ids: [item.document_id] } }),
    onSuccess: async ({ deleted }) => {
      onDone(t('emptied', { count: deleted }))
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['trash'] })
    },
  })
  return (
    <ConfirmDialog
      title={t('purge_title', { title: item.semantic_identifier })}
      action={t('purge')}
      isPending={purge.isPending}
      error={purge.error}
      onConfirm={() => purge.mutate()}
      onClose={onClose}
    >
      {t('purge_help')}
    </ConfirmDialog>
  )
}
