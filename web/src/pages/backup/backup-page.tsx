// Backups of everything: made, downloaded and deleted here, and restored by instruction.
import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { startBackup } from '../../../../src/client/operations.ts'
import type { Backups } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatBytes, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { isPerson, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { useBackups, useShowBackups } from './backup-query.ts'
import { BackupTable } from './backup-table.tsx'
import { RestoreSteps } from './restore-steps.tsx'
import './backup.css'

export function BackupPage() {
  const t = textsOf('admin.backup')
  const backups = useBackups()
  const show = useShowBackups()
  const isAllowed = isPerson(useMe())
  const start = useMutation({ mutationFn: () => startBackup(api), onSuccess: show })
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        {isAllowed && backups.data !== undefined && (
          <Button
            leftSection={<Icon name="plus" size={16} />}
            loading={start.isPending}
            disabled={backups.data.running !== null}
            onClick={() => start.mutate()}
          >
            {t('start')}
          </Button>
        )}
      </div>
      {!isAllowed && (
        <Alert variant="light" icon={<Icon name="key" />} title={t('person_needed')}>
          <p className="backup-text">{t('person_needed_help')}</p>
        </Alert>
      )}
      {start.isError && <ErrorAlert error={start.error} />}
      {backups.isError && <ErrorAlert error={backups.error} retry={() => void backups.refetch()} />}
      {backups.isPending && <LoadingSkeleton />}
      {backups.data !== undefined && <Made backups={backups.data} isAllowed={isAllowed} />}
      <RestoreSteps backups={backups.data?.backups ?? []} />
    </div>
  )
}

function Made({ backups, isAllowed }: { backups: Backups; isAllowed: boolean }) {
  const t = textsOf('admin.backup')
  const { running, failed, backups: kept } = backups
  return (
    <>
      {running !== null && (
        <Alert role="status" variant="light" color="blue" icon={<Icon name="download" />} title={t('running')}>
          <p className="backup-text">
            {t.rich('running_help', { size: formatBytes(running.bytes), time: () => <Time at={running.started_at} /> })}
          </p>
        </Alert>
      )}
      {running === null && failed !== null && (
        <Alert role="alert" variant="light" color="red" icon={<Icon name="alert" />} title={t('failed')}>
          <p className="backup-text" dir="auto">
            {failed.reason}
          </p>
        </Alert>
      )}
      <section className="card" aria-labelledby="kept-backups">
        <div className="section-head">
          <h2 id="kept-backups">{t('kept')}</h2>
          <span className="small dimmed">{t('limit', { count: kept.length, max: backups.max_backups })}</span>
        </div>
        {kept.length === 0 ? (
          <EmptyState icon="download" title={t('none')}>
            {t('none_help')}
          </EmptyState>
        ) : (
          <BackupTable backups={kept} isAllowed={isAllowed} />
        )}
      </section>
    </>
  )
}
