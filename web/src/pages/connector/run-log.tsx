// The log of one run, as the service keeps it.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getIndexAttemptLog } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  pairId: number
  attemptId: number
  onClose: () => void
}

export function RunLog({ pairId, attemptId, onClose }: Props) {
  const t = textsOf('admin.connector.log')
  const log = useQuery({
    queryKey: ['pair', pairId, 'log', attemptId],
    queryFn: async ({ signal }) =>
      (await getIndexAttemptLog(api, { cc_pair_id: pairId, index_attempt_id: attemptId, signal })).text(),
  })
  const address = `/api/manage/admin/cc-pair/${pairId}/index-attempts/${attemptId}/log`
  return (
    <Dialog title={t('title', { id: String(attemptId) })} isWide onClose={onClose}>
      <p className="small dimmed">{t('help')}</p>
      {log.isPending && <LoadingSkeleton lines={6} />}
      {log.isError && <ErrorAlert error={log.error} retry={() => void log.refetch()} />}
      {log.data === '' && <p>{t('none')}</p>}
      {log.data !== undefined && log.data !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <pre className="run-log" tabIndex={0} dir="auto">
          {log.data}
        </pre>
      )}
      <div className="dialog-buttons">
        <Button component="a" variant="default" href={address} download={`run-${attemptId}.txt`}>
          {t('download')}
        </Button>
        <Button onClick={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  )
}
