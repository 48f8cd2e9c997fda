// Secrets and files next to the record, and the free space on their disk.
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Database } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { openBlobsFolder } from '../../store/files/blobs-folder.ts'
import { recoverUserFiles } from '../../store/files/user-files.ts'
import { type FreeSpaceMonitor, openFreeSpaceMonitor } from '../../store/record/free-space.ts'
import { openSecretKeys, type SecretKeys } from '../../store/secrets/secret-keys.ts'
import { blobsPath, secretKeyPath } from '../implementations.ts'

export interface Storage {
  secretKeys: SecretKeys
  blobs: Blobs
  disk: FreeSpaceMonitor
}

interface StorageDeps {
  db: Database
  logger: Logger
  failpoint: (name: string) => void
}

export async function openStorage(config: ServiceConfig, { db, logger, failpoint }: StorageDeps): Promise<Storage> {
  const secretKeys = await openSecretKeys({
    db,
    path: secretKeyPath(config),
    given: config.secretKey,
    previous: config.previousSecretKeys,
    logger,
    failpoint,
  })
  const blobs = await openBlobsFolder(blobsPath(config))
  await recoverUserFiles({ db, blobs })
  const disk = await openFreeSpaceMonitor({ folder: config.dataDir, minFreeMb: config.minFreeDiskMb, logger })
  return { secretKeys, blobs, disk }
}
