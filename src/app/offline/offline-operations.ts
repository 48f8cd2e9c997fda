// The operations of commands that work on the data folder and the record themselves.
import { mkdirSync, rmSync } from 'node:fs'
import { pino } from 'pino'
import type { BackupReport, OfflineOperations, OnProgress, UpgradePlan } from '../../cli/context.ts'
import { EXIT } from '../../cli/exit-code.ts'
import type { DataConfig } from '../../config.ts'
import { AppError } from '../../domain/errors.ts'
import { createFailpoint } from '../../flow/failpoint.ts'
import { reindexOffline } from '../../ingestion/reindex/offline.ts'
import { version } from '../../process/version.ts'
import { explainRebuild } from '../../search-index/embedded-generations/inspect-index.ts'
import type { BackupManifest } from '../../store/backup/format.ts'
import { checkBackup, restoreBackup } from '../../store/backup/restore-backup.ts'
import { writeBackup } from '../../store/backup/write-backup.ts'
import type { Database } from '../../store/database/database.ts'
import { openBlobsFolder, readBlobsFolder } from '../../store/files/blobs-folder.ts'
import { lockDataFolder } from '../../store/record/lock-data-folder.ts'
import { removeRecordFile, writeRecordFile } from '../../store/record/record-file.ts'
import { inspectRecord, moveRecordAside, prepareNewRecord } from '../../store/record/recovery.ts'
import { abandonLostSecrets, listLostSecrets } from '../../store/secrets/lost-secrets.ts'
import { openReadOnlySecretBox, openSecretBox, type SecretKeySettings } from '../../store/secrets/secret-keys.ts'
import { sqliteMigrations } from '../../store/sqlite/migrate-sqlite.ts'
import { openSqliteDraft, openSqliteSnapshot } from '../../store/sqlite/record.ts'
import { planUpgrade, readSqliteSchema, type SchemaState } from '../../store/sqlite/upgrade-sqlite.ts'
import {
  blobsPath,
  databaseKindOf,
  databasePath,
  describeDatabase,
  indexPath,
  openEmbedders,
  openGenerations,
  openRecord,
  recordCareOf,
  secretKeyPath,
} from '../implementations.ts'

export function createOfflineOperations(config: () => DataConfig, signal: AbortSignal): OfflineOperations {
  return {
    async backup(path, { withKeys, onProgress }) {
      const it = config()
      const snapshot = await openSnapshot(it)
      try {
        const made = await writeBackup({
          snapshot,
          blobs: readBlobsFolder(blobsPath(it)),
          database: databaseKindOf(it),
          keysFolder: withKeys ? it.dataDir : null,
          version: version(),
          now: Date.now(),
          path,
          signal,
          onProgress: ({ step, done }) => onProgress({ step, done, total: null }),
          failpoint: createFailpoint(it.failpoint),
        })
        return { ...toBackupReport(made.manifest), path: made.path, bytes: made.bytes }
      } finally {
        await snapshot.close()
      }
    },
    checkBackup: async (path, onProgress) =>
      toBackupReport(await checkBackup({ path, known: migrationNames(), signal, onProgress })),
    restore: (path, { replace, onProgress }) => restoreRecord(config(), { path, replace, onProgress, signal }),
    reindex: (onProgress) => reindexExclusively(config(), onProgress, signal),
    listUndecryptableSecrets: () =>
      withRecord(config(), (db, keys) => listLostSecrets({ db, box: openReadOnlySecretBox(keys) })),
    discardUndecryptableSecrets: () =>
      withRecord(config(), (db, keys) => abandonLostSecrets({ db, box: openSecretBox(keys) }, Date.now())),
    inspectRecord: () => inspectRecord(recordCareOf(config()), signal),
    acceptLoss: () => acceptRecordLoss(config()),
    async setRecordAside() {
      lockDataFolder(config())
      return moveRecordAside(recordCareOf(config()))
    },
    async addModel(origin, onProgress) {
      const { addMultilingualModel } = await import('./add-model.ts')
      return addMultilingualModel(config(), { origin, onProgress, signal })
    },
    inspectUpgrade: () => inspectUpgrade(config()),
    async upgrade() {
      const it = config()
      const before = await inspectUpgrade(it)
      await (await openExclusively(it)).close()
      return before
    },
  }
}

async function openSnapshot(config: DataConfig) {
  if (config.databaseUrl === null) return openSqliteSnapshot(databasePath(config))
  return (await import('../../store/postgres/record.ts')).openPostgresSnapshot(config.databaseUrl)
}

/** The same in both databases. */
const migrationNames = () => sqliteMigrations().map((it) => it.name)

const toBackupReport = ({ files, ...manifest }: BackupManifest): BackupReport => ({
  ...manifest,
  blobs: Object.keys(files).filter((it) => it.startsWith('blobs/')).length,
})

async function restoreRecord(
  config: DataConfig,
  {
    path,
    replace,
    onProgress,
    signal,
  }: { path: string; replace: boolean; onProgress: OnProgress; signal: AbortSignal },
): ReturnType<OfflineOperations['restore']> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  lockDataFolder(config)
  const { databaseUrl: url } = config
  const common = {
    replace,
    now: Date.now(),
    failpoint: createFailpoint(config.failpoint),
    // Both are of the record that was there before.
    beforeSwitch() {
      removeRecordFile(config.dataDir)
      rmSync(indexPath(config), { recursive: true, force: true })
    },
  }
  const done = await restoreBackup({
    path,
    known: migrationNames(),
    openDraft: async (migrations) =>
      url === null
        ? openSqliteDraft({ ...common, path: databasePath(config), migrations })
        : (await import('../../store/postgres/record.ts')).openPostgresDraft({ ...common, url, migrations }),
    openBlobs: () => openBlobsFolder(blobsPath(config)),
    dataDir: config.dataDir,
    signal,
    onProgress,
  })
  const held = await recordCareOf(config).peek()
  if (held !== null) await writeRecordFile(config.dataDir, { ...held, kind: databaseKindOf(config), lost: [] })
  return {
    ...toBackupReport(done.manifest),
    place: describeDatabase(config),
    aside: done.aside,
    otherKeys: done.otherKeys,
  }
}

/** For a command that needs the data for itself: what it does is said in its result, not in a log. */
async function openExclusively(config: DataConfig): Promise<Database> {
  if (config.databaseUrl === null) readSqliteSchema(databasePath(config))
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  lockDataFolder(config)
  return (await openRecord(config, createQuietLogger(), exitOnFatal)).db
}

async function acceptRecordLoss(config: DataConfig): ReturnType<OfflineOperations['acceptLoss']> {
  lockDataFolder(config)
  const care = recordCareOf(config)
  if ((await care.peek()) === null) return { accepted: [], startsFresh: true, aside: await prepareNewRecord(care) }
  const { db, record } = await openRecord(config, createQuietLogger(), exitOnFatal)
  const accepted = (await record.accept()).map((it) => it.reason)
  await db.close()
  return { accepted, startsFresh: false, aside: [] }
}

/** With the record that is there, and the keys of the settings. */
async function withRecord<T>(
  config: DataConfig,
  work: (db: Database, keys: SecretKeySettings) => Promise<T>,
): Promise<T> {
  const { secretKey: given, previousSecretKeys: previous } = config
  if ((await recordCareOf(config).peek()) === null)
    throw new AppError('RECORD_MISSING', { place: describeDatabase(config) })
  const db = await openExclusively(config)
  try {
    return await work(db, { path: secretKeyPath(config), given, previous })
  } finally {
    await db.close()
  }
}

const createQuietLogger = () => pino({ level: 'warn' }, pino.destination(2))

const exitOnFatal = (error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(EXIT.ioError)
}

async function reindexExclusively(config: DataConfig, onProgress: OnProgress, signal: AbortSignal) {
  const db = await openExclusively(config)
  const logger = createQuietLogger()
  const embedders = await openEmbedders(config, { db, logger })
  const generations = await openGenerations(config, { db, logger, onFatal: exitOnFatal, embedders })
  try {
    const deps = { db, generations, embedders, logger, now: Date.now, random: Math.random }
    await reindexOffline(deps, { signal, onProgress })
    const { documents } = await generations.serving.stats()
    return { documents }
  } finally {
    await generations.close()
    await embedders.close()
    await db.close()
  }
}

async function readSchemaState(config: DataConfig): Promise<SchemaState> {
  const { databaseUrl: url } = config
  if (url === null) return readSqliteSchema(databasePath(config))
  return (await import('../../store/postgres/record.ts')).readPostgresSchema(url)
}

async function inspectUpgrade(config: DataConfig): Promise<UpgradePlan> {
  const path = config.databaseUrl === null ? databasePath(config) : null
  const plan = planUpgrade(await readSchemaState(config), { path, dataDir: config.dataDir })
  return { ...plan, version: version(), database: databaseKindOf(config), rebuild: explainRebuild(indexPath(config)) }
}
