// Opens the implementation of each port that the configuration chooses.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { DataConfig, EmbeddingSettings, ServiceConfig } from '../config.ts'
import type { Logger } from '../domain/logger.ts'
import { errorMessage } from '../domain/values/node-error.ts'
import { type Egress, openEgress } from '../egress/egress.ts'
import type { RefusalLog } from '../egress/policy/refusal-log.ts'
import { createFailpoint } from '../flow/failpoint.ts'
import type { Embedder } from '../inference/embedder.ts'
import { type ConfiguredEmbedder, createEmbedders, type Embedders } from '../inference/embedders.ts'
import { createFormerEmbedder } from '../inference/former-embedder.ts'
import { openLocalEmbedder } from '../inference/local/embedder.ts'
import {
  englishModel,
  explainMissingFiles,
  explainMissingRuntime,
  type LocalModel,
  multilingualModel,
} from '../inference/local/local-models.ts'
import { configuredModel } from '../ingestion/embed/next-model.ts'
import { packedDimension } from '../ingestion/embed/vector-cache.ts'
import { openEmbeddedGenerations } from '../search-index/embedded-generations/embedded-generations.ts'
import { readPositions } from '../search-index/embedded-generations/inspect-index.ts'
import type { Generations } from '../search-index/generations.ts'
import type { VectorOptions } from '../search-index/search-index.ts'
import type { Database } from '../store/database/database.ts'
import { findAnyVector } from '../store/documents/chunk-vectors.ts'
import { openRecordGuard, type RecordGuard } from '../store/record/record-guard.ts'
import { getRecordIdentity } from '../store/record/record-identity.ts'
import type { RecordRecoveryDeps } from '../store/record/recovery.ts'
import { checkRecordPresent } from '../store/record/recovery.ts'
import { isApprovedHost } from '../store/settings/egress-approvals.ts'
import { openSqlite } from '../store/sqlite/open-sqlite.ts'
import { peekSqlite, upgradeSqlite } from '../store/sqlite/upgrade-sqlite.ts'

export const databasePath = ({ dataDir }: DataConfig) => join(dataDir, 'pharos.db')
export const secretKeyPath = ({ dataDir }: DataConfig) => join(dataDir, 'secret-key')
export const blobsPath = ({ dataDir }: DataConfig) => join(dataDir, 'blobs')
export const backupsPath = ({ dataDir }: DataConfig) => join(dataDir, 'backups')
export const multilingualPath = ({ dataDir }: Pick<DataConfig, 'dataDir'>) =>
  join(dataDir, 'models/multilingual-e5-small')
export const indexPath = ({ dataDir }: DataConfig) => join(dataDir, 'index')

/** RECORD_GONE where the folder had a record, and nothing is left of it. */
export async function openRecord(
  config: DataConfig,
  logger: Logger,
  onFatal: (error: Error) => void,
): Promise<{ db: Database; record: RecordGuard }> {
  const care = recordCareOf(config)
  await checkRecordPresent(care)
  const db = await openDatabase(config, logger, onFatal)
  return { db, record: await openRecordGuard({ ...care, db, logger, randomId: randomUUID }) }
}

async function openDatabase(config: DataConfig, logger: Logger, onFatal: (error: Error) => void): Promise<Database> {
  const { databaseUrl: url, failpoint } = config
  if (url === null) {
    const path = databasePath(config)
    const copy = upgradeSqlite(path, createFailpoint(failpoint))
    if (copy !== null)
      logger.info({ copy }, 'the database is brought to a newer schema; a copy of it as it was is kept')
    return openSqlite({ path, failpoint, onFatal, logger })
  }
  // Loaded only where it is used: most programs never open a connection to another one.
  const { openPostgres } = await import('../store/postgres/open-postgres.ts')
  return openPostgres({ url, failpoint, onFatal, logger })
}

/** A model that cannot be used is no reason not to start: then documents are found by their words. */
export async function openEmbedders(
  { embedding: settings, dataDir }: Pick<DataConfig, 'embedding' | 'dataDir'>,
  { db, logger, onReady = () => {} }: { db: Database; logger: Logger; onReady?: () => void },
): Promise<Embedders> {
  const localModels = [englishModel, multilingualModel(multilingualPath({ dataDir }))]
  const openRemote = settings.kind === 'openai' ? await openRemoteModels(settings) : () => null
  const open = (model: VectorOptions): Embedder | null => {
    const local = localModels.find((it) => it.model === model.model)
    if (local === undefined) return openRemote(model)
    return explainMissingModel(local) === null ? openLocalEmbedder(local) : null
  }
  const configured =
    settings.kind === 'openai'
      ? await findConfiguredOpenaiModel(settings, db)
      : configuredLocalModel(settings.kind, dataDir)
  if (configured.kind === 'missing' || configured.kind === 'silent') {
    const { reason } = configured
    logger.warn({ reason }, 'the embedding model cannot be used: documents are found without it')
  }
  return createEmbedders({ configured, open, logger, onReady })
}

/** Those of the server that the settings name: the model that they name, and former ones. */
async function openRemoteModels(
  settings: EmbeddingSettings & { kind: 'openai' },
): Promise<(model: VectorOptions) => Embedder | null> {
  // Loaded only where it is used.
  const { distinguishesModels, serverModelName, openOpenaiEmbedder } = await import('../inference/openai/embedder.ts')
  return ({ model, dimension }) => {
    const name = serverModelName(model)
    if (name === null) return null
    const embedder = openOpenaiEmbedder({ ...settings, model: name }, dimension)
    if (name === settings.model) return embedder
    return createFormerEmbedder(embedder, (signal) => distinguishesModels(settings, name, signal))
  }
}

const FIRST_ANSWER_MS = 5_000

const explainMissingModel = (model: LocalModel): string | null =>
  explainMissingRuntime(process) ?? explainMissingFiles(model)

function configuredLocalModel(kind: 'local' | 'multilingual' | 'off', dataDir: string): ConfiguredEmbedder {
  if (kind === 'off') return { kind: 'off' }
  const model = kind === 'local' ? englishModel : multilingualModel(multilingualPath({ dataDir }))
  const reason = explainMissingModel(model)
  return reason === null ? { kind: 'ready', model } : { kind: 'missing', model, reason }
}

async function findConfiguredOpenaiModel(
  settings: EmbeddingSettings & { kind: 'openai' },
  db: Database,
): Promise<ConfiguredEmbedder> {
  const { probeDimension, storedModelName } = await import('../inference/openai/embedder.ts')
  const name = storedModelName(settings.model)
  // An earlier response tells its dimension, also while it does not answer.
  const kept = await findAnyVector(db, name)
  if (kept !== undefined) return { kind: 'ready', model: { model: name, dimension: packedDimension(kept) } }
  const ask = (signal: AbortSignal) => probeDimension(settings, signal)
  try {
    return { kind: 'ready', model: { model: name, dimension: await ask(AbortSignal.timeout(FIRST_ANSWER_MS)) } }
  } catch (error) {
    return { kind: 'silent', name, reason: errorMessage(error), failures: 1, probeDimension: ask }
  }
}

export async function openGenerations(
  config: DataConfig & { mergeBytesPerSecond?: number },
  {
    db,
    logger,
    onFatal,
    embedders,
  }: { db: Database; logger: Logger; onFatal: (error: Error) => void; embedders: Embedders },
): Promise<Generations> {
  const { failpoint, mergeBytesPerSecond } = config
  const common = {
    dir: indexPath(config),
    record: await getRecordIdentity(db),
    logger,
    onFatal,
    failpoint,
    onStep: createFailpoint(failpoint),
    configuredModel: configuredModel(embedders.configured()),
    onRetired: embedders.release,
  }
  return openEmbeddedGenerations(mergeBytesPerSecond === undefined ? common : { ...common, mergeBytesPerSecond })
}

/** The one way out: built once, so that nothing has another opinion of what may be called. */
export function egressOf(
  config: ServiceConfig,
  db: Database,
  deps: { port: () => number; refusals: RefusalLog },
): Egress {
  return openEgress({
    allow: config.egressAllow,
    proxy: config.egressProxy,
    ca: config.egressCa,
    own: () => [{ host: config.host, port: deps.port() }, ...(db.server ? [db.server] : [])],
    isApproved: config.egressApprovals === 'on' ? (host, port) => isApprovedHost(db, host, port) : null,
    onRefused: deps.refusals.record,
  })
}

export const describeDatabase = (config: DataConfig) =>
  config.databaseUrl === null ? databasePath(config) : 'The database of DATABASE_URL'

export const databaseKindOf = ({ databaseUrl }: DataConfig) => (databaseUrl === null ? 'sqlite' : 'postgres')

export const recordCareOf = (config: DataConfig): RecordRecoveryDeps => ({
  dataDir: config.dataDir,
  kind: databaseKindOf(config),
  place: describeDatabase(config),
  path: config.databaseUrl === null ? databasePath(config) : null,
  async peek() {
    if (config.databaseUrl === null) return peekSqlite(databasePath(config))
    return (await import('../store/postgres/record.ts')).peekPostgres(config.databaseUrl)
  },
  indexPositions: readPositions(indexPath(config)),
  now: Date.now(),
})
