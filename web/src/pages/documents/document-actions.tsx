import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
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
import { type UndoResult, useOfferUndo } from '../../parts/undo-notice.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import type { Receipt } from '../ingestion/receipt-state.tsx'

interface Props {
  id: string
  receipt: Receipt | undefined
  /** Whether a connector read the document, and can read it again. */
  isRead: boolean
}

/** `receipt` is undefined after the deletion. */
export function DocumentActions({ id, receipt, isRead }: Props) {
  const t = textsOf('admin.documents.one')
  const acts = useActs(id, receipt?.semantic_identifier ?? id)
  const { retry, remove, hide, reread } = acts
  const [isAsking, setIsAsking] = useState(false)
  const error = retry.error ?? hide.error ?? reread.error
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      {receipt !== undefined && (
        <Buttons receipt={receipt} isRead={isRead} acts={acts} onDelete={() => setIsAsking(true)} />
      )}
      {isAsking && receipt !== undefined && (
        <ConfirmDialog
          title={t('delete_title', { title: receipt.semantic_identifier })}
          action={textsOf('parts')('delete')}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
          onClose={() => setIsAsking(false)}
        >
          {t('delete_help')}
        </ConfirmDialog>
      )}
    </>
  )
}

type Acts = ReturnType<typeof useActs>

function useActs(id: string, title: string) {
  const t = textsOf('admin.documents.one')
  const reload = useReloadDocuments()
  const offerUndo = useOfferUndo()
  return {
    retry: useMutation({
      mutationFn: () => retryFailedDocuments(api, { body: { document_ids: [id] } }),
      onSuccess: reload,
    }),
    remove: useMutation({
      mutationFn: () => deleteDocument(api, { document_id: id }),
      onSuccess: async () => {
        offerUndo({ text: t('deleted', { title }), help: null, undo: async () => undone(reload, restore(id, title)) })
        await reload()
      },
    }),
    hide: useMutation({
      mutationFn: (hidden: boolean) => setHidden(id, title, hidden),
      onSuccess: async ({ text }, hidden) => {
        offerUndo({ text, help: null, undo: async () => undone(reload, setHidden(id, title, !hidden)) })
        await reload()
      },
    }),
    reread: useMutation({
      mutationFn: (pairs: readonly number[]) =>
        reindexDocuments(api, { body: { targets: pairs.map((cc_pair_id) => ({ cc_pair_id, document_id: id })) } }),
      onSuccess: reload,
    }),
  }
}

function useReloadDocuments(): () => Promise<unknown> {
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['receipts'] }),
      queryClient.invalidateQueries({ queryKey: ['trash'] }),
    ])
}

async function undone(reload: () => Promise<unknown>, work: Promise<UndoResult>): Promise<UndoResult> {
  const result = await work
  await reload()
  return result
}

async function restore(id: string, title: string): Promise<UndoResult> {
  const t = textsOf('admin.documents.one')
  const [result] = (await restoreFromTrash(api, { body: { document_ids: [id] } })).results
  return result?.status === 'failed'
    ? { state: 'refused', text: t('not_restored', { title }), help: result.detail ?? '' }
    : { state: 'undone', text: t('restored', { title }) }
}

async function setHidden(id: string, title: string, hidden: boolean): Promise<UndoResult> {
  const t = textsOf('admin.documents.one')
  await setDocumentHidden(api, { body: { document_id: id, hidden } })
  return { state: 'undone', text: hidden ? t('now_hidden', { title }) : t('shown', { title }) }
}

interface ButtonProps {
  receipt: Receipt
  isRead: boolean
  acts: Acts
  onDelete: () => void
}

function Buttons({ receipt, isRead, acts: { retry, hide, reread }, onDelete }: ButtonProps) {
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
          {reread.data !== undefined && (reread.data.success ? t('reread_done') : t('reread_busy'))}
        </p>
      </div>
      {receipt.is_hidden && <HiddenNotice />}
    </>
  )
}

function HiddenNotice() {
  const t = textsOf('admin.documents.one')
  return (
    <Alert color="gray" variant="light" role="note" title={t('hidden')}>
      <p className="small document-note">{t('hidden_help')}</p>
    </Alert>
  )
}
