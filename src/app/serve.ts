// Runs the service until a signal stops it.
import { pino } from 'pino'
import { EXIT } from '../cli/exit-code.ts'
import { readConfig, type ServiceConfig } from '../config.ts'
import { collectWhenIdle } from '../flow/collect-when-idle.ts'
import { expireQueries } from '../identity/personal-data.ts'
import { purgeExpiredTrash } from '../ingestion/push/trash.ts'
import { stopOnSignal } from '../process/stop-on-signal.ts'
import { startWatchdog } from '../process/watchdog.ts'
import { createScanExpiry } from '../store/files/scan-files.ts'
import { expireRemovals } from '../store/identity/scim/removals.ts'
import { detectLanguage } from '../text/language.ts'
import { createServiceAddress, type ServiceAddress } from './address.ts'
import { createBackgroundWork } from './background-work.ts'
import { claimDataFolder } from './data-folder.ts'
import { exitWithError } from './exit-with-error.ts'
import { offerFirstAdminLink } from './first-admin-link.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createLifecycle, type Lifecycle, type ServicePart } from './lifecycle.ts'
import { openHttp } from './parts/http.ts'
import { openParts, type Parts } from './parts.ts'
import { createServices } from './services.ts'
import { startMessage } from './start-message.ts'

const WATCHDOG_TICKS = 30

export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env)
  const logger = pino({ level: config.logLevel })
  claimDataFolder(config, logger)
  let isUp = false
  const onFatal = (error: Error) => {
    if (!isUp) exitWithError(error, env)
    logger.fatal({ err: error }, 'data can no longer be written safely: stopping')
    process.exit(EXIT.ioError)
  }
  const address = createServiceAddress(config)
  const parts = await openParts(config, { logger, onFatal, address })
  const lifecycle = await connectParts(config, parts, address)
  await lifecycle.start()
  // Comes before the address is printed, because a reader of the address may send a signal at once.
  stopOnSignal(logger, lifecycle.close)
  // Loads the language tables now rather than during the first search.
  setImmediate(() => detectLanguage('Which language is this?'))
  const firstAdminLink = await offerFirstAdminLink(config, {
    links: parts.identity.accountLinks,
    url: address.url(),
    logger,
  })
  process.stdout.write(`${startMessage(config, address.url(), firstAdminLink)}\n`)
  isUp = true
  // `npm start` restarts the service after a failure only once it has been ready.
  process.send?.('ready')
  const onError = (err: Error) => logger.warn({ err }, 'watchdog not started')
  startWatchdog({ tickMs: config.watchdogTickMs, ticks: WATCHDOG_TICKS, onError })
  collectWhenIdle()
}

/** Closing runs from the last part to the first: no requests, then no background work, then no data access. */
async function connectParts(config: ServiceConfig, parts: Parts, address: ServiceAddress): Promise<Lifecycle> {
  const { db, record, metrics, connections, indexing, search, identity, outbound, sources, samples, chat } = parts
  const http = await openHttp(config, {
    services: createServices(config, parts),
    ...{ connections, address, chats: chat.chats },
  })
  return createLifecycle([
    {
      async close() {
        await record.note()
        await db.close()
      },
    },
    indexing,
    metrics,
    search,
    identity,
    outbound,
    sources,
    samples,
    backgroundWorkOf(parts),
    { start: () => db.onChange?.(() => indexing.indexer.wake(0)) },
    housekeepingOf(parts),
    http,
  ])
}

function backgroundWorkOf({
  db,
  storage,
  backups,
  webhooks,
  alerts,
  indexing,
  sources,
  samples,
  search,
  chat,
}: Parts): ServicePart {
  const { indexer, embedders, embedding, reindex, nearDuplicates } = indexing
  return createBackgroundWork([
    indexer.run,
    sources.pairDeletion.run,
    embedders.run,
    embedding.run,
    reindex.run,
    nearDuplicates.run,
    storage.disk.watch,
    storage.secretKeys.run,
    backups.kept.run,
    webhooks.run,
    alerts.run,
    sources.connectorRunner.run,
    chat.chats.runMaintenance,
    sources.injectionScan.run,
    sources.recognition.run,
    sources.transcripts.run,
    sources.captions.run,
    sources.sensitiveContent.run,
    search.clickCounter.run,
    ...samples.runs,
    (signal) => db.inspect?.(signal),
  ])
}

function housekeepingOf({ db, now, logger, record, storage, alerts, identity, indexing, chat }: Parts): ServicePart {
  const {
    keys,
    tokens,
    callTokens,
    scimTokens,
    sessions,
    headerSignIn,
    requestLimits,
    audit,
    accountLinks,
    passkeys,
    signIns,
  } = identity
  return createHousekeeping({ logger }, [
    record.note,
    keys.flushLastUsed,
    tokens.flushLastUsed,
    scimTokens.flushLastUsed,
    () => expireRemovals(db, now()),
    createScanExpiry({ db, now, blobs: storage.blobs }),
    () => purgeExpiredTrash({ db, indexer: indexing.indexer, now }),
    audit.expire,
    alerts.expire,
    () => expireQueries({ db, now }),
    chat.tools.expireFailedCalls,
    callTokens.expire,
    sessions.maintain,
    headerSignIn.maintain,
    requestLimits.load,
    accountLinks.expire,
    passkeys.expire,
    signIns.maintain,
  ])
}
