// Fixture for connector runs in this process: a database, a fake connector and a manual clock.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Connector, ConnectorItem } from '../../src/connectors/connector.ts'
import type { AccessType } from '../../src/domain/connector.ts'
import { noopMeter } from '../../src/domain/meter.ts'
import { OPERATOR } from '../../src/identity/keys/key-subject.ts'
import type { ConnectorRunDeps } from '../../src/ingestion/pull/run-slot.ts'
import type { Database } from '../../src/store/database/database.ts'
import { insertCcPair } from '../../src/store/sources/cc-pairs.ts'
import { insertConnector } from '../../src/store/sources/connectors.ts'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'
import { databaseOf } from '../record.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export const SILENCE_MS = 900_000

/** A fake connector with overrides. By default it reads and lists nothing and needs no credential. */
export const fakeConnector = (more: Partial<Connector> = {}): Connector =>
  ({
    sources: ['fake'],
    label: 'Fake',
    description: 'Does what the test says.',
    config: z.unknown(),
    credential: null,
    isCredentialOptional: true,
    hasAccess: true,
    check: async () => {},
    load: async function* (): AsyncGenerator<ConnectorItem, void> {},
    listIds: async function* (): AsyncGenerator<string, void> {},
    ...more,
  }) as Connector // A test that overrides the credential also overrides its origins.

export interface RunFixture {
  db: Database
  needs: ConnectorRunDeps
  clock: { time: number }
  /** Sets the connector of the next run. */
  play(connector: Partial<Connector>): void
  /** Creates a pair that is read on a schedule. */
  makePair(more?: {
    access_type?: AccessType
    groups?: readonly string[]
    refresh_freq?: number | null
    prune_freq?: number | null
  }): Promise<number>
}

/** Closed when the test file ends. */
export async function openRunFixture(): Promise<RunFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-runs-'))
  const db = await openRecord(folder)
  after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })
  const clock = { time: 1_700_000_000_000 }
  const now = () => clock.time
  const unreachable = () => assert.fail('this test must not call the network')
  let connector = fakeConnector()
  let made = 0
  const needs: ConnectorRunDeps = {
    db,
    indexer: { wake() {}, checkRoom() {} },
    wakeRecognition() {},
    checkDisk() {},
    contextDeps: {
      egress: { fetch: unreachable, connect: unreachable },
      hostLimiter: { run: unreachable, pauseUntil: unreachable, pausedUntil: unreachable },
      files: { uploads: unreachable, folder: unreachable, read: unreachable },
      keepScan: null,
      recordings: null,
      extractor: { extract: unreachable },
      retries: 0,
      firstRetryMs: 1,
      now,
    },
    connectorOf: () => connector,
    openCredential: async () => ({ credential_json: {}, allowed_origins: [] }),
    logger: quiet,
    meter: noopMeter,
    now,
    leaseMs: 60_000,
    onRunEnded() {},
    idleTimeoutMs: SILENCE_MS,
    sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
  }
  return {
    db,
    needs,
    clock,
    play(more) {
      connector = fakeConnector(more)
    },
    async makePair({ access_type = 'public', groups = [], refresh_freq = null, prune_freq = null } = {}) {
      made += 1
      const times = { refresh_freq, prune_freq, indexing_start: null, groups: null }
      const body = { name: `Fake ${made}`, source: 'fake', input_type: 'poll' as const, access_type, ...times }
      const connector_id = await insertConnector(db, OPERATOR, { ...body, connector_specific_config: {} }, now())
      const pair = { connector_id, credential_id: 0, name: body.name, access_type, groups, status: 'SCHEDULED' }
      return (await insertCcPair(db, OPERATOR, { ...pair, isPulled: true }, now())).id
    },
  }
}

/** Opens SQLite, or PostgreSQL under `test:servers`. */
async function openRecord(folder: string): Promise<Database> {
  const { DATABASE_URL: url } = await databaseOf(folder)
  if (url === undefined) return openSqlite({ path: join(folder, 'record.db'), failpoint: null, onFatal: assert.fail })
  const { open } = await import('../servers/open-postgres.ts')
  return open(url)
}

export const page = (id: string, text = `text of ${id}`): ConnectorItem => ({
  type: 'document',
  document: { id, semantic_identifier: id, sections: [{ text }] },
})
export const checkpoint = (it: unknown): ConnectorItem => ({ type: 'checkpoint', checkpoint: it })
