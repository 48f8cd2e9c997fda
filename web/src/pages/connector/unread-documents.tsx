// Documents that a connector could not read or skipped on purpose, with the reasons, and how to try them again.
import { Button } from '@mantine/core'
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import {
  listIndexAttemptErrors,
  listSkippedDocuments,
  reindexDocuments,
  retryFailedDocuments,
} from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { DocumentList, type ListedDocument } from './document-list.tsx'

/** The most that one run reads again. */
const MAX_RETRIED = 1_000
const MAX_ERROR_PAGE = 100

interface FailedDocument extends ListedDocument {
  /** Null: the source was read, but the document could not be indexed. */
  error_id: number | null
}

function useRetry<Input>(retry: (input: Input) => Promise<unknown>): UseMutationResult<unknown, Error, Input> {
  const queryClient = useQueryClient()
  return useMutation({ mutationFn: retry, onSettled: () => queryClient.invalidateQueries() })
}

export function FailedDocuments({ pair: { id } }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.failed')
  const load = async (page: { page_num: number; page_size: number; signal?: AbortSignal }) => {
    const { items, total_items } = await listIndexAttemptErrors(api, { cc_pair_id: id, ...page })
    const documents = items.map(
      (it): FailedDocument => ({
        key: `${it.index_attempt_id === null ? 'index' : 'read'}-${it.id}`,
        error_id: it.index_attempt_id === null ? null : it.id,
        document_id: it.document_id ?? it.entity_id,
        link: it.document_link,
        text: it.failure_message,
        time: it.time_created,
      }),
    )
    return { items: documents, total_items }
  }
  const retryOne = useRetry(({ error_id, document_id }: FailedDocument) =>
    error_id === null
      ? retryFailedDocuments(api, { body: { document_ids: [document_id ?? ''] } })
      : reindexDocuments(api, { body: { error_ids: [error_id] } }),
  )
  const retryAll = useRetry(async (_: undefined) => {
    const { items } = await load({ page_num: 0, page_size: MAX_ERROR_PAGE })
    const error_ids = items.flatMap((it) => (it.error_id === null || it.document_id === null ? [] : [it.error_id]))
    if (items.some((it) => it.error_id === null)) await retryFailedDocuments(api, { body: { cc_pair_id: id } })
    if (error_ids.length > 0) await reindexDocuments(api, { body: { error_ids } })
  })
  return (
    <>
      <DocumentList
        title={t('title')}
        help={t('help')}
        none={t('none')}
        about={t('error')}
        queryKey={['pair', id, 'errors']}
        load={load}
        onRetry={retryOne.mutate}
        actions={<RetryAll isPending={retryAll.isPending} onClick={() => retryAll.mutate(undefined)} />}
      />
      <RetryError error={retryOne.error ?? retryAll.error} />
    </>
  )
}

export function SkippedDocuments({ pair: { id } }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.skipped')
  const targetOf = (document_id: string) => ({ cc_pair_id: id, document_id })
  const retryOne = useRetry(({ document_id }: ListedDocument) =>
    reindexDocuments(api, { body: { targets: [targetOf(document_id ?? '')] } }),
  )
  const retryAll = useRetry(async (_: undefined) => {
    const { items } = await listSkippedDocuments(api, { cc_pair_id: id, page_size: MAX_RETRIED })
    await reindexDocuments(api, { body: { targets: items.map((it) => targetOf(it.document_id)) } })
  })
  return (
    <>
      <DocumentList
        title={t('title')}
        help={t('help')}
        none={t('none')}
        about={t('reason')}
        queryKey={['pair', id, 'skipped']}
        load={async (page) => {
          const { items, total_items } = await listSkippedDocuments(api, { cc_pair_id: id, ...page })
          const documents = items.map((it) => ({
            key: it.document_id,
            document_id: it.document_id,
            link: it.document_link,
            text: it.reason,
            time: it.time_created,
          }))
          return { items: documents, total_items }
        }}
        onRetry={retryOne.mutate}
        actions={<RetryAll isPending={retryAll.isPending} onClick={() => retryAll.mutate(undefined)} />}
      />
      <RetryError error={retryOne.error ?? retryAll.error} />
    </>
  )
}

const RetryAll = ({ isPending, onClick }: { isPending: boolean; onClick: () => void }) => (
  <Button variant="default" size="xs" loading={isPending} onClick={onClick}>
    {textsOf('admin.connector.documents')('retry_all')}
  </Button>
)

const RetryError = ({ error }: { error: Error | null }) => (error === null ? null : <ErrorAlert error={error} />)
