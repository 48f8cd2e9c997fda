// The scale-out database: a pool for reads and transactions, one connection that writes in groups, one that listens.
import { Kysely } from 'kysely'
import { Client, type ClientConfig, Pool } from 'pg'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import type { Database } from './database.ts'
import { type ChangeListener, listenForChanges } from './postgres-changes.ts'
import { checkServer, connectionOf, serverOf, unfit } from './postgres-connect.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { poolDialect } from './postgres-pool.ts'
import { openWriter } from './postgres-writer.ts'
import type { Tables } from './tables.ts'

export interface PostgresSettings {
  url: string
  failpoint: string | null
  /** The server's data is damaged: nothing that it says can be trusted, and the process must end. */
  onFatal: (error: Error) => void
  logger: Logger
}

const MAX_CONNECTIONS = 10
const IDLE_MS = 60_000

/** Rejects with STORE_UNFIT, which says why, when the server cannot be reached or would lose what it has confirmed. */
export async function openPostgres({ url, failpoint, onFatal, logger }: PostgresSettings): Promise<Database> {
  const connection = connectionOf(url)
  await prepare(connection, logger)
  const pool = new Pool({ ...connection, max: MAX_CONNECTIONS, idleTimeoutMillis: IDLE_MS, onConnect: checkServer })
  pool.on('error', (error) => logger.warn({ err: error }, 'a connection to the database was lost'))
  const writer = openWriter({ connection, failpoint, onFatal })
  const listeners: ChangeListener[] = []
  const server = serverOf(connection)
  return Object.assign(new Kysely<Tables>({ dialect: poolDialect(pool) }), {
    ...(server && { server }),
    commit: writer.commit,
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

async function prepare(connection: ClientConfig, logger: Logger): Promise<void> {
  // A migration takes as long as it takes, and so does waiting for somebody else's.
  const client = new Client({ ...connection, query_timeout: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    await checkServer(client)
    await migratePostgres(client, (from, to) =>
      logger.warn({ from, to }, "the database is brought to a newer schema; a backup of it is the operator's to make"),
    )
  } catch (error) {
    throw error instanceof AppError ? error : unfit(reasonOf(error), error)
  } finally {
    await client.end()
  }
}

/** Several addresses fail as a bundle without words of its own. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
