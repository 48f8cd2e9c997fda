// The permissions that are read from the source: when they were read last, and a button to read them now.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getLastPermissionSync, syncPermissions } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { REFRESH_MS } from '../connectors/use-connector-statuses.ts'

export function PermissionSync({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.permission_sync')
  const queryClient = useQueryClient()
  const { id: cc_pair_id, last_permission_sync_attempt_error_message: reason } = pair
  const last = useQuery({
    queryKey: ['pair', cc_pair_id, 'permissions'],
    queryFn: ({ signal }) => getLastPermissionSync(api, { cc_pair_id, signal }),
    refetchInterval: REFRESH_MS,
  })
  const sync = useMutation({
    mutationFn: () => syncPermissions(api, { cc_pair_id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['pair', cc_pair_id] }),
  })
  return (
    <section className="card" aria-labelledby="permission-sync">
      <div className="section-head">
        <h2 id="permission-sync">{t('title')}</h2>
        {pair.is_editable_for_current_user && (
          <Button
            size="xs"
            variant="default"
            loading={sync.isPending}
            disabled={pair.permission_syncing || pair.status === 'PAUSED'}
            onClick={() => sync.mutate()}
          >
            {t('sync')}
          </Button>
        )}
      </div>
      {last.isError && <ErrorAlert error={last.error} retry={() => void last.refetch()} />}
      {sync.isError && <ErrorAlert error={sync.error} />}
      {reason !== null && !pair.permission_syncing && (
        <Alert
          className="permission-sync-fault"
          color="red"
          variant="light"
          icon={<Icon name="alert" />}
          title={t('failed')}
        >
          <span dir="auto">{reason}</span>
        </Alert>
      )}
      <p className="section-note dimmed small" role="status">
        {pair.permission_syncing || sync.isSuccess
          ? t('running')
          : last.data === null
            ? t('never')
            : last.data !== undefined && t.rich('last', { time: () => <Time at={last.data} /> })}
      </p>
    </section>
  )
}
