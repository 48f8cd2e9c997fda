// Opens the parts of the service in the order of their dependencies.
import type { Alerts } from '../alerts/alerts.ts'
import { type ConnectionLimiter, limitConnections } from '../api/admission/limit-connections.ts'
import type { ServiceConfig } from '../config.ts'
import type { Logger } from '../domain/logger.ts'
import type { Meter } from '../domain/meter.ts'
import { createFailpoint } from '../flow/failpoint.ts'
import { measureQueue } from '../ingestion/index/measure-queue.ts'
import { createWebhooks, type Webhooks } from '../ingestion/webhooks/webhooks.ts'
import { combineMeters } from '../metrics/combine-meters.ts'
import { type Metrics, openMetrics } from '../metrics/metrics.ts'
import { maxConnections } from '../process/file-descriptors.ts'
import { version } from '../process/version.ts'
import type { Database } from '../store/database/database.ts'
import type { RecordGuard } from '../store/record/record-guard.ts'
import type { ServiceAddress } from './address.ts'
import { openRecord } from './implementations.ts'
import { openAlerts } from './parts/alerts.ts'
import { type Backups, openBackups } from './parts/backups.ts'
import { type Chat, openChat } from './parts/chat.ts'
import { type Identity, openIdentity } from './parts/identity.ts'
import { type Indexing, openIndexing } from './parts/indexing.ts'
import { type Outbound, openOutbound } from './parts/outbound.ts'
import { openSamples, type Samples } from './parts/samples.ts'
import { openSearch, type SearchPart } from './parts/search.ts'
import { openSources, type Sources } from './parts/sources.ts'
import { openStorage, type Storage } from './parts/storage.ts'

export interface Parts {
  db: Database
  record: RecordGuard
  outbound: Outbound
  storage: Storage
  backups: Backups
  metrics: Metrics
  samples: Samples
  meter: Meter
  webhooks: Webhooks
  alerts: Alerts
  indexing: Indexing
  identity: Identity
  search: SearchPart
  sources: Sources
  chat: Chat
  connections: ConnectionLimiter
  logger: Logger
  now: () => number
}

interface PartsDeps {
  logger: Logger
  /** Called once data can no longer be written safely. */
  onFatal: (error: Error) => void
  address: ServiceAddress
}

export async function openParts(config: ServiceConfig, { logger, onFatal, address }: PartsDeps): Promise<Parts> {
  const now = Date.now
  const failpoint = createFailpoint(config.failpoint)
  const { db, record } = await openRecord(config, logger, onFatal)
  const base = { db, logger, now }
  const outbound = openOutbound(config, { ...base, port: address.port })
  const { egress } = outbound
  const storage = await openStorage(config, { db, logger, failpoint })
  const backups = openBackups(config, { logger, now, disk: storage.disk })
  const readQueue = () => measureQueue({ db, indexer: indexing.indexer, now })
  const metrics = openMetrics({
    version: version(),
    readSnapshot: async () => ({
      queue: await readQueue(),
      index: await indexing.generations.serving.stats(),
      waitingWrites: db.waitingWrites(),
      connections: connections.stats(),
      failingSources: await sources.connectorRunner.countFailing(),
    }),
  })
  const samples = openSamples(config, { ...base, readQueue, disk: storage.disk })
  const meter = combineMeters([metrics, samples.meter])
  const webhooks = createWebhooks({ ...base, secrets: storage.secretKeys.box, egress })
  const indexing = await openIndexing(config, {
    ...base,
    ...{ failpoint, onFatal, meter, checkDisk: storage.disk.check },
    onReceiptsWritten: webhooks.wake,
  })
  const identity = await openIdentity(config, { ...base, egress, secrets: storage.secretKeys.box })
  const search = openSearch({
    ...{ ...base, meter, indexing, keys: identity.keys },
    baseUrl: config.publicUrl ?? '',
  })
  const onRunEnded = () => {
    webhooks.wake()
    alerts.wake()
  }
  const sources = await openSources(config, {
    ...base,
    ...{ storage, egress, meter, indexer: indexing.indexer, onRunEnded },
    chooseVisionModel: () => chat.languageModels.chooseForService(),
  })
  const chat = await openChat(config, {
    ...base,
    ...{ storage, egress, search: search.search, meter },
    extractor: sources.extractor,
    recognition: sources.recognition,
    callTokens: identity.callTokens,
    onModelChange: () => alerts.wake(),
    publicUrl: () => config.publicUrl ?? address.url(),
  })
  const alerts = openAlerts({
    ...{ ...base, record, storage, backups, indexing, chat },
    ...{ mail: identity.mail, onWebhookEvent: webhooks.wake },
  })
  const connections = limitConnections({ maxOpen: maxConnections(logger), logger })
  return {
    ...base,
    ...{ record, outbound, storage, backups, metrics, samples, meter, webhooks, alerts },
    ...{ indexing, identity, search, sources, chat, connections },
  }
}
