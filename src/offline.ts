// Chooses what a command works with, and what the commands do that touch the data itself, while the service runs or
// instead of it.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import type { Backup, Context, Offline, OnProgress, Upgrade } from './cli/context.ts'
import { EXIT } from './cli/exit-code.ts'
import { createTerminal } from './cli/terminal.ts'
import { openApi } from './client/api.ts'
import { type Config, ConfigError, type EmbeddingSettings, type Place, readClient, readPlace } from './config.ts'
import { AppError } from './domain/errors.ts'
import type { Logger } from './domain/logger.ts'
import type { Refusals } from './egress/collect-refusals.ts'
import { type Egress, openEgress } from './egress/egress.ts'
import type { Embedder } from './inference/embedder.ts'
import { type Configured, createEmbedders, type Embedders } from './inference/embedders.ts'
import { formerEmbedder } from './inference/former-embedder.ts'
import { localModel, openLocalEmbedder, whyNoLocalModel } from './inference/local-embedder.ts'
import { wantedModel } from './ingestion/next-model.ts'
import { reindexOffline } from './ingestion/reindex-offline.ts'
import { dimensionOf } from './ingestion/vector-cache.ts'
import { openEmbeddedGenerations } from './search-index/embedded-generations.ts'
import type { Generations } from './search-index/generations.ts'
import { whyRebuilt } from './search-index/inspect.ts'
import type { VectorOptions } from './search-index/search-index.ts'
import { writeBackup } from './store/backup.ts'
import type { Manifest } from './store/backup-format.ts'
import { openBlobsFolder, readBlobsFolder } from './store/blobs-folder.ts'
import { anyVector } from './store/chunk-vectors.ts'
import type { Database } from './store/database.ts'
import { isApproved } from './store/egress-approvals.ts'
import { lockFolder } from './store/lock.ts'
import { giveUpLostSecrets, listLostSecrets } from './store/lost-secrets.ts'
import { sqliteMigrations } from './store/migrate.ts'
import { getRecord, renewRecord } from './store/record.ts'
import { checkBackup, restore } from './store/restore.ts'
import { type KeySettings, openBox, openReadingBox } from './store/secret-keys.ts'
import { openSqlite } from './store/sqlite.ts'
import { openSqliteDraft, openSqliteSnapshot } from './store/sqlite-record.ts'
import { copyPath, inspectSqlite, type SchemaState, upgradeSqlite } from './store/upgrade.ts'

/** What one command has at hand, of the environment that it is given. */
export function contextOf(env: NodeJS.ProcessEnv, signal: AbortSignal): Context {
  const { NO_COLOR, XDG_STATE_HOME, INIT_CWD } = env
  const clock = () => performance.now()
  return {
    terminal: createTerminal({ out: process.stdout, error: process.stderr, isColourful: !NO_COLOR, clock }),
    connect(given) {
      const { url, key, ownUrl, ownKey } = readClient(env)
      const address = given.url ?? url
      // The administrator's key of this machine is not sent to another one.
      const secret = given.key ?? key ?? (address === null ? ownKey : null)
      if (address !== null && !/^https?:/.test(address))
        throw new ConfigError(`PHAROS_URL or --url must be http://… or https://…, not ${address}.`)
      return {
        url: address ?? ownUrl,
        isOwn: address === null,
        // biome-ignore lint/style/noRestrictedGlobals: the person at the terminal names the address, nobody else can.
        api: openApi({ url: address ?? ownUrl, ...(secret !== null && { key: secret }), fetch }),
      }
    },
    offline: offlineOn(() => readPlace(env), signal),
    signal,
    stateDir: join(XDG_STATE_HOME || join(homedir(), '.local/state'), 'pharos'),
    get stdin() {
      return process.stdin
    },
    // npm starts scripts in the folder of the package.
    pathOf: (name) => resolve(INIT_CWD ?? '.', name),
    clock,
    now: Date.now,
  }
}

function offlineOn(place: () => Place, signal: AbortSignal): Offline {
  return {
    async backup(path, { withKeys, onProgress }) {
      const it = place()
      const snapshot = await openSnapshot(it)
      try {
        const made = await writeBackup({
          snapshot,
          blobs: readBlobsFolder(blobsPath(it)),
          database: databaseOf(it),
          keysFrom: withKeys ? it.dataDir : null,
          version: version(),
          now: Date.now(),
          path,
          signal,
          onProgress: ({ step, done }) => onProgress({ step, done, total: null }),
          failpoint: failpointOf(it.failpoint),
        })
        return { ...summaryOf(made.manifest), path: made.path, bytes: made.bytes }
      } finally {
        await snapshot.close()
      }
    },
    checkBackup: async (path, onProgress) =>
      summaryOf(await checkBackup({ path, knownSchema: sqliteMigrations().length, signal, onProgress })),
    restore: (path, { replace, onProgress }) => restoreInto(place(), { path, replace, onProgress, signal }),
    reindex: (onProgress) => refill(place(), onProgress, signal),
    lostSecrets: () => withRecord(place(), (db, keys) => listLostSecrets({ db, box: openReadingBox(keys) })),
    giveUpSecrets: () => withRecord(place(), (db, keys) => giveUpLostSecrets({ db, box: openBox(keys) }, Date.now())),
    inspectUpgrade: () => inspectUpgrade(place()),
    async upgrade() {
      const it = place()
      const before = await inspectUpgrade(it)
      await (await openAlone(it)).close()
      return before
    },
    // Beside the program, not in it: it starts servers of its own.
    evaluate: async (folders, options) => (await import('../bench/eval.ts')).evaluate(folders, options),
  }
}

const whereIs = (place: Place) => (place.databaseUrl === null ? databasePath(place) : 'The database of DATABASE_URL')

const databaseOf = ({ databaseUrl }: Place) => (databaseUrl === null ? 'sqlite' : 'postgres')

async function openSnapshot(place: Place) {
  if (place.databaseUrl === null) return openSqliteSnapshot(databasePath(place))
  return (await import('./store/postgres-record.ts')).openPostgresSnapshot(place.databaseUrl)
}

const summaryOf = ({ files, ...manifest }: Manifest): Backup => ({
  ...manifest,
  blobs: Object.keys(files).filter((it) => it.startsWith('blobs/')).length,
})

async function restoreInto(
  place: Place,
  {
    path,
    replace,
    onProgress,
    signal,
  }: { path: string; replace: boolean; onProgress: OnProgress; signal: AbortSignal },
): ReturnType<Offline['restore']> {
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  lockOrThrow(place)
  const { databaseUrl: url } = place
  const common = {
    replace,
    now: Date.now(),
    failpoint: failpointOf(place.failpoint),
    // It follows the record that was there before.
    beforeSwitch: () => rmSync(indexPath(place), { recursive: true, force: true }),
  }
  const done = await restore({
    path,
    knownSchema: sqliteMigrations().length,
    openDraft: async (schema) =>
      url === null
        ? openSqliteDraft({ ...common, path: databasePath(place), schema })
        : (await import('./store/postgres-record.ts')).openPostgresDraft({ ...common, url, schema }),
    openBlobs: () => openBlobsFolder(blobsPath(place)),
    dataDir: place.dataDir,
    signal,
    onProgress,
  })
  return { ...summaryOf(done.manifest), place: whereIs(place), aside: done.aside, otherKeys: done.otherKeys }
}

/** For a command that needs the data for itself: what it does is said in its result, not in a log. */
async function openAlone(place: Place): Promise<Database> {
  if (place.databaseUrl === null) inspectSqlite(databasePath(place))
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  lockOrThrow(place)
  return openDatabase(place, quietLogger(), stopAtOnce)
}

/** With the record that is there, and the keys of the settings. */
async function withRecord<T>(place: Place, work: (db: Database, keys: KeySettings) => Promise<T>): Promise<T> {
  const { secretKey: given, previousSecretKeys: previous } = place
  if ((await schemaOf(place)).current === 0) throw new AppError('RECORD_MISSING', { place: whereIs(place) })
  const db = await openAlone(place)
  try {
    return await work(db, { path: secretKeyPath(place), given, previous })
  } finally {
    await db.close()
  }
}

const quietLogger = () => pino({ level: 'warn' }, pino.destination(2))

const stopAtOnce = (error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(EXIT.ioError)
}

async function refill(place: Place, onProgress: OnProgress, signal: AbortSignal) {
  const db = await openAlone(place)
  const logger = quietLogger()
  const embedders = await openEmbedders(place.embedding, { db, logger })
  const generations = await openGenerations(place, { db, logger, onFatal: stopAtOnce, embedders })
  try {
    const needs = { db, generations, embedders, logger, now: Date.now, random: Math.random }
    await reindexOffline(needs, { signal, onProgress })
    const { documents } = await generations.serving.stats()
    return { documents }
  } finally {
    await generations.close()
    await embedders.close()
    await db.close()
  }
}

async function schemaOf(place: Place): Promise<SchemaState> {
  const { databaseUrl: url } = place
  if (url === null) return inspectSqlite(databasePath(place))
  return (await import('./store/postgres-record.ts')).inspectPostgres(url)
}

/** What a disk of ours writes and reads back in a second, with a margin. */
const UPGRADE_BYTES_PER_SECOND = 50e6

async function inspectUpgrade(place: Place): Promise<Upgrade> {
  const { databaseUrl: url } = place
  const state = await schemaOf(place)
  const isChange = state.current !== 0 && state.current !== state.target
  return {
    version: version(),
    current: state.current,
    target: state.target,
    migrations: state.migrations,
    database: databaseOf(place),
    databaseBytes: state.bytes,
    freeBytes: url === null ? freeBytes(place.dataDir) : null,
    copy: isChange && url === null ? copyPath(databasePath(place), state.current) : null,
    estimatedSeconds: Math.ceil(state.bytes / UPGRADE_BYTES_PER_SECOND),
    rebuild: whyRebuilt(indexPath(place)),
  }
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}

export const databasePath = ({ dataDir }: Place) => join(dataDir, 'pharos.db')
export const secretKeyPath = ({ dataDir }: Place) => join(dataDir, 'secret-key')
export const blobsPath = ({ dataDir }: Place) => join(dataDir, 'blobs')
export const indexPath = ({ dataDir }: Place) => join(dataDir, 'index')

/** Until the process ends. */
export function lockOrThrow({ dataDir }: Place): void {
  const lock = lockFolder(dataDir, Date.now())
  if (lock.ok) return
  const { holder } = lock
  const who =
    holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}, since ${holder.since}`
  throw new AppError('DATA_IN_USE', { folder: dataDir, who })
}

export async function openDatabase(config: Place, logger: Logger, onFatal: (error: Error) => void): Promise<Database> {
  const { databaseUrl: url, failpoint } = config
  if (url === null) {
    const path = databasePath(config)
    const copy = upgradeSqlite(path, failpointOf(failpoint))
    if (copy !== null)
      logger.info({ copy }, 'the database is brought to a newer schema; a copy of it as it was is kept')
    return openSqlite({ path, failpoint, onFatal })
  }
  // Loaded only where it is used: most programs never open a connection to another one.
  const { openPostgres } = await import('./store/postgres.ts')
  return openPostgres({ url, failpoint, onFatal, logger })
}

/** A model that cannot be used is no reason not to start: then documents are found by their words. */
export async function openEmbedders(
  settings: EmbeddingSettings,
  { db, logger, onReady = () => {} }: { db: Database; logger: Logger; onReady?: () => void },
): Promise<Embedders> {
  const whyNoLocal = whyNoLocalModel(process)
  const openRemote = settings.kind === 'openai' ? await remoteModels(settings) : () => null
  const open = (model: VectorOptions): Embedder | null => {
    if (model.model !== localModel.model) return openRemote(model)
    return whyNoLocal === null ? openLocalEmbedder() : null
  }
  const configured = await configuredModel(settings, { db, whyNoLocal })
  if (configured.kind === 'missing' || configured.kind === 'silent') {
    const { reason } = configured
    logger.warn({ reason }, 'the embedding model cannot be used: documents are found without it')
  }
  return createEmbedders({ configured, open, logger, onReady })
}

/** Those of the server that the settings name: the model that they name, and former ones. */
async function remoteModels(
  settings: EmbeddingSettings & { kind: 'openai' },
): Promise<(model: VectorOptions) => Embedder | null> {
  // Loaded only where it is used.
  const { isToldApart, modelNamed, openOpenaiEmbedder } = await import('./inference/openai-embedder.ts')
  return ({ model, dimension }) => {
    const name = modelNamed(model)
    if (name === null) return null
    const embedder = openOpenaiEmbedder({ ...settings, model: name }, dimension)
    if (name === settings.model) return embedder
    return formerEmbedder(embedder, (signal) => isToldApart(settings, name, signal))
  }
}

const FIRST_ANSWER_MS = 5_000

async function configuredModel(
  settings: EmbeddingSettings,
  { db, whyNoLocal }: { db: Database; whyNoLocal: string | null },
): Promise<Configured> {
  if (settings.kind === 'openai') return openaiConfigured(settings, db)
  if (settings.kind === 'off') return { kind: 'off' }
  if (whyNoLocal === null) return { kind: 'ready', model: localModel }
  return { kind: 'missing', model: localModel, reason: whyNoLocal }
}

async function openaiConfigured(settings: EmbeddingSettings & { kind: 'openai' }, db: Database): Promise<Configured> {
  const { askDimension, openaiModel } = await import('./inference/openai-embedder.ts')
  const name = openaiModel(settings.model)
  // What it answered once tells its dimension, also while it does not answer.
  const kept = await anyVector(db, name)
  if (kept !== undefined) return { kind: 'ready', model: { model: name, dimension: dimensionOf(kept) } }
  const ask = (signal: AbortSignal) => askDimension(settings, signal)
  try {
    return { kind: 'ready', model: { model: name, dimension: await ask(AbortSignal.timeout(FIRST_ANSWER_MS)) } }
  } catch (error) {
    return { kind: 'silent', name, reason: error instanceof Error ? error.message : String(error), ask }
  }
}

export async function openGenerations(
  place: Place & { mergeBytesPerSecond?: number },
  {
    db,
    logger,
    onFatal,
    embedders,
  }: { db: Database; logger: Logger; onFatal: (error: Error) => void; embedders: Embedders },
): Promise<Generations> {
  const { failpoint, mergeBytesPerSecond } = place
  const { id, last } = await getRecord(db)
  const record = { id, last, renew: () => renewRecord(db, id, randomUUID()) }
  const common = {
    dir: indexPath(place),
    record,
    logger,
    onFatal,
    failpoint,
    passing: failpointOf(failpoint),
    wanted: wantedModel(embedders.configured()),
    onRetired: embedders.release,
  }
  return openEmbeddedGenerations(mergeBytesPerSecond === undefined ? common : { ...common, mergeBytesPerSecond })
}

/** The one way out: built once, so that nothing has another opinion of what may be called. */
export function egressOf(config: Config, db: Database, needs: { port: () => number; refusals: Refusals }): Egress {
  return openEgress({
    allow: config.egressAllow,
    proxy: config.egressProxy,
    ca: config.egressCa,
    own: () => [{ host: config.host, port: needs.port() }, ...(db.server ? [db.server] : [])],
    isApproved: config.egressApprovals === 'on' ? (host, port) => isApproved(db, host, port) : null,
    onRefused: needs.refusals.note,
  })
}

/** For tests: dies hard at the nth passing of the named step. */
export function failpointOf(setting: string | null): (name: string) => void {
  const [wanted, nth] = setting?.split(':') ?? []
  let passings = 0
  return (name) => {
    if (name === wanted && ++passings === Number(nth)) process.kill(process.pid, 'SIGKILL')
  }
}

export function version(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version
}
