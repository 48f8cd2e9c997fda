import { Alert, Button } from '@mantine/core'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteDocument,
  reindexDocuments,
  restoreFromTrash,
  retryFailedDocuments,
  setDocumentHidden,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import type { Receipt } from '../ingestion/receipt-state.tsx'

interface Props {
  id: string
  receipt: Receipt | undefined
  /** Whether a connector read the document, and can read it again. */
  isRead: boolean
}

/** `receipt` is undefined after the deletion, which can then be undone. */
export function DocumentActions({ id, receipt, isRead }: Props) {
  const t = textsOf('admin.documents.one')
  const acts = useActs(id)
  const { retry, restore, remove, hide, reread } = acts
  const [isAsking, setIsAsking] = useState(false)
  const error = retry.error ?? restore.error ?? hide.error ?? reread.error
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
        <Buttons receipt={receipt} isRead={isRead} acts={acts} onDelete={() => setIsAsking(true)} />
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

type Acts = ReturnType<typeof useActs>

function useActs(id: string) {
  const queryClient = useQueryClient()
  const onSuccess = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['receipts'] }),
      queryClient.invalidateQueries({ queryKey: ['trash'] }),
    ])
  return {
    retry: useMutation({
      mutationFn: () => retryFailedDocuments(api, { body: { document_ids: [id] } }),
      onSuccess,
    }),
    restore: useMutation({ mutationFn: () => restoreFromTrash(api, { body: { document_ids: [id] } }), onSuccess }),
    remove: useMutation({ mutationFn: () => deleteDocument(api, { document_id: id }), onSuccess }),
    hide: useMutation({
      mutationFn: (hidden: boolean) => setDocumentHidden(api, { body: { document_id: id, hidden } }),
      onSuccess,
    }),
    reread: useMutation({
      mutationFn: (pairs: readonly number[]) =>
        reindexDocuments(api, { body: { targets: pairs.map((cc_pair_id) => ({ cc_pair_id, document_id: id })) } }),
      onSuccess,
    }),
  }
}

interface ButtonProps {
  receipt: Receipt
  isRead: boolean
  acts: Acts
  onDelete: () => void
}

function Buttons({ receipt, isRead, acts: { retry, restore, hide, reread }, onDelete }: ButtonProps) {
  const t = textsOf('admin.documents.one')
  const managesConnectors = hasPermission(useMe(), 'manage:connectors')
  const pairs = receipt.cc_pairs.map((it) => it.id)
  return (
    <>
      <div className="row">
        {receipt.status === 'failed' && (
          <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
            {t('retry')}
          </Button>
        )}
        {managesConnectors && isRead && pairs.length > 0 && (
          <Button variant="default" loading={reread.isPending} onClick={() => reread.mutate(pairs)}>
            {t('reread')}
          </Button>
        )}
        {managesConnectors && (
          <Button variant="default" loading={hide.isPending} onClick={() => hide.mutate(!receipt.is_hidden)}>
            {receipt.is_hidden ? t('show') : t('hide')}
          </Button>
        )}
        <Button variant="default" c="var(--mantine-color-error)" onClick={onDelete}>
          {textsOf('parts')('delete')}
        </Button>
        <p role="status">
          {retry.data !== undefined && (retry.data.retried > 0 ? t('retried') : t('not_retried'))}
          {restore.data?.results[0]?.status === 'restored' && t('restored')}
          {reread.data !== undefined && (reread.data.success ? t('reread_done') : t('reread_busy'))}
        </p>
      </div>
      {receipt.is_hidden && <HiddenNotice hide={hide} />}
      {hide.data?.hidden === false && !receipt.is_hidden && <p role="status">{t('shown')}</p>}
    </>
  )
}

function HiddenNotice({
  hide,
}: {
  hide: Pick<UseMutationResult<unknown, Error, boolean>, 'mutate' | 'isPending' | 'data'>
}) {
  const t = textsOf('admin.documents.one')
  return (
    <Alert color="gray" variant="light" role="status" title={t('hidden')}>
      <p className="small document-note">{t('hidden_help')}</p>
      {hide.data !== undefined && (
        <Button mt="sm" size="xs" variant="default" loading={hide.isPending} onClick={() => hide.mutate(false)}>
          {t('undo')}
        </Button>
      )}
    </Alert>
  )
}
