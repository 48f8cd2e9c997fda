// The only connection that writes. It runs in a thread, so that waiting for the disk never blocks the event loop.
// Requests that arrive during a COMMIT share the next one (group commit).
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { errorMessage } from '../../domain/values/node-error.ts'
import { collectWhenIdle } from '../../flow/collect-when-idle.ts'
import { createFailpoint } from '../../flow/failpoint.ts'
import type { SqlRow, SqlStatement } from '../database/database.ts'
import { createCommitCounter } from './commit-counter.ts'
import { isDamageCode } from './damage-tracker.ts'
import { resultCode } from './error-codes.ts'
import { allRows, valuesOf } from './select-rows.ts'

/** A known statement is sent by its number, because its text is longer than most values. */
export interface NumberedStatement {
  number: number
  sql: string | null
  parameters: SqlStatement['parameters']
}

export type WriterRequest =
  | { type: 'batch'; id: number; items: readonly (readonly NumberedStatement[])[] }
  | { type: 'begin'; id: number }
  | { type: 'run'; id: number; statement: NumberedStatement }
  | { type: 'end'; id: number; how: 'COMMIT' | 'ROLLBACK' }
  | { type: 'keep-count'; id: number; path: string }
  | { type: 'close'; id: number }

export interface StatementResult {
  rows: SqlRow[]
  changes: number
  insertId: number
}
export interface WriterError {
  message: string
  errcode: number
}
export type ItemReply = { outcomes: StatementResult[] } | { refusal: WriterError }
export type WriterReply =
  | { id: number; items: ItemReply[] }
  | { id: number; outcome: StatementResult }
  | { id: number; refusal: WriterError }
  | { id: number }
/** `damage` is the first damage since the last message. */
export type WriterMessage = { replies: WriterReply[]; damage: string | null } | { fatal: WriterError }

export interface WriterData {
  path: string
  failpoint: string | null
}

const BUSY_TIMEOUT_MS = 1_000
/** Nothing is accepted while a checkpoint waits for readers, and a backup reads for a long time. */
const CHECKPOINT_TIMEOUT_MS = 20

const { path, failpoint }: WriterData = workerData
const passFailpoint = createFailpoint(failpoint)
if (parentPort === null) throw new Error('the writer runs in a thread')
const port = parentPort

collectWhenIdle()
const db = new DatabaseSync(path)
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'fullfsync = 1', 'checkpoint_fullfsync = 1']) {
  db.exec(`PRAGMA ${pragma}`)
}
// `checkpoint` runs checkpoints explicitly.
db.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -8192')
db.exec(`PRAGMA foreign_keys = ON; PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)

const savepoint = db.prepare('SAVEPOINT item')
const release = db.prepare('RELEASE item')
const commitCounter = createCommitCounter(db)

const MAX_GROUP = 512
/** Log size that triggers a checkpoint. Checkpoints should be rare, because they sync another file. */
const MAX_LOG_BYTES = 16 << 20
const SQLITE_FULL = 13
/** I/O error: the write may or may not be on disk, and no later write can tell. */
const SQLITE_IOERR = 10

interface PreparedStatement {
  statement: StatementSync
  isQuery: boolean
}

const sqlByNumber = new Map<number, string>()
const statements = new Map<number, PreparedStatement>()
const queue: WriterRequest[] = []
let replies: WriterReply[] = []
let isScheduled = false
let isInTransaction = false
let checkpointAt = MAX_LOG_BYTES
let damage: string | null = null

port.on('message', (text: string) => {
  const requests: WriterRequest[] = JSON.parse(text)
  for (const request of requests) {
    queue.push(request)
    if (request.type === 'run') rememberSql(request.statement)
    if (request.type === 'batch') for (const item of request.items) item.forEach(rememberSql)
  }
  if (isScheduled) return
  isScheduled = true
  setImmediate(processQueue)
})

/** A text is sent once, so it is kept even if its statement never runs. */
function rememberSql({ number, sql }: NumberedStatement): void {
  if (sql !== null && number !== 0) sqlByNumber.set(number, sql)
}

function processQueue(): void {
  isScheduled = false
  try {
    for (let request = nextRequest(); request !== undefined; request = nextRequest()) handleRequest(request)
    sendReplies()
    checkpoint()
  } catch (error) {
    const refusal = toWriterError(error)
    if (!isFatalError(refusal)) throw error
    // Nothing of this round is answered: its writes may or may not be on disk.
    port.postMessage(JSON.stringify({ fatal: refusal } satisfies WriterMessage))
  }
}

function sendReplies(): void {
  if (replies.length === 0) return
  commitCounter.write()
  port.postMessage(JSON.stringify({ replies, damage } satisfies WriterMessage))
  replies = []
  damage = null
}

/**
 * SQLite hides a failure of its automatic checkpoint and may then overwrite the log although the database never reached
 * the disk. Here a failure is an ordinary error. An active reader postpones the checkpoint.
 */
function checkpoint(): void {
  if (isInTransaction || !db.isOpen || logBytes() < checkpointAt) return
  try {
    db.exec(`PRAGMA busy_timeout = ${CHECKPOINT_TIMEOUT_MS}; PRAGMA wal_checkpoint(TRUNCATE)`)
  } catch (error) {
    if ((toWriterError(error).errcode & 0xff) !== SQLITE_FULL) throw error
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
  checkpointAt = logBytes() + MAX_LOG_BYTES
}

const logBytes = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** While a transaction is open only its own statements run; everything else waits. */
function nextRequest(): WriterRequest | undefined {
  if (!isInTransaction) return queue.shift()
  const at = queue.findIndex((it) => it.type === 'run' || it.type === 'end')
  return at < 0 ? undefined : queue.splice(at, 1)[0]
}

function handleRequest(request: WriterRequest): void {
  switch (request.type) {
    case 'batch':
      commitGroup(request)
      return
    case 'begin':
      replies.push(replyWith(request.id, () => beginTransaction(request.id)))
      return
    case 'run':
      replies.push(replyWith(request.id, () => ({ id: request.id, outcome: runStatement(request.statement) })))
      return
    case 'end':
      isInTransaction = false
      replies.push(replyWith(request.id, () => endTransaction(request)))
      return
    case 'keep-count':
      commitCounter.attach(request.path)
      replies.push({ id: request.id })
      return
    case 'close':
      commitCounter.close()
      db.close()
      replies.push({ id: request.id })
  }
}

function beginTransaction(id: number): WriterReply {
  db.exec('BEGIN IMMEDIATE')
  isInTransaction = true
  return { id }
}

function endTransaction({ id, how }: { id: number; how: string }): WriterReply {
  if (db.isTransaction && how === 'COMMIT') commitCounter.beforeCommit()
  if (db.isTransaction) db.exec(how)
  if (how === 'COMMIT') commitCounter.afterCommit()
  return { id }
}

function replyWith(id: number, action: () => WriterReply): WriterReply {
  try {
    return action()
  } catch (error) {
    return { id, refusal: rollBackAndDescribe(error) }
  }
}

function commitGroup(first: WriterRequest & { type: 'batch' }): void {
  const group = [first]
  for (let next = queue[0]; next?.type === 'batch' && group.length < MAX_GROUP; next = queue[0]) {
    group.push(next)
    queue.shift()
  }
  try {
    db.exec('BEGIN IMMEDIATE')
    const answers = group.map(({ id, items }) => ({ id, items: items.map(runItem) }))
    commitCounter.beforeCommit()
    db.exec('COMMIT')
    commitCounter.afterCommit()
    replies.push(...answers)
  } catch (error) {
    const refusal = rollBackAndDescribe(error)
    replies.push(...group.map(({ id }) => ({ id, refusal })))
  }
  passFailpoint('accepted', group.length)
}

function runItem(item: readonly NumberedStatement[]): ItemReply {
  savepoint.run()
  try {
    const outcomes = item.map(runStatement)
    release.run()
    return { outcomes }
  } catch (error) {
    const refusal = toWriterError(error)
    if (failsWholeGroup(refusal)) throw error
    db.exec('ROLLBACK TO item; RELEASE item')
    return { refusal }
  }
}

/** A full or broken disk is no item's fault, so the whole group fails. */
const failsWholeGroup = (refusal: WriterError) => (refusal.errcode & 0xff) === SQLITE_FULL || isFatalError(refusal)

const isFatalError = ({ errcode }: WriterError) => (errcode & 0xff) === SQLITE_IOERR

function runStatement(numbered: NumberedStatement): StatementResult {
  const { statement, isQuery } = statements.get(numbered.number) ?? prepareStatement(numbered)
  const values = valuesOf(numbered)
  if (isQuery) return { rows: allRows(statement, values), changes: 0, insertId: 0 }
  const { changes, lastInsertRowid } = statement.run(...values)
  return { rows: [], changes: Number(changes), insertId: Number(lastInsertRowid) }
}

/** Number 0 marks texts that are not kept. */
function prepareStatement({ number, sql }: NumberedStatement): PreparedStatement {
  const text = sql ?? sqlByNumber.get(number)
  if (text === undefined) throw new Error('a statement came without its text')
  const statement = db.prepare(text)
  const prepared = { statement, isQuery: statement.columns().length > 0 }
  if (number !== 0) statements.set(number, prepared)
  return prepared
}

/** Rolls back an open group and returns the error to send; rethrows a fatal one. */
function rollBackAndDescribe(error: unknown): WriterError {
  const refusal = toWriterError(error)
  if (isFatalError(refusal)) throw error
  if (db.isTransaction && !isInTransaction) db.exec('ROLLBACK')
  return refusal
}

function toWriterError(error: unknown): WriterError {
  const message = errorMessage(error)
  const errcode = resultCode(error) ?? 0
  // Undamaged pages stay usable.
  if (isDamageCode(errcode)) damage ??= message
  return { message, errcode }
}
