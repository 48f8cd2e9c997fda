// Alerts, and what the parts know about their own condition.
import { type Alerts, createAlerts } from '../../alerts/alerts.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Mail } from '../../mail/mail.ts'
import type { Database } from '../../store/database/database.ts'
import type { RecordGuard } from '../../store/record/record-guard.ts'
import type { Backups } from './backups.ts'
import type { Chat } from './chat.ts'
import type { Indexing } from './indexing.ts'
import type { Storage } from './storage.ts'

interface AlertsPartDeps {
  db: Database
  logger: Logger
  now: () => number
  mail: Mail
  record: RecordGuard
  storage: Storage
  backups: Backups
  indexing: Indexing
  chat: Chat
  onWebhookEvent: () => void
}

export const openAlerts = ({ record, storage, backups, indexing, chat, ...deps }: AlertsPartDeps): Alerts =>
  createAlerts({
    ...deps,
    probes: {
      disk: storage.disk.state,
      record: record.state,
      newestBackupAt: backups.kept.newestAt,
      embeddingFault: indexing.embedding.fault,
      failingModels: chat.languageModels.listFailing,
    },
  })
