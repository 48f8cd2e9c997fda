// The embedded database: reads on a separate connection, writes through the writer thread.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import type { Database, ItemResult, SqlRow, SqlStatement } from '../database/database.ts'
import { createDiskFullTracker } from '../database/disk-full-tracker.ts'
import type { DatabaseTables } from '../database/tables.ts'
import { checkFileIntegrity } from './check-file-integrity.ts'
import { createDamageTracker, type DamageTracker, isDamageCode, recordDamaged } from './damage-tracker.ts'
import { resultCode } from './error-codes.ts'
import { migrateSqlite } from './migrate-sqlite.ts'
import { allRows, valuesOf } from './select-rows.ts'
import type {
  ItemReply,
  NumberedStatement,
  StatementResult,
  WriterData,
  WriterError,
  WriterMessage,
  WriterReply,
  WriterRequest,
} from './writer-thread.ts'

export interface SqliteSettings {
  path: string
  failpoint: string | null
  /** A write failed on the disk. It is not acknowledged, and the process must end. */
  onFatal: (error: Error) => void
  logger?: Logger
}

const SQLITE_FULL = 13
/** Busy, locked, out of memory, read-only, cannot open (out of descriptors): none is the caller's fault. */
const TRANSIENT_CODES = new Set([5, 6, 7, 8, 14])
const MAX_STATEMENTS = 500
/** Larger batches are sent at once: the writer can start while the rest of the turn is still being read. */
const MAX_OUTBOX = 16

export async function openSqlite(settings: SqliteSettings): Promise<Database> {
  migrateSqlite(settings.path)
  const { path, logger } = settings
  const damage = createDamageTracker(logger)
  const writer = startSqliteWriter(settings, damage)
  const reader = openSqliteReader(path, damage)
  const driver = new ThreadDriver(writer, reader)
  const kysely = new Kysely<DatabaseTables>({
    dialect: {
      createAdapter: () => new MultiConnectionAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const commit = async (batch: readonly (readonly SqlStatement[])[]) =>
    toItemResults(await writer.ask({ type: 'batch', items: batch.map((item) => item.map(writer.numbered)) }))
  const fullness = createDiskFullTracker()
  return Object.assign(kysely, {
    commit: (batch: readonly (readonly SqlStatement[])[]) => fullness.track(commit(batch)),
    check: async () => {
      reader.all(SELECT_ONE)
      const [writing] = await commit([[SELECT_ONE]])
      if (writing?.ok === false) throw writing.error
      damage.check()
      fullness.check()
    },
    keepCount: async (path: string) => void (await writer.ask({ type: 'keep-count', path })),
    damage: damage.found,
    async inspect(signal: AbortSignal) {
      const found = await checkFileIntegrity(path, signal)
      if (found.state === 'damaged') damage.note(found.reason)
      if (found.state === 'failed') logger?.warn(found, 'database integrity check failed')
      if (found.state === 'sound') logger?.debug(found, 'database integrity check passed')
    },
    waitingWrites: () => writer.waiting(),
    close: async () => {
      // The last connection to close checkpoints the log; a read-only one cannot.
      reader.close()
      await writer.close()
    },
  })
}

const SELECT_ONE = { sql: 'select 1', parameters: [] }

function toItemResults(reply: WriterReply): ItemResult[] {
  if (!('items' in reply)) throw new Error('the writer answered a batch with another message')
  return reply.items.map((item) =>
    'refusal' in item
      ? { ok: false, error: translateSqliteError(item.refusal) }
      : { ok: true, rows: item.outcomes.map((outcome) => outcome.rows) },
  )
}

function translateSqliteError({ message, errcode }: WriterError): Error {
  const plain = Object.assign(new Error(message), { errcode })
  if (isDamageCode(errcode)) return recordDamaged(message, plain)
  if ((errcode & 0xff) === SQLITE_FULL) return new AppError('STORE_FULL', {}, { cause: plain })
  return TRANSIENT_CODES.has(errcode & 0xff) ? new AppError('STORE_UNAVAILABLE', {}, { cause: plain }) : plain
}

type UnnumberedRequest = WriterRequest extends infer R ? (R extends WriterRequest ? Omit<R, 'id'> : never) : never

interface SqliteWriter {
  numbered(statement: SqlStatement): NumberedStatement
  ask(request: UnnumberedRequest): Promise<WriterReply>
  waiting(): number
  close(): Promise<void>
}

/**
 * Sends the requests of one turn of the event loop as one text message. That costs half as much as a message of
 * objects, which was the largest part of accepting a document.
 */
function startSqliteWriter({ path, failpoint, onFatal }: SqliteSettings, damage: DamageTracker): SqliteWriter {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: { path, failpoint } satisfies WriterData,
  })
  const pending = new Map<number, { resolve: (reply: WriterReply) => void; reject: (error: Error) => void }>()
  let outbox: WriterRequest[] = []
  let lastId = 0
  let isClosing = false
  worker.on('error', onFatal)
  // Nobody would get an answer any more.
  worker.on('exit', () => {
    if (!isClosing) onFatal(new Error('the writer thread of the database ended'))
  })
  worker.on('message', (text: string) => {
    const message: WriterMessage = JSON.parse(text)
    if ('fatal' in message) return onFatal(translateSqliteError(message.fatal))
    if (message.damage !== null) damage.note(message.damage)
    for (const reply of message.replies) {
      const waiter = pending.get(reply.id)
      if (waiter === undefined) return onFatal(new Error('the writer thread answered a request that nobody made'))
      pending.delete(reply.id)
      if ('refusal' in reply) waiter.reject(translateSqliteError(reply.refusal))
      else waiter.resolve(reply)
    }
  })
  const send = () => {
    if (outbox.length === 0) return
    worker.postMessage(JSON.stringify(outbox))
    outbox = []
  }
  const ask = (request: UnnumberedRequest) =>
    new Promise<WriterReply>((resolve, reject) => {
      const id = ++lastId
      pending.set(id, { resolve, reject })
      const waiting = outbox.push({ ...request, id })
      if (waiting === 1) setImmediate(send)
      if (waiting === MAX_OUTBOX) send()
    })
  return {
    numbered: createStatementNumbering(),
    ask,
    waiting: () => pending.size,
    close: async () => {
      await ask({ type: 'close' })
      isClosing = true
      await worker.terminate()
    },
  }
}

/** The writer receives each text once. Statements with unique texts (value lists) are not kept. */
function createStatementNumbering(): (statement: SqlStatement) => NumberedStatement {
  const numbers = new Map<string, number>()
  return ({ sql, parameters }) => {
    const known = numbers.get(sql)
    if (known !== undefined) return { number: known, sql: null, parameters }
    if (numbers.size >= MAX_STATEMENTS) return { number: 0, sql, parameters }
    const number = numbers.size + 1
    numbers.set(sql, number)
    return { number, sql, parameters }
  }
}

interface SqliteReader {
  all(statement: SqlStatement): SqlRow[]
  close(): void
}

function openSqliteReader(path: string, damage: DamageTracker): SqliteReader {
  const db = new DatabaseSync(path, { readOnly: true })
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA cache_size = -8192')
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    all(statement) {
      try {
        return allRows(prepare(statement.sql), valuesOf(statement))
      } catch (error) {
        const errcode = resultCode(error)
        if (errcode === undefined) throw error
        const message = errorMessage(error)
        if (isDamageCode(errcode)) damage.note(message)
        throw translateSqliteError({ message, errcode })
      }
    },
    close: () => db.close(),
  }
}

/** Reads have a connection of their own and need not wait for a transaction. */
class MultiConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** It is a class because the query builder requires one. It hands out connections and tracks open transactions. */
class ThreadDriver implements Driver {
  readonly #writer: SqliteWriter
  readonly #reader: SqliteReader

  constructor(writer: SqliteWriter, reader: SqliteReader) {
    this.#writer = writer
    this.#reader = reader
  }
  async init() {}
  async acquireConnection() {
    return new ThreadConnection(this.#writer, this.#reader)
  }
  async beginTransaction(connection: ThreadConnection) {
    await this.#writer.ask({ type: 'begin' })
    connection.isInTransaction = true
  }
  async commitTransaction(connection: ThreadConnection) {
    connection.isInTransaction = false
    await this.#writer.ask({ type: 'end', how: 'COMMIT' })
  }
  async rollbackTransaction(connection: ThreadConnection) {
    connection.isInTransaction = false
    await this.#writer.ask({ type: 'end', how: 'ROLLBACK' })
  }
  async releaseConnection() {}
  async destroy() {}
}

class ThreadConnection implements DatabaseConnection {
  isInTransaction = false
  readonly #writer: SqliteWriter
  readonly #reader: SqliteReader

  constructor(writer: SqliteWriter, reader: SqliteReader) {
    this.#writer = writer
    this.#reader = reader
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.isInTransaction && isReadQuery(query)) return { rows: rowsOfQuery(this.#reader.all(query)) }
    const statement = this.#writer.numbered({ sql: query.sql, parameters: query.parameters })
    const reply = await this.#writer.ask(
      this.isInTransaction ? { type: 'run', statement } : { type: 'batch', items: [[statement]] },
    )
    const { rows, changes, insertId } = toStatementResult(reply)
    return { rows: rowsOfQuery(rows), numAffectedRows: BigInt(changes), insertId: BigInt(insertId) }
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator; nothing here streams rows.
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('rows are not streamed: page by key instead')
  }
}

/** Only the query builder knows what its query selects. */
const rowsOfQuery = <R>(rows: SqlRow[]) => rows as R[]

function toStatementResult(reply: WriterReply): StatementResult {
  const outcome = 'items' in reply ? reply.items.flatMap(outcomesOf)[0] : 'outcome' in reply && reply.outcome
  if (!outcome) throw new Error('the writer answered a statement with another message')
  return outcome
}

function outcomesOf(item: ItemReply): StatementResult[] {
  if ('refusal' in item) throw translateSqliteError(item.refusal)
  return item.outcomes
}

/** Reads need not wait for the writer. */
const isReadQuery = ({ query: { kind }, sql }: CompiledQuery): boolean =>
  kind === 'SelectQueryNode' || (kind === 'RawNode' && /^\s*select\b/i.test(sql))
