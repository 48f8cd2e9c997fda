// Connects the parts that pull: scheduled runs, and checks and previews on demand.
import { setTimeout as delay } from 'node:timers/promises'
import { type Connector, credentialOrigins } from '../../connectors/connector.ts'
import { connectorOf, connectors } from '../../connectors/load.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Meter } from '../../domain/meter.ts'
import type { Egress } from '../../egress/egress.ts'
import type { Extractor } from '../../extract/extract.ts'
import type { Database } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { bindUnboundCredentials } from '../../store/sources/credential-origins.ts'
import type { Indexer } from '../index/indexer.ts'
import type { ConnectorContextDeps, ConnectorSource } from '../source/connector-context.ts'
import { openSourceFiles } from '../source/files.ts'
import { createHostRateLimiter, type HostRateLimits } from '../source/host-rate-limiter.ts'
import { countFailingPairs } from './pair-listing.ts'
import { checkSource, type Preview, previewSource } from './preview.ts'
import { runAccessSync } from './run-access-sync.ts'
import { runAttempt } from './run-attempt.ts'
import { runPrune } from './run-prune.ts'
import type { ConnectorRunDeps } from './run-slot.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { type SourceTest, testSource } from './test-source.ts'

export interface ConnectorRunner extends Pick<Scheduler, 'wake' | 'cancel' | 'run'> {
  connectors: readonly Connector[]
  /** Undefined when no connector reads that source. */
  connectorOf(source: string): Connector | undefined
  /** Tests the configuration. Rejects with INVALID_INPUT; resolves with a warning when the result is uncertain. */
  check(source: ConnectorSource, signal: AbortSignal): Promise<string | null>
  test(source: ConnectorSource, signal: AbortSignal): Promise<SourceTest>
  preview(source: ConnectorSource, accessType: string, signal: AbortSignal): Promise<Preview>
  /** The number of failing connectors by source. */
  countFailing(): Promise<Record<string, number>>
  /** Binds credentials of an older release to their origins. To be called once at startup, before anything else. */
  bindCredentials(): Promise<void>
}

interface ConnectorRunnerDeps {
  db: Database
  blobs: Pick<Blobs, 'get'>
  egress: Egress
  extractor: Extractor
  keepScan: ConnectorContextDeps['keepScan']
  recordings: ConnectorContextDeps['recordings']
  wakeRecognition: () => void
  indexer: Indexer
  checkDisk: () => void
  openCredential: ConnectorRunDeps['openCredential']
  logger: Logger
  meter: Meter
  now: () => number
  holder: string
  hostLimits: HostRateLimits
  folders: readonly string[]
  /** A run, a prune or a permission sync has ended. */
  onRunEnded: () => void
}

const RETRIES = 5
const FIRST_RETRY_MS = 1_000
const RUN_SLOTS = 4
const LEASE_MS = 60_000
const TIME_SLICE_MS = 600_000
/** A request with all retries takes half of it. Waits that a host asks for do not count. */
const IDLE_TIMEOUT_MS = 900_000

export function createConnectorRunner({
  db,
  blobs,
  egress,
  indexer,
  logger,
  now,
  holder,
  ...rest
}: ConnectorRunnerDeps): ConnectorRunner {
  const contextDeps: ConnectorContextDeps = {
    egress,
    hostLimiter: createHostRateLimiter(rest.hostLimits, now),
    extractor: rest.extractor,
    keepScan: rest.keepScan,
    recordings: rest.recordings,
    files: openSourceFiles({ db, blobs, folders: rest.folders }),
    retries: RETRIES,
    firstRetryMs: FIRST_RETRY_MS,
    now,
  }
  const { checkDisk, openCredential, meter, onRunEnded, wakeRecognition } = rest
  const deps: ConnectorRunDeps = {
    db,
    indexer,
    wakeRecognition,
    checkDisk,
    contextDeps,
    connectorOf,
    openCredential,
    logger,
    meter,
    now,
    leaseMs: LEASE_MS,
    onRunEnded,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
  }
  const scheduler = createScheduler({
    db,
    holder,
    runIndex: (turn) => runAttempt(deps, turn),
    runPrune: (turn) => runPrune(deps, turn).finally(onRunEnded),
    runAccess: (turn) => runAccessSync(deps, turn).finally(onRunEnded),
    logger,
    now,
    slots: RUN_SLOTS,
    leaseMs: LEASE_MS,
    timeSliceMs: TIME_SLICE_MS,
  })
  return {
    connectors,
    connectorOf,
    check: (source, signal) => checkSource({ contextDeps, now }, source, signal),
    test: (source, signal) => testSource({ contextDeps, now }, source, signal),
    preview: (source, accessType, signal) => previewSource({ contextDeps, now }, source, accessType, signal),
    countFailing: () =>
      countFailingPairs(
        db,
        connectors.flatMap((it) => it.sources),
      ),
    async bindCredentials() {
      const count = await bindUnboundCredentials(db, ({ source, connector_specific_config: config }) =>
        credentialOrigins(connectorOf(source), JSON.parse(config)),
      )
      if (count > 0) logger.info({ count }, 'credentials bound to origins')
    },
    wake: scheduler.wake,
    cancel: scheduler.cancel,
    run: scheduler.run,
  }
}
