// Chooses: configuration, implementations, services, server, or what one command works with. Nothing else chooses.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { readPanel } from './api/panel.ts'
import { routesOf } from './api/routes.ts'
import { createServer } from './api/server.ts'
import type { Services } from './api/services.ts'
import { createAnswer } from './chat/answer.ts'
import { openLanguageModels } from './chat/choose-model.ts'
import { openTalk, TALK_LIMITS } from './chat/talk.ts'
import { EXIT } from './cli/exit-code.ts'
import { overview, runCommand } from './cli/run.ts'
import { type Config, ConfigError, helpText, readConfig } from './config.ts'
import { AppError } from './domain/errors.ts'
import { MAX_UPLOAD_SIZE_MB } from './domain/settings.ts'
import type { Subject } from './domain/subject.ts'
import { collectRefusals } from './egress/collect-refusals.ts'
import { EgressError } from './egress/egress.ts'
import { createExtractor } from './extract/extract.ts'
import { readableAmong, readableBy } from './identity/access.ts'
import { openAuditLog } from './identity/audit.ts'
import { openKeys } from './identity/keys.ts'
import { expireQueries } from './identity/people.ts'
import { openSessions } from './identity/sessions.ts'
import { openTokens } from './identity/tokens.ts'
import { modelOpener } from './inference/open-model.ts'
import { createDeletions } from './ingestion/deletion.ts'
import { createEmbedding } from './ingestion/embedding.ts'
import { createIndexer } from './ingestion/indexer.ts'
import { embedderOf } from './ingestion/next-model.ts'
import { createPuller } from './ingestion/puller.ts'
import { measureQueue } from './ingestion/queue.ts'
import { watchRefill } from './ingestion/refill.ts'
import { createReindex } from './ingestion/reindex.ts'
import { estimateReindex } from './ingestion/reindex-estimate.ts'
import { createScreening } from './ingestion/screening.ts'
import { emptyTrash } from './ingestion/trash.ts'
import { createWebhooks } from './ingestion/webhooks.ts'
import { openMetrics } from './metrics/metrics.ts'
import {
  blobsPath,
  contextOf,
  egressOf,
  failpointOf,
  lockOrThrow,
  openDatabase,
  openEmbedders,
  openGenerations,
  secretKeyPath,
  version,
} from './offline.ts'
import { openQueryLog } from './relevance/query-log.ts'
import { replay } from './relevance/replay.ts'
import { report } from './relevance/report.ts'
import { readAround } from './retrieval/around.ts'
import { type RetrieveNeeds, retrieve } from './retrieval/retrieve.ts'
import { suggest } from './retrieval/suggest.ts'
import { why } from './retrieval/why.ts'
import { openBlobsFolder } from './store/blobs-folder.ts'
import { credentialsOfPairs } from './store/credentials.ts'
import { addRefusals } from './store/egress-refusals.ts'
import { watchFreeSpace } from './store/free-space.ts'
import { insertRecordedQueries } from './store/recorded-queries.ts'
import { openSecretKeys } from './store/secret-keys.ts'
import { finishUserFiles } from './store/user-files.ts'
import { detectLanguage } from './text/language.ts'
import { openTools } from './tools/load.ts'

const STOP_WITHIN_MS = 9_000
const STOP_COMMAND_WITHIN_MS = 5_000
const HOUSEKEEPING_MS = 60_000

async function main(): Promise<void> {
  const [first, ...rest] = process.argv.slice(2)
  const isHelp = first === '--help' || first === '-h' || (first === 'serve' && rest.length > 0)
  if (isHelp) return say(`${overview()}\n\n${helpText()}`)
  if (first === '--version') return say(`Pharos ${version()}`)
  // A "--" alone is `npm run pharos` without a command.
  if (first === '--') return command(rest)
  if (first !== undefined && first !== 'serve') return command([first, ...rest])
  const config = readConfig(process.env)
  lockOrThrow(config)
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
  const base = { db, logger, now }
  const refusals = collectRefusals({ write: (batch) => addRefusals(db, batch, now()), now, logger })
  let { port } = config
  const egress = egressOf(config, db, { port: () => port, refusals })
  const failpoint = failpointOf(config.failpoint)
  const secretKeys = await openSecretKeys({
    db,
    path: secretKeyPath(config),
    given: config.secretKey,
    previous: config.previousSecretKeys,
    logger,
    failpoint,
  })
  const blobs = await openBlobsFolder(blobsPath(config))
  await finishUserFiles({ db, blobs })
  const disk = await watchFreeSpace({ folder: config.dataDir, minFreeMb: config.minFreeDiskMb, logger })
  const onReady = () => {
    embedding.wake()
    reindex.wake()
  }
  const embedders = await openEmbedders(config.embedding, { db, logger, onReady })
  const generations = await openGenerations(config, { db, logger, onFatal, embedders })
  const searchIndex = generations.serving
  const refill = await watchRefill({ db, generations, logger, now, onWhole: () => reindex.wake() })
  const metrics = openMetrics({
    version: version(),
    standing: async () => ({
      queue: await measureQueue({ db, indexer, now }),
      index: await searchIndex.stats(),
      waitingWrites: db.waitingWrites(),
    }),
  })
  const kept = { ...base, secrets: secretKeys.box }
  const webhooks = createWebhooks({ ...kept, egress })
  const indexer = await createIndexer({
    ...base,
    searchIndex,
    meter: metrics,
    failpoint,
    onAdvance: refill.advance,
    building: () => generations.building()?.index ?? null,
    checkDisk: disk.check,
    onMarked: webhooks.wake,
    onIndexed: (documents) => embedding.indexed(documents),
  })
  const embedding = createEmbedding({
    ...base,
    generations,
    embedders,
    indexer,
    onIdle: () => reindex.wake(),
    meter: metrics,
    random: Math.random,
  })
  const estimate = (signal: AbortSignal) =>
    estimateReindex({ db, generations, embedders, clock: () => performance.now() }, signal)
  const reindex = createReindex({
    ...base,
    generations,
    indexer,
    failpoint,
    filling: refill.state,
    embedders,
    isEmbedded: embedding.isComplete,
    onChange: embedding.wake,
    onNewModel: async (signal) =>
      logger.info(await estimate(signal), 'the settings name another embedding model: an index is made for it'),
  })
  /** A search keeps to one index and the model of its vectors, also when another one takes over meanwhile. */
  const searching = <T>(work: (needs: Pick<RetrieveNeeds, 'searchIndex' | 'embedder'>) => Promise<T>): Promise<T> =>
    generations.lease(({ index, vectors }) => work({ searchIndex: index, embedder: embedderOf(embedders, vectors) }))
  const find: Services['retrieve'] = async (subject, search) => {
    const started = performance.now()
    const access = await readableBy(db, subject)
    const results = await searching((needs) => retrieve({ ...base, ...needs }, { ...search, subject, access }))
    metrics.searched({ results: results.total, seconds: (performance.now() - started) / 1_000 })
    return results
  }
  const deletions = createDeletions({ ...base, indexer })
  const screening = createScreening({ db, logger })
  const queryLog = openQueryLog({ write: (queries) => insertRecordedQueries(db, queries), logger })
  const extractor = createExtractor()
  const puller = createPuller({
    ...kept,
    blobs,
    egress,
    extractor,
    indexer,
    checkDisk: disk.check,
    openCredential: async (id) => (await credentialsOfPairs(kept, [id])).get(id)?.credential_json ?? {},
    holder: randomUUID(),
    gates: { parallel: config.connectorParallel, perSecond: config.connectorPerSecond },
    folders: config.connectorFolders,
  })
  const tools = openTools({
    ...kept,
    ...{ blobs, egress, extractor },
    publicUrl: () => config.publicUrl ?? urlOf(config, port),
    retrieve: find,
    readAround: (places, reach) => searching((needs) => readAround(needs, places, reach)),
  })
  const audit = openAuditLog(base)
  const keys = openKeys({ db, adminApiKey: config.adminApiKey, now })
  const tokens = openTokens({ db, adminApiKey: config.adminApiKey, now })
  const sessions = openSessions({ db, keys, tokens, now })
  const languageModels = openLanguageModels({
    ...kept,
    environment: config.languageModel,
    open: modelOpener({ egress }),
  })
  const readable = (subject: Subject, ids: readonly string[]) => readableAmong(db, subject, ids)
  const talk = await openTalk({
    ...kept,
    ...{ readable, randomId: randomUUID, toolsFor: tools.toolsFor, readFile: tools.readUserFile },
    answer: createAnswer({ ...base, readable, meter: metrics, clock: () => performance.now(), randomId: randomUUID }),
    pick: languageModels.pick,
    limits: TALK_LIMITS,
    isAlone: db.onChange === undefined,
  })
  const services: Services = {
    ...base,
    blobs,
    secrets: secretKeys.box,
    secretKeys,
    egress,
    approvals: config.egressApprovals,
    refusals,
    indexer,
    refill,
    reindex,
    estimateReindex: estimate,
    embedding,
    disk,
    deletions,
    puller,
    audit,
    webhooks,
    keys,
    tokens,
    sessions,
    retrieve: find,
    tools,
    languageModels,
    talk,
    queryLog,
    replay: (subject, request, signal) => {
      const people = { findSubject: keys.find, readableBy: (asker: Subject) => readableBy(db, asker) }
      return searching((needs) => replay({ ...base, ...needs, queryLog, ...people }, subject, request, signal))
    },
    report: (request, signal) => report({ db, now, queryLog }, request, signal),
    why: async (subject, question) => {
      const access = await readableBy(db, subject)
      return searching((needs) => why({ ...base, ...needs }, { ...question, subject, access, limit: 10 }))
    },
    suggest: async (subject, query) =>
      suggest({ db, searchIndex, now }, { query, subject, access: await readableBy(db, subject) }),
    meter: metrics,
    metrics,
  }
  const app = await createServer(services, routesOf(config), {
    bodyLimitBytes: 32 << 20,
    uploadLimitBytes: MAX_UPLOAD_SIZE_MB << 20,
    spoolDir: join(config.dataDir, 'spool'),
    panel: readPanel(join(import.meta.dirname, '../web/dist')),
  })
  const background = new AbortController()
  const { signal } = background
  const working = Promise.all([
    indexer.run(signal),
    deletions.run(signal),
    embedders.run(signal),
    embedding.run(signal),
    reindex.run(signal),
    disk.watch(signal),
    secretKeys.run(signal),
    webhooks.run(signal),
    puller.run(signal),
    talk.run(signal),
    screening.run(signal),
  ])
  db.onChange?.(() => indexer.wake(0))
  const housekeeping = setInterval(() => {
    Promise.all([
      keys.flushLastUsed(),
      tokens.flushLastUsed(),
      emptyTrash({ db, indexer, now }),
      audit.expire(),
      expireQueries({ db, now }),
      tools.expire(),
      sessions.keep(),
    ]).catch((error: unknown) => logger.error({ err: error }, 'housekeeping failed'))
  }, HOUSEKEEPING_MS)
  await app.listen({ host: config.host, port: config.port })
  // The first search should not be the one that loads the language tables.
  setImmediate(() => detectLanguage('Which language is this?'))
  port = (app.server.address() as AddressInfo).port
  greet(config, port)
  onStop(logger, async () => {
    // What is being answered would keep the server from ending.
    await talk.close()
    await app.close()
    clearInterval(housekeeping)
    background.abort()
    await working
    await extractor.close()
    await egress.close()
    await refusals.flush()
    await keys.flushLastUsed()
    await tokens.flushLastUsed()
    await sessions.keep()
    await queryLog.flush()
    metrics.close()
    await generations.close()
    await embedders.close()
    await db.close()
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

const urlOf = ({ host }: Config, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

function greet(config: Config, port: number): void {
  const url = urlOf(config, port)
  const lines = [`Pharos listens at ${url}   (reference: ${url}/docs)`]
  if (config.isNewAdminApiKey) {
    lines.push(
      `Administrator key, shown this once and kept in ${join(config.dataDir, 'admin-api-key')}:`,
      config.adminApiKey,
    )
  }
  say(lines.join('\n'))
}

async function command(args: readonly string[]): Promise<void> {
  const stop = new AbortController()
  const end = () => {
    stop.abort()
    setTimeout(() => process.exit(EXIT.interrupted), STOP_COMMAND_WITHIN_MS).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
  process.on('disconnect', end)
  process.channel?.unref()
  // Whoever reads the result has seen enough of it.
  process.stdout.on('error', () => process.exit(0))
  process.exitCode = await runCommand(contextOf(process.env, stop.signal), args)
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function fail(code: number, message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = code
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) return fail(EXIT.config, error.message)
  // A database or a setting that cannot be used: the sentence says what to do, a stack would not.
  if (error instanceof EgressError) fail(EXIT.config, error.message)
  else if (error instanceof AppError) fail(error.code === 'DATA_IN_USE' ? EXIT.tryAgain : EXIT.config, error.message)
  else fail(EXIT.software, error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exit()
})
