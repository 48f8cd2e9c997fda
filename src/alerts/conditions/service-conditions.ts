// Conditions of the service: its disk, its record, its models and its webhooks.
import { type AlertCondition, conditionOf } from '../../domain/alerts/alert.ts'
import { PAUSED_BY_ADMINISTRATOR } from '../../domain/webhook.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listWebhooks } from '../../store/webhooks/webhooks.ts'

/** Facts that only this process knows, and that other rooms find out. */
export interface ServiceProbes {
  disk(): { state: 'ok' | 'low'; free_mb: number; min_free_mb: number }
  record(): { state: string; reason: string | null }
  /** When the newest backup in the data folder was made; null if there is none. */
  newestBackupAt(): number | null
  /** Null while the embedding model works, or if there is none. */
  embeddingFault(): { model: string; reason: string } | null
  failingModels(): Promise<{ provider_id: number; name: string; reason: string; failing_since: number }[]>
}

export async function readServiceConditions(
  db: Queryable,
  { disk, record, newestBackupAt, embeddingFault, failingModels }: ServiceProbes,
  { isOpen, now }: { isOpen: (kind: AlertCondition['kind']) => boolean; now: number },
): Promise<AlertCondition[]> {
  const { state, reason } = record()
  const embedding = embeddingFault()
  const models = await failingModels()
  return [
    ...diskConditions(disk(), isOpen('disk_nearly_full')),
    ...(state === 'ok' ? [] : [conditionOf('record_damaged', { reason, isLocal: true })]),
    ...backupConditions(newestBackupAt(), now),
    ...(embedding === null
      ? []
      : [conditionOf('embedding_failing', { name: embedding.model, reason: embedding.reason, isLocal: true })]),
    ...models.map(({ provider_id, name, reason: why, failing_since }) =>
      conditionOf('model_failing', { object_id: `${provider_id}/${name}`, name, reason: why, since: failing_since }),
    ),
    ...(await webhookConditions(db)),
  ]
}

/** The disk is nearly full below this multiple of the space that stays free, and until it is above the second one. */
const NEARLY_FULL = 2
const ENOUGH_AGAIN = 2.5

export function diskConditions(
  { state, free_mb, min_free_mb }: ReturnType<ServiceProbes['disk']>,
  wasNearlyFull: boolean,
): AlertCondition[] {
  const limit = min_free_mb * (wasNearlyFull ? ENOUGH_AGAIN : NEARLY_FULL)
  if (state !== 'low' && free_mb >= limit) return []
  // In whole megabytes, so that the facts do not change with each file. A full disk is nearly full, too.
  const facts = { count: Math.floor(free_mb), isLocal: true }
  const nearlyFull = conditionOf('disk_nearly_full', facts)
  return state === 'low' ? [conditionOf('disk_full', facts), nearlyFull] : [nearlyFull]
}

export const OLD_BACKUP_MS = 14 * 86_400_000

/** A service whose backups are made elsewhere has none in its folder. */
export const backupConditions = (newestAt: number | null, now: number): AlertCondition[] =>
  newestAt === null || now - newestAt <= OLD_BACKUP_MS
    ? []
    : [conditionOf('backup_old', { since: newestAt + OLD_BACKUP_MS, isLocal: true })]

async function webhookConditions(db: Queryable): Promise<AlertCondition[]> {
  const paused = (await listWebhooks(db)).filter(
    (it) => it.status === 'paused' && it.reason !== PAUSED_BY_ADMINISTRATOR,
  )
  return paused.map(({ id, url, reason, time_updated }) =>
    conditionOf('webhook_paused', {
      object_id: String(id),
      name: URL.parse(url)?.host ?? null,
      reason,
      since: time_updated,
    }),
  )
}
