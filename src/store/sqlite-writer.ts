// The only connection that writes, in a thread of its own, so that waiting for the disk never stops the event loop.
// Whatever arrived while the last COMMIT was under way shares the next one: that is the group commit.
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Row, Statement } from './database.ts'

/** A statement whose text was sent before travels as its number: the text is longer than most values. */
export interface Numbered {
  number: number
  sql: string | null
  parameters: Statement['parameters']
}

export type WriterRequest =
  | { type: 'batch'; id: number; items: readonly (readonly Numbered[])[] }
  | { type: 'begin'; id: number }
  | { type: 'run'; id: number; statement: Numbered }
  | { type: 'end'; id: number; how: 'COMMIT' | 'ROLLBACK' }
  | { type: 'close'; id: number }

export interface Outcome {
  rows: Row[]
  changes: number
  insertId: number
}
export interface Refusal {
  message: string
  errcode: number
}
export type WriterReply =
  | { id: number; items: ({ outcomes: Outcome[] } | { refusal: Refusal })[] }
  | { id: number; outcome: Outcome }
  | { id: number; refusal: Refusal }
  | { id: number }
export type WriterMessage = { replies: WriterReply[] } | { fatal: Refusal }

export interface WriterData {
  path: string
  failpoint: string | null
}

const WAIT_MS = 1_000
/** Nothing is accepted while a checkpoint waits for somebody who reads, and a backup reads for long. */
const READERS_WAIT_MS = 20

const { path, failpoint } = workerData as WriterData
const port = parentPort!
const db = new DatabaseSync(path)
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'fullfsync = 1', 'checkpoint_fullfsync = 1']) {
  db.exec(`PRAGMA ${pragma}`)
}
// Checkpoints are made by hand, see `checkpoint`.
db.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -8192')
db.exec(`PRAGMA foreign_keys = ON; PRAGMA busy_timeout = ${WAIT_MS}`)

const savepoint = db.prepare('SAVEPOINT item')
const release = db.prepare('RELEASE item')

const MAX_GROUP = 512
/** The log's size at which it is moved into the database: seldom, because that syncs another file. */
const MAX_LOG_BYTES = 16 << 20
const SQLITE_FULL = 13
/** I/O error, damaged file, not a database: after these nothing that this connection says can be trusted. */
const FATAL = new Set([10, 11, 26])

interface Prepared {
  statement: StatementSync
  isQuery: boolean
}

const texts = new Map<number, string>()
const statements = new Map<number, Prepared>()
const waiting: WriterRequest[] = []
let replies: WriterReply[] = []
let isScheduled = false
let isInTransaction = false
let passings = 0
let checkpointAt = MAX_LOG_BYTES

port.on('message', (text: string) => {
  const requests: WriterRequest[] = JSON.parse(text)
  for (const request of requests) {
    waiting.push(request)
    if (request.type === 'run') learn(request.statement)
    if (request.type === 'batch') for (const item of request.items) item.forEach(learn)
  }
  if (isScheduled) return
  isScheduled = true
  setImmediate(work)
})

/** A text is sent once, so it is kept even if its statement never gets its turn. */
function learn({ number, sql }: Numbered): void {
  if (sql !== null && number !== 0) texts.set(number, sql)
}

function work(): void {
  isScheduled = false
  try {
    for (let request = next(); request !== undefined; request = next()) handle(request)
    answer()
    checkpoint()
  } catch (error) {
    const refusal = refusalOf(error)
    if (!FATAL.has(refusal.errcode & 0xff)) throw error
    // Nothing of this round is answered: its writes may or may not be on the disk.
    port.postMessage(JSON.stringify({ fatal: refusal } satisfies WriterMessage))
  }
}

function answer(): void {
  if (replies.length === 0) return
  port.postMessage(JSON.stringify({ replies } satisfies WriterMessage))
  replies = []
}

/**
 * SQLite keeps it to itself when a checkpoint of its own fails, and may then write over the log although the database
 * never reached the disk. Here a failure is an error like any other. Somebody who still reads puts it off.
 */
function checkpoint(): void {
  if (isInTransaction || !db.isOpen || logBytes() < checkpointAt) return
  try {
    db.exec(`PRAGMA busy_timeout = ${READERS_WAIT_MS}; PRAGMA wal_checkpoint(TRUNCATE)`)
  } catch (error) {
    if ((refusalOf(error).errcode & 0xff) !== SQLITE_FULL) throw error
  } finally {
    db.exec(`PRAGMA busy_timeout = ${WAIT_MS}`)
  }
  checkpointAt = logBytes() + MAX_LOG_BYTES
}

const logBytes = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** While a transaction is open only its own statements may run; everything else waits for its end. */
function next(): WriterRequest | undefined {
  if (!isInTransaction) return waiting.shift()
  const at = waiting.findIndex((it) => it.type === 'run' || it.type === 'end')
  return at < 0 ? undefined : waiting.splice(at, 1)[0]
}

function handle(request: WriterRequest): void {
  switch (request.type) {
    case 'batch':
      commit(request)
      return
    case 'begin':
      db.exec('BEGIN IMMEDIATE')
      isInTransaction = true
      replies.push({ id: request.id })
      return
    case 'run':
      replies.push(attempt(request.id, () => ({ id: request.id, outcome: run(request.statement) })))
      return
    case 'end':
      isInTransaction = false
      replies.push(attempt(request.id, () => end(request)))
      return
    case 'close':
      db.close()
      replies.push({ id: request.id })
  }
}

function end({ id, how }: { id: number; how: string }): WriterReply {
  if (db.isTransaction) db.exec(how)
  return { id }
}

function attempt(id: number, action: () => WriterReply): WriterReply {
  try {
    return action()
  } catch (error) {
    return { id, refusal: refuse(error) }
  }
}

function commit(first: WriterRequest & { type: 'batch' }): void {
  const group = [first]
  while (waiting[0]?.type === 'batch' && group.length < MAX_GROUP) group.push(waiting.shift() as typeof first)
  try {
    db.exec('BEGIN IMMEDIATE')
    const answers = group.map(({ id, items }) => ({ id, items: items.map(runItem) }))
    db.exec('COMMIT')
    replies.push(...answers)
  } catch (error) {
    const refusal = refuse(error)
    replies.push(...group.map(({ id }) => ({ id, refusal })))
  }
  if (failpoint !== null) passFailpoint(group.length)
}

function runItem(item: readonly Numbered[]): { outcomes: Outcome[] } | { refusal: Refusal } {
  savepoint.run()
  try {
    const outcomes = item.map(run)
    release.run()
    return { outcomes }
  } catch (error) {
    const refusal = refusalOf(error)
    if (isWhole(refusal)) throw error
    db.exec('ROLLBACK TO item; RELEASE item')
    return { refusal }
  }
}

/** A full or broken disk is nobody's own mistake: the whole group is refused. */
const isWhole = ({ errcode }: Refusal) => (errcode & 0xff) === SQLITE_FULL || FATAL.has(errcode & 0xff)

function run({ number, sql, parameters }: Numbered): Outcome {
  const { statement, isQuery } = statements.get(number) ?? prepare(number, sql ?? texts.get(number)!)
  const values = parameters as (string | number | null)[]
  if (isQuery) return { rows: statement.all(...values) as Row[], changes: 0, insertId: 0 }
  const { changes, lastInsertRowid } = statement.run(...values)
  return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) }
}

/** Number 0 is for texts that are not worth keeping. */
function prepare(number: number, sql: string): Prepared {
  const statement = db.prepare(sql)
  const prepared = { statement, isQuery: statement.columns().length > 0 }
  if (number !== 0) statements.set(number, prepared)
  return prepared
}

/** Undoes what is open and says what to answer; an error that ends the process is thrown on. */
function refuse(error: unknown): Refusal {
  const refusal = refusalOf(error)
  if (FATAL.has(refusal.errcode & 0xff)) throw error
  if (db.isTransaction && !isInTransaction) db.exec('ROLLBACK')
  return refusal
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Error)) return { message: String(error), errcode: 0 }
  return { message: error.message, errcode: 'errcode' in error ? Number(error.errcode) : 0 }
}

/** For the crash tests: dies after COMMIT, before anybody is answered. */
function passFailpoint(times: number): void {
  passings += times
  const [name, nth] = failpoint!.split(':')
  if (name === 'accepted' && passings >= Number(nth)) process.kill(process.pid, 'SIGKILL')
}
