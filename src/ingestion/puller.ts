// All that pulls, tied together: what runs by itself, and what a person may ask of it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connector } from '../connectors/connector.ts'
import { connectorOf, connectors } from '../connectors/load.ts'
import type { Logger } from '../domain/logger.ts'
import type { Egress } from '../egress/egress.ts'
import type { Extractor } from '../extract/extract.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'
import { type RunNeeds, runAttempt } from './attempt.ts'
import { type GateSettings, openHostGates } from './host-gates.ts'
import type { Indexer } from './indexer.ts'
import type { PullNeeds, PullSource } from './open-pull.ts'
import { checkSource, type Preview, previewSource } from './preview.ts'
import { runPrune } from './prune.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { runSourceAccess } from './source-access.ts'
import { openSourceFiles } from './source-files.ts'

export interface Puller extends Pick<Scheduler, 'wake' | 'cancel' | 'run'> {
  connectors: readonly Connector[]
  /** Undefined: nothing here pulls from that source. */
  connectorOf(source: string): Connector | undefined
  /** Asks the source whether this can work: INVALID_INPUT says why not. A warning where it cannot be known now. */
  check(source: PullSource, signal: AbortSignal): Promise<string | null>
  preview(source: PullSource, accessType: string, signal: AbortSignal): Promise<Preview>
}

interface Needs {
  db: Database
  blobs: Pick<Blobs, 'get'>
  egress: Egress
  extractor: Extractor
  indexer: Indexer
  checkDisk: () => void
  openCredential: RunNeeds['openCredential']
  logger: Logger
  now: () => number
  holder: string
  gates: GateSettings
  folders: readonly string[]
}

const RETRIES = 5
const FIRST_RETRY_MS = 1_000
const PLACES = 4
const LEASE_MS = 60_000
const SLICE_MS = 600_000
/** A request with all its tries takes half of it; what a host asks for comes on top. */
const SILENCE_MS = 900_000

export function createPuller({ db, blobs, egress, indexer, logger, now, holder, ...rest }: Needs): Puller {
  const pull: PullNeeds = {
    egress,
    gates: openHostGates(rest.gates, now),
    extractor: rest.extractor,
    files: openSourceFiles({ db, blobs, folders: rest.folders }),
    retries: RETRIES,
    firstRetryMs: FIRST_RETRY_MS,
    now,
  }
  const { checkDisk, openCredential } = rest
  const needs: RunNeeds = {
    db,
    indexer,
    checkDisk,
    pull,
    connectorOf,
    openCredential,
    logger,
    now,
    leaseMs: LEASE_MS,
    silenceMs: SILENCE_MS,
    sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
  }
  const scheduler = createScheduler({
    db,
    holder,
    runIndex: (turn) => runAttempt(needs, turn),
    runPrune: (turn) => runPrune(needs, turn),
    runAccess: (turn) => runSourceAccess(needs, turn),
    logger,
    now,
    places: PLACES,
    leaseMs: LEASE_MS,
    sliceMs: SLICE_MS,
  })
  return {
    connectors,
    connectorOf,
    check: (source, signal) => checkSource({ pull, now }, source, signal),
    preview: (source, accessType, signal) => previewSource({ pull, now }, source, accessType, signal),
    wake: scheduler.wake,
    cancel: scheduler.cancel,
    run: scheduler.run,
  }
}
