import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reindexDocuments, retryFailedDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { useHideDocument, useReloadDocuments, useRemoveDocument } from '../../parts/document-acts/document-acts.ts'
import { RemoveDialog } from '../../parts/document-acts/remove-dialog.tsx'
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

/** `receipt` is undefined after the deletion. */
export function DocumentActions({ id, receipt, isRead }: Props) {
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
        <RemoveDialog title={receipt.semantic_identifier} remove={remove} onClose={() => setIsAsking(false)} />
      )}
    </>
  )
}

type Acts = ReturnType<typeof useActs>

function useActs(id: string, title: string) {
  const reload = useReloadDocuments()
  return {
    retry: useMutation({
      mutationFn: () => retryFailedDocuments(api, { body: { document_ids: [id] } }),
      onSuccess: reload,
    }),
    remove: useRemoveDocument(id, title),
    hide: useHideDocument(id, title),
    reread: useMutation({
      mutationFn: (pairs: readonly number[]) =>
        reindexDocuments(api, { body: { targets: pairs.map((cc_pair_id) => ({ cc_pair_id, document_id: id })) } }),
      onSuccess: reload,
    }),
  }
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
