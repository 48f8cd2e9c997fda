// The embedded database: reads on a connection of their own, writes through the writer thread.
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
import { AppError } from '../domain/errors.ts'
import type { Database, ItemResult, Row, Statement } from './database.ts'
import { migrateSqlite } from './migrate.ts'
import type {
  Numbered,
  Outcome,
  Refusal,
  WriterData,
  WriterMessage,
  WriterReply,
  WriterRequest,
} from './sqlite-writer.ts'
import type { Tables } from './tables.ts'

export interface SqliteSettings {
  path: string
  failpoint: string | null
  /** The disk failed under a write: whatever it was, it is not acknowledged, and the process must end. */
  onFatal: (error: Error) => void
}

const SQLITE_FULL = 13
const MAX_STATEMENTS = 500
/** More are not kept back: the writer can begin while the rest of a turn is still being read. */
const MAX_OUTBOX = 16

export async function openSqlite(settings: SqliteSettings): Promise<Database> {
  migrateSqlite(settings.path)
  const writer = startWriter(settings)
  const reader = openReader(settings.path)
  const driver = new ThreadDriver(writer, reader)
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new ManyConnections(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  return Object.assign(kysely, {
    commit: async (batch: readonly (readonly Statement[])[]) =>
      itemResults(await writer.ask({ type: 'batch', items: batch.map((item) => item.map(writer.numbered)) })),
    waitingWrites: () => writer.waiting(),
    close: async () => {
      await writer.close()
      reader.close()
    },
  })
}

function itemResults(reply: WriterReply): ItemResult[] {
  if (!('items' in reply)) throw new Error('the writer answered a batch with something else')
  return reply.items.map((item) =>
    'refusal' in item
      ? { ok: false, error: errorOf(item.refusal) }
      : { ok: true, rows: item.outcomes.map((outcome) => outcome.rows) },
  )
}

function errorOf({ message, errcode }: Refusal): Error {
  if ((errcode & 0xff) === SQLITE_FULL) return new AppError('STORE_FULL')
  return Object.assign(new Error(message), { errcode })
}

type Ask = WriterRequest extends infer R ? (R extends WriterRequest ? Omit<R, 'id'> : never) : never

interface Writer {
  numbered(statement: Statement): Numbered
  ask(request: Ask): Promise<WriterReply>
  waiting(): number
  close(): Promise<void>
}

/**
 * Sends what one turn of the event loop asked for in one message, as text: that costs half of what a message of objects
 * costs, which was the largest part of accepting a document.
 */
function startWriter({ path, failpoint, onFatal }: SqliteSettings): Writer {
  const worker = new Worker(new URL('./sqlite-writer.ts', import.meta.url), {
    workerData: { path, failpoint } satisfies WriterData,
  })
  const open = new Map<number, { resolve: (reply: WriterReply) => void; reject: (error: Error) => void }>()
  let outbox: WriterRequest[] = []
  let lastId = 0
  worker.on('error', onFatal)
  worker.on('message', (text: string) => {
    const message: WriterMessage = JSON.parse(text)
    if ('fatal' in message) return onFatal(errorOf(message.fatal))
    for (const reply of message.replies) {
      const asker = open.get(reply.id)!
      open.delete(reply.id)
      if ('refusal' in reply) asker.reject(errorOf(reply.refusal))
      else asker.resolve(reply)
    }
  })
  const send = () => {
    if (outbox.length === 0) return
    worker.postMessage(JSON.stringify(outbox))
    outbox = []
  }
  const ask = (request: Ask) =>
    new Promise<WriterReply>((resolve, reject) => {
      const id = ++lastId
      open.set(id, { resolve, reject })
      const waiting = outbox.push({ ...request, id })
      if (waiting === 1) setImmediate(send)
      if (waiting === MAX_OUTBOX) send()
    })
  return {
    numbered: numbering(),
    ask,
    waiting: () => open.size,
    close: async () => {
      await ask({ type: 'close' })
      await worker.terminate()
    },
  }
}

/** The writer gets each text once; a statement with a text of its own each time (a list of values) is not kept. */
function numbering(): (statement: Statement) => Numbered {
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

interface Reader {
  all(statement: Statement): Row[]
  close(): void
}

function openReader(path: string): Reader {
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
    all: ({ sql, parameters }) => prepare(sql).all(...(parameters as (string | number | null)[])) as Row[],
    close: () => db.close(),
  }
}

/** Reads need not wait for a transaction: they have a connection of their own. */
class ManyConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** A class because the query builder asks for one: it hands out connections and remembers who is in a transaction. */
class ThreadDriver implements Driver {
  readonly #writer: Writer
  readonly #reader: Reader

  constructor(writer: Writer, reader: Reader) {
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
  readonly #writer: Writer
  readonly #reader: Reader

  constructor(writer: Writer, reader: Reader) {
    this.#writer = writer
    this.#reader = reader
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query
    if (this.isInTransaction)
      return result(await this.#writer.ask({ type: 'run', statement: this.#writer.numbered({ sql, parameters }) }))
    if (isQuestion(query)) return { rows: this.#reader.all(query) as R[] }
    return result(await this.#writer.ask({ type: 'batch', items: [[this.#writer.numbered({ sql, parameters })]] }))
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator; nothing here streams rows.
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('rows are not streamed: page by key instead')
  }
}

function result<R>(reply: WriterReply): QueryResult<R> {
  const { rows, changes, insertId } = outcomeOf(reply)
  return { rows: rows as R[], numAffectedRows: BigInt(changes), insertId: BigInt(insertId) }
}

function outcomeOf(reply: WriterReply): Outcome {
  if ('outcome' in reply) return reply.outcome
  if (!('items' in reply)) throw new Error('the writer answered a statement with something else')
  const item = reply.items[0]!
  if ('refusal' in item) throw errorOf(item.refusal)
  return item.outcomes[0]!
}

/** What only asks need not wait for the writer. */
const isQuestion = ({ query: { kind }, sql }: CompiledQuery): boolean =>
  kind === 'SelectQueryNode' || (kind === 'RawNode' && /^\s*select\b/i.test(sql))
