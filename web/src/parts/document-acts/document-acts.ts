// Hides a document or moves it to the trash, and offers to undo it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { deleteDocument, restoreFromTrash, setDocumentHidden } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { type UndoResult, useOfferUndo } from '../undo-notice.tsx'

export function useRemoveDocument(id: string, title: string) {
  const reload = useReloadDocuments()
  const offerUndo = useOfferUndo()
  return useMutation({
    mutationFn: () => deleteDocument(api, { document_id: id }),
    onSuccess: async () => {
      const text = textsOf('admin.documents.one')('deleted', { title })
      offerUndo({ text, help: null, undo: async () => undone(reload, restore(id, title)) })
      await reload()
    },
  })
}

export function useHideDocument(id: string, title: string) {
  const reload = useReloadDocuments()
  const offerUndo = useOfferUndo()
  return useMutation({
    mutationFn: (hidden: boolean) => setHidden(id, title, hidden),
    onSuccess: async ({ text }, hidden) => {
      offerUndo({ text, help: null, undo: async () => undone(reload, setHidden(id, title, !hidden)) })
      await reload()
    },
  })
}

export function useReloadDocuments(): () => Promise<unknown> {
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['receipts'] }),
      queryClient.invalidateQueries({ queryKey: ['trash'] }),
      queryClient.invalidateQueries({ queryKey: ['near-duplicates'] }),
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
