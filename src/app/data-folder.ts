import type { ServiceConfig } from '../config.ts'
import type { Logger } from '../domain/logger.ts'
import { restrictFolder } from '../process/restrict-folder.ts'
import { lockDataFolder } from '../store/record/lock-data-folder.ts'

/** Closes DATA_DIR to other users and locks it. Must come before anything opens a file there. */
export function claimDataFolder(config: ServiceConfig, logger: Logger): void {
  const { closedCount, stillOpen } = restrictFolder(config.dataDir)
  if (closedCount > 0) logger.info({ closed: closedCount }, 'DATA_DIR closed to other users of this machine')
  if (stillOpen.length > 0)
    logger.warn({ open: stillOpen }, 'DATA_DIR is open to other users: give Pharos a folder of its own with mode 700')
  lockDataFolder(config)
}
