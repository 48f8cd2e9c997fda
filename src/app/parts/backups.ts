// Backups that administrators make and download in the browser.
import { statSync } from 'node:fs'
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import { createDownloadTickets, type DownloadTickets } from '../../store/backup/download-tickets.ts'
import { createKeptBackups, type KeptBackups } from '../../store/backup/kept-backups.ts'
import type { FreeSpaceMonitor } from '../../store/record/free-space.ts'
import { backupsPath, databasePath } from '../implementations.ts'
import { writeBackupInProcess } from './backup-process.ts'

export interface Backups {
  kept: KeptBackups
  tickets: DownloadTickets
}

interface BackupsDeps {
  disk: Pick<FreeSpaceMonitor, 'state'>
  logger: Logger
  now: () => number
}

export const openBackups = (config: ServiceConfig, { disk, logger, now }: BackupsDeps): Backups => ({
  kept: createKeptBackups({
    ...{ disk, logger, now },
    folder: backupsPath(config),
    write: writeBackupInProcess,
    recordBytes: () =>
      config.databaseUrl === null ? (statSync(databasePath(config), { throwIfNoEntry: false })?.size ?? 0) : 0,
  }),
  tickets: createDownloadTickets({ now }),
})
