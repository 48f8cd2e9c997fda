// Chooses: configuration, implementations, services, server. Nothing else chooses.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { routesOf } from './api/routes.ts'
import { createServer } from './api/server.ts'
import type { Services } from './api/services.ts'
import { type Config, ConfigError, helpText, readConfig } from './config.ts'
import { AppError } from './domain/errors.ts'
import type { Logger } from './domain/logger.ts'
import { MAX_UPLOAD_SIZE_MB } from './domain/settings.ts'
import { collectRefusals, type Refusals } from './egress/collect-refusals.ts'
import { type Egress, EgressError, openEgress } from './egress/egress.ts'
import { readableBy } from './identity/access.ts'
import { openAuditLog } from './identity/audit.ts'
import { openKeys } from './identity/keys.ts'
import { openTokens } from './identity/tokens.ts'
import { createDeletions } from './ingestion/deletion.ts'
import { createIndexer } from './ingestion/indexer.ts'
import { measureQueue } from './ingestion/queue.ts'
import { watchRefill } from './ingestion/refill.ts'
import { createReindex } from './ingestion/reindex.ts'
import { emptyTrash } from './ingestion/trash.ts'
import { createWebhooks } from './ingestion/webhooks.ts'
import { openMetrics } from './metrics/metrics.ts'
import { retrieve } from './retrieval/retrieve.ts'
import { openEmbeddedGenerations } from './search-index/embedded-generations.ts'
import type { Generations } from './search-index/generations.ts'
import { openBlobsFolder } from './store/blobs-folder.ts'
import type { Database } from './store/database.ts'
import { isApproved } from './store/egress-approvals.ts'
import { addRefusals } from './store/egress-refusals.ts'
import { watchFreeSpace } from './store/free-space.ts'
import { lockFolder } from './store/lock.ts'
import { getRecord, renewRecord } from './store/record.ts'
import { openSecretKeys } from './store/secret-keys.ts'
import { openSqlite } from './store/sqlite.ts'
import { finishUserFiles } from './store/user-files.ts'
import { detectLanguage } from './text/language.ts'

/** Exit codes, after sysexits.h. */
const EXIT = { usage: 64, software: 70, ioError: 74, locked: 75, config: 78 } as const
const STOP_WITHIN_MS = 9_000
const HOUSEKEEPING_MS = 60_000

async function main(): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument === '--help' || argument === '-h') return say(helpText())
  if (argument === '--version') return say(`Pharos ${version()}`)
  if (argument !== undefined) return fail(EXIT.usage, `Unknown argument ${argument}.\n\n${helpText()}`)
  const config = readConfig(process.env)
  const lock = lockFolder(config.dataDir, Date.now())
  if (!lock.ok) return fail(EXIT.locked, lockedMessage(config, lock.holder))
  await serve(config)
}

async function serve(config: Config): Promise<void> {
  const logger = pino({ level: config.logLevel })
  const onFatal = (error: Error) => {
    logger.fatal({ err: error }, 'the data can no longer be trusted to be written: stopping')
    process.exit(EXIT.ioError)
  }
  const now = Date.now
  const db = await openDatabase(config, logger, onFatal)
  const refusals = collectRefusals({ write: (batch) => addRefusals(db, batch, now()), now, logger })
  let { port } = config
  const egress = egressOf(config, db, { port: () => port, refusals })
  const failpoint = failpointOf(config.failpoint)
  const secretKeys = await openSecretKeys({
    db,
    path: join(config.dataDir, 'secret-key'),
    given: config.secretKey,
    previous: config.previousSecretKeys,
    logger,
    failpoint,
  })
  const blobs = await openBlobsFolder(join(config.dataDir, 'blobs'))
  await finishUserFiles({ db, blobs })
  const disk = await watchFreeSpace({ folder: config.dataDir, minFreeMb: config.minFreeDiskMb, logger })
  const generations = await openGenerations(config, db, logger, onFatal)
  const searchIndex = generations.serving
  const refill = await watchRefill({ db, generations, logger, now })
  const metrics = openMetrics({
    version: version(),
    standing: async () => ({
      queue: await measureQueue({ db, indexer, now }),
      index: await searchIndex.stats(),
      waitingWrites: db.waitingWrites(),
    }),
  })
  const webhooks = createWebhooks({ db, secrets: secretKeys.box, egress, logger, now })
  const indexer = await createIndexer({
    db,
    searchIndex,
    logger,
    meter: metrics,
    now,
    failpoint,
    onAdvance: refill.advance,
    building: () => generations.building()?.index ?? null,
    checkDisk: disk.check,
    onMarked: webhooks.wake,
  })
  const reindex = createReindex({ db, generations, indexer, logger, now, failpoint, filling: refill.state })
  const deletions = createDeletions({ db, indexer, logger, now })
  const audit = openAuditLog({ db, logger, now })
  const keys = openKeys({ db, adminApiKey: config.adminApiKey, now })
  const tokens = openTokens({ db, adminApiKey: config.adminApiKey, now })
  const services: Services = {
    db,
    blobs,
    secrets: secretKeys.box,
    secretKeys,
    egress,
    approvals: config.egressApprovals,
    refusals,
    indexer,
    refill,
    reindex,
    disk,
    deletions,
    audit,
    webhooks,
    keys,
    tokens,
    retrieve: async (subject, search) => {
      const started = performance.now()
      const results = await retrieve({ db, searchIndex }, { ...search, access: await readableBy(db, subject) })
      metrics.searched({ results: results.total, seconds: (performance.now() - started) / 1_000 })
      return results
    },
    logger,
    meter: metrics,
    metrics,
    now,
  }
  const app = await createServer(services, routesOf(config), {
    bodyLimitBytes: 32 << 20,
    uploadLimitBytes: MAX_UPLOAD_SIZE_MB << 20,
    spoolDir: join(config.dataDir, 'spool'),
  })
  const background = new AbortController()
  const { signal } = background
  const working = Promise.all([
    indexer.run(signal),
    deletions.run(signal),
    reindex.run(signal),
    disk.watch(signal),
    secretKeys.run(signal),
    webhooks.run(signal),
  ])
  db.onChange?.(() => indexer.wake(0))
  const housekeeping = setInterval(() => {
    Promise.all([keys.flushLastUsed(), tokens.flushLastUsed(), emptyTrash({ db, indexer, now }), audit.expire()]).catch(
      (error: unknown) => logger.error({ err: error }, 'housekeeping failed'),
    )
  }, HOUSEKEEPING_MS)
  await app.listen({ host: config.host, port: config.port })
  // The first search should not be the one that loads the language tables.
  setImmediate(() => detectLanguage('Which language is this?'))
  port = (app.server.address() as AddressInfo).port
  greet(config, port)
  onStop(logger, async () => {
    await app.close()
    clearInterval(housekeeping)
    background.abort()
    await working
    await egress.close()
    await refusals.flush()
    await keys.flushLastUsed()
    await tokens.flushLastUsed()
    metrics.close()
    await generations.close()
    await db.close()
  })
}

async function openDatabase(config: Config, logger: Logger, onFatal: (error: Error) => void): Promise<Database> {
  const { databaseUrl: url, failpoint } = config
  if (url === null) return openSqlite({ path: join(config.dataDir, 'pharos.db'), failpoint, onFatal })
  // Loaded only where it is used: most programs never open a connection to another one.
  const { openPostgres } = await import('./store/postgres.ts')
  return openPostgres({ url, failpoint, onFatal, logger })
}

async function openGenerations(
  { dataDir, failpoint, mergeBytesPerSecond }: Config,
  db: Database,
  logger: Logger,
  onFatal: (error: Error) => void,
): Promise<Generations> {
  const { id, last } = await getRecord(db)
  const record = { id, last, renew: () => renewRecord(db, id, randomUUID()) }
  const dir = join(dataDir, 'index')
  const passing = failpointOf(failpoint)
  return openEmbeddedGenerations({ dir, record, logger, onFatal, failpoint, passing, mergeBytesPerSecond })
}

/** The one way out: built once, so that nothing has another opinion of what may be called. */
function egressOf(config: Config, db: Database, needs: { port: () => number; refusals: Refusals }): Egress {
  return openEgress({
    allow: config.egressAllow,
    proxy: config.egressProxy,
    ca: config.egressCa,
    own: () => [{ host: config.host, port: needs.port() }, ...(db.server ? [db.server] : [])],
    isApproved: config.egressApprovals === 'on' ? (host, port) => isApproved(db, host, port) : null,
    onRefused: needs.refusals.note,
  })
}

/** The same signal may come twice (npm forwards it too), and the starter's end counts as one. */
function onStop(logger: pino.Logger, stop: () => Promise<void>): void {
  let isStopping = false
  const end = (why: string) => {
    if (isStopping) return
    isStopping = true
    logger.info({ why }, 'stopping')
    setTimeout(() => process.exit(EXIT.software), STOP_WITHIN_MS).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed')
        process.exit(EXIT.software)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(signal))
  process.on('disconnect', () => end('the starter ended'))
}

function greet(config: Config, port: number): void {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const lines = [`Pharos listens at http://${host}:${port}   (reference: http://${host}:${port}/docs)`]
  if (config.isNewAdminApiKey) {
    lines.push(
      `Administrator key, shown this once and kept in ${join(config.dataDir, 'admin-api-key')}:`,
      config.adminApiKey,
    )
  }
  say(lines.join('\n'))
}

/** For tests: dies hard at the nth passing of the named step. */
function failpointOf(setting: string | null): (name: string) => void {
  const [wanted, nth] = setting?.split(':') ?? []
  let passings = 0
  return (name) => {
    if (name === wanted && ++passings === Number(nth)) process.kill(process.pid, 'SIGKILL')
  }
}

function lockedMessage(config: Config, holder: { pid: number; host: string; since: string } | undefined): string {
  const who =
    holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}, since ${holder.since}`
  return `${config.dataDir} is in use by ${who}. Stop that one, or give this one another DATA_DIR.`
}

function version(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function fail(code: number, message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = code
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) return fail(EXIT.config, error.message)
  // A database or a setting that cannot be used: the sentence says what to do, a stack would not.
  if (error instanceof AppError || error instanceof EgressError) fail(EXIT.config, error.message)
  else fail(EXIT.software, error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exit()
})
