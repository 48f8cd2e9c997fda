import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { retryFailedDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

/** Indexes again all failed documents that the person may manage. */
export function RetryFailed() {
  const t = textsOf('admin.ingestion.receipts')
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => retryFailedDocuments(api, { body: { all: true } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['receipts'] }),
  })
  return (
    <div className="section-note row">
      <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
        {t('retry_all')}
      </Button>
      <span role="status" className="small">
        {retry.data !== undefined && t('retried', { count: retry.data.retried })}
      </span>
      {retry.isError && <ErrorAlert error={retry.error} />}
    </div>
  )
}
