// The database for scale-out: a pool for reads and transactions, one connection for grouped writes, one that listens.
import { Kysely } from 'kysely'
import { Client, type ClientConfig, Pool } from 'pg'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Database, ItemResult } from '../database/database.ts'
import { createDiskFullTracker } from '../database/disk-full-tracker.ts'
import type { DatabaseTables } from '../database/tables.ts'
import type { CommitItem } from './commit-items.ts'
import {
  checkServerSettings,
  connectionConfig,
  serverAddress,
  toStoreUnfit,
  translatePostgresError,
} from './connection.ts'
import { type ChangeListener, listenForChanges } from './listen-for-changes.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { createPoolDialect } from './pool-dialect.ts'
import { openPostgresWriter } from './writer.ts'

export interface PostgresSettings {
  url: string
  failpoint: string | null
  /** The server's data is damaged, so nothing it returns can be trusted, and the process must end. */
  onFatal: (error: Error) => void
  logger: Logger
}

const MAX_CONNECTIONS = 10
const IDLE_CONNECTION_MS = 60_000

/** Rejects with STORE_UNFIT and the reason when the server cannot be reached or would lose what it has confirmed. */
export async function openPostgres({ url, failpoint, onFatal, logger }: PostgresSettings): Promise<Database> {
  const connection = connectionConfig(url)
  await migrateDatabase(connection, logger)
  const pool = new Pool({
    ...connection,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    onConnect: checkServerSettings,
  })
  pool.on('error', (error) => logger.warn({ err: error }, 'database connection lost'))
  const writer = openPostgresWriter({ connection, failpoint, onFatal })
  const listeners: ChangeListener[] = []
  const server = serverAddress(connection)
  const fullness = createDiskFullTracker()
  return Object.assign(new Kysely<DatabaseTables>({ dialect: createPoolDialect(pool) }), {
    ...(server && { server }),
    commit: (batch: readonly CommitItem[]) => fullness.track(writer.commit(batch)),
    async check() {
      const reading = pool.query('select 1').catch((error: unknown) => Promise.reject(translatePostgresError(error)))
      const [writing] = await Promise.all([writer.commit([[SELECT_READ_ONLY]]), reading])
      if (isReadOnly(writing[0])) throw new AppError('STORE_READ_ONLY')
      fullness.check()
    },
    waitingWrites: writer.waiting,
    onChange(listener: () => void) {
      listeners.push(listenForChanges({ connection, isOwn: writer.isOwn, logger }, listener))
    },
    async close() {
      for (const it of listeners) await it.close()
      await writer.close()
      await pool.end()
    },
  })
}

const SELECT_READ_ONLY = { sql: "select current_setting('transaction_read_only') as setting", parameters: [] }

const isReadOnly = (item: ItemResult | undefined): boolean => item?.ok === true && item.rows[0]?.[0]?.setting === 'on'

async function migrateDatabase(connection: ClientConfig, logger: Logger): Promise<void> {
  // A migration, or waiting for another program's migration, has no time limit.
  const client = new Client({ ...connection, query_timeout: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    await checkServerSettings(client)
    await migratePostgres(client, (migrations) =>
      logger.warn({ migrations }, 'database schema upgraded; the operator is responsible for backups'),
    )
  } catch (error) {
    throw toStoreUnfit(error)
  } finally {
    await client.end()
  }
}
