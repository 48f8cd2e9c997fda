// The driver of the query builder: reads and single statements on any connection, transactions one at a time.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { isConnectionLost, translatePostgresError } from './connection.ts'
import { postgresText } from './statement-text.ts'

/** An arbitrary number, equal for all programs that share a database. */
const TRANSACTION_LOCK = 7_402_002

export const createPoolDialect = (pool: Pool): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new PoolDriver(pool),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

/** It is a class because the query builder requires one. */
class PoolDriver implements Driver {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }
  async init() {}
  async acquireConnection() {
    try {
      return new PoolConnection(await this.#pool.connect())
    } catch (error) {
      throw translatePostgresError(error)
    }
  }
  /** Transactions of all processes run one at a time, so what one has read still holds when it writes. */
  async beginTransaction(connection: PoolConnection) {
    await connection.run('begin')
    await connection.run(`select pg_advisory_xact_lock(${TRANSACTION_LOCK})`)
  }
  async commitTransaction(connection: PoolConnection) {
    const { command } = await connection.run('commit')
    if (command === 'ROLLBACK') throw new Error('a statement of the transaction had failed, so nothing was committed')
  }
  async rollbackTransaction(connection: PoolConnection) {
    await connection.run('rollback')
  }
  async releaseConnection(connection: PoolConnection) {
    connection.release()
  }
  async destroy() {}
}

class PoolConnection implements DatabaseConnection {
  readonly #client: PoolClient
  #isLost = false

  constructor(client: PoolClient) {
    this.#client = client
    client.on('error', this.#onError)
  }

  #onError = () => {
    this.#isLost = true
  }

  async run(text: string, values: unknown[] = []) {
    try {
      return await this.#client.query(text, values)
    } catch (error) {
      this.#isLost ||= isConnectionLost(error)
      throw translatePostgresError(error)
    }
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.run(postgresText(sql), [...parameters])
    return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  }

  release(): void {
    this.#client.off('error', this.#onError)
    this.#client.release(this.#isLost)
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator; nothing here streams rows.
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('rows are not streamed: page by key instead')
  }
}
