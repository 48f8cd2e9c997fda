import { Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteBackup } from '../../../../src/client/operations.ts'
import type { Backup } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, EndButton, RecordTable } from '../../parts/record-table.tsx'
import { exactTime, formatBytes } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useShowBackups } from './backup-query.ts'
import { DownloadBackup } from './download-backup.tsx'

interface Asked {
  task: 'download' | 'delete'
  backup: Backup
}

export function BackupTable({ backups, isAllowed }: { backups: readonly Backup[]; isAllowed: boolean }) {
  const t = textsOf('admin.backup')
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      <RecordTable
        label={t('kept')}
        rows={backups}
        keyOf={(it) => it.id}
        columns={backupColumns()}
        {...(isAllowed && {
          action: (backup: Backup) => (
            <div className="row-actions">
              <Button
                size="compact-sm"
                variant="subtle"
                leftSection={<Icon name="download" size={15} />}
                aria-label={t('download_of', { time: exactTime(backup.made_at) })}
                onClick={() => setAsked({ task: 'download', backup })}
              >
                {t('download.open')}
              </Button>
              <EndButton
                label={textsOf('parts')('delete')}
                longLabel={t('delete_of', { time: exactTime(backup.made_at) })}
                onClick={() => setAsked({ task: 'delete', backup })}
              />
            </div>
          ),
        })}
      />
      {asked?.task === 'download' && <DownloadBackup backup={asked.backup} onClose={close} />}
      {asked?.task === 'delete' && <DeleteBackup backup={asked.backup} onClose={close} />}
    </>
  )
}

function backupColumns(): Column<Backup>[] {
  const t = textsOf('admin.backup.table')
  return [
    { label: t('made'), cell: (it) => <time dateTime={it.made_at}>{exactTime(it.made_at)}</time>, className: 'nowrap' },
    { label: t('size'), cell: (it) => <span className="nowrap">{formatBytes(it.bytes)}</span>, className: 'number' },
    { label: t('contents'), cell: contentsText, className: 'long-text' },
    {
      label: t('state'),
      cell: (it) => (
        <Badge color={it.is_verified ? 'green' : 'yellow'} variant="light" tt="none" miw="max-content">
          {it.is_verified ? t('verified') : t('not_verified')}
        </Badge>
      ),
    },
  ]
}

function contentsText({ documents, files, lost_files }: Backup): string {
  const t = textsOf('admin.backup.table')
  if (documents === null || files === null) return t('not_known')
  return (lost_files ?? 0) > 0
    ? t('contents_with_lost', { documents, files, lost: lost_files ?? 0 })
    : t('contents_of', { documents, files })
}

function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const t = textsOf('admin.backup.deletion')
  const show = useShowBackups()
  const remove = useMutation({
    mutationFn: () => deleteBackup(api, { backup_id: backup.id }),
    onSuccess: (backups) => {
      show(backups)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('title')}
      action={t('confirm')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t('help', { time: exactTime(backup.made_at) })}
    </ConfirmDialog>
  )
}
