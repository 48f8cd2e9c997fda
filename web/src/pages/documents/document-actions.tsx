import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteDocument, restoreFromTrash, retryFailedDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import type { Receipt } from '../ingestion/receipt-state.tsx'

/** `receipt` is undefined after the deletion, which can then be undone. */
export function DocumentActions({ id, receipt }: { id: string; receipt: Receipt | undefined }) {
  const t = textsOf('admin.documents.one')
  const queryClient = useQueryClient()
  const reload = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['receipts'] }),
      queryClient.invalidateQueries({ queryKey: ['trash'] }),
    ])
  const retry = useMutation({
    mutationFn: () => retryFailedDocuments(api, { body: { document_ids: [id] } }),
    onSuccess: reload,
  })
  const restore = useMutation({
    mutationFn: () => restoreFromTrash(api, { body: { document_ids: [id] } }),
    onSuccess: reload,
  })
  const remove = useMutation({ mutationFn: () => deleteDocument(api, { document_id: id }), onSuccess: reload })
  const [isAsking, setIsAsking] = useState(false)
  const error = retry.error ?? restore.error
  const [restored] = restore.data?.results ?? []
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      {receipt === undefined && remove.isSuccess && (
        <Alert color="yellow" variant="light" role="status" title={t('deleted')}>
          {restored?.status === 'failed' && <p>{restored.detail}</p>}
          <Button size="xs" variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
            {t('undo')}
          </Button>
        </Alert>
      )}
      {receipt !== undefined && (
        <div className="row">
          {receipt.status === 'failed' && (
            <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
              {t('retry')}
            </Button>
          )}
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setIsAsking(true)}>
            {textsOf('parts')('delete')}
          </Button>
          <p role="status">
            {retry.data !== undefined && (retry.data.retried > 0 ? t('retried') : t('not_retried'))}
            {restored?.status === 'restored' && t('restored')}
          </p>
        </div>
      )}
      {isAsking && receipt !== undefined && (
        <ConfirmDialog
          title={t('delete_title', { title: receipt.semantic_identifier })}
          action={textsOf('parts')('delete')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => {
            restore.reset()
            remove.mutate(undefined, { onSuccess: () => setIsAsking(false) })
          }}
          onClose={() => setIsAsking(false)}
        >
          {t('delete_help')}
        </ConfirmDialog>
      )}
    </>
  )
}
