// How to reach the server, whether it can be trusted with the record, and what its errors mean to us.
import { Client, type ClientBase, type ClientConfig, DatabaseError, types } from 'pg'
import { AppError } from '../domain/errors.ts'

const CONNECT_TIMEOUT_MS = 10_000
const QUERY_TIMEOUT_MS = 120_000
const LOCK_TIMEOUT_MS = 30_000
/** A program that hangs in the middle of a transaction would hold up every other one: this ends its transaction. */
const IDLE_IN_TRANSACTION_MS = 10_000
const KEEP_ALIVE_AFTER_MS = 10_000
const OLDEST_VERSION = 150_000

/** int8 and numeric come as numbers, truth as 0 or 1: what SQLite answers. By the types' numbers in pg_type. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [20, Number],
  [1700, Number],
  [16, (text) => (text === 't' ? 1 : 0)],
])

export const connectionOf = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'pharos',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: QUERY_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  types: {
    getTypeParser: ((oid: number, format?: 'text') => PARSERS.get(oid) ?? types.getTypeParser(oid, format)) as never,
  },
})

/** The client knows every way in which an address can be written; a path is a socket of this machine. */
export function serverOf(connection: ClientConfig): { host: string; port: number } | undefined {
  const { host, port } = new Client(connection)
  return host.startsWith('/') ? undefined : { host, port }
}

/** Refuses a server that would lose what it has confirmed. Asked on every new connection: settings change. */
export async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in
      ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version_num', 'server_encoding', 'transaction_read_only')`,
  )
  const settings = Object.fromEntries(rows.map((it) => [it.name, it.setting]))
  const unsafe = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((it) => settings[it] === 'off')
  if (unsafe.length > 0)
    throw unfit(`${unsafe.map((it) => `${it}=off`).join(' and ')} would lose what it has confirmed`)
  if (Number(settings.server_version_num) < OLDEST_VERSION) throw unfit('it is older than version 15')
  if (settings.server_encoding !== 'UTF8') throw unfit(`its encoding is ${settings.server_encoding}, not UTF8`)
  if (settings.transaction_read_only === 'on') throw unfit('it is read-only, as a standby is')
}

export const unfit = (reason: string, cause?: unknown): AppError =>
  new AppError('STORE_UNFIT', { reason }, cause === undefined ? {} : { cause })

const DISK_FULL = '53100'
/** Characters that it cannot hold (NUL), and a key that is too long for an index. */
const NOT_STORABLE = new Set(['22021', '54000'])
/** Connection or login lost, resources short, shutting down, disk ill, read-only after a switch-over, a lock not had in time. */
const UNAVAILABLE = /^(08|28|53|57P|58|25P03|25006|55P03|57014|40001|40P01)/
const RETRIABLE = new Set(['40001', '40P01'])
const DAMAGED = new Set(['XX001', 'XX002'])

const codeOf = (error: unknown) => (error instanceof DatabaseError ? (error.code ?? '') : '')

/** Two transactions stood in each other's way; done again it works. */
export const isRetriable = (error: unknown): boolean => RETRIABLE.has(codeOf(error))

/** The data on the server's disk is damaged: nothing that it says can be trusted. */
export const isDamage = (error: unknown): boolean => DAMAGED.has(codeOf(error))

/** Not the fault of a statement: whatever shares its transaction fails with it. */
export const isWhole = (error: unknown): boolean => isLost(error) || UNAVAILABLE.test(codeOf(error)) || isDamage(error)

/** The connection can serve nobody any more. */
export const isLost = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || /^(08|57P|25P03|25006)/.test(error.code ?? '')

/** Keeps the message and the code only: the rest quotes rows, and would carry them into a log. */
export function errorOf(error: unknown): Error {
  if (error instanceof AppError) return error
  if (!(error instanceof DatabaseError)) return new AppError('STORE_UNAVAILABLE', {}, { cause: error })
  const { message, code = '' } = error
  const plain = Object.assign(new Error(message), { code })
  if (code === DISK_FULL) return new AppError('STORE_FULL', {}, { cause: plain })
  if (NOT_STORABLE.has(code))
    return new AppError('INVALID_INPUT', { reason: `it cannot be stored: ${message}` }, { cause: plain })
  return UNAVAILABLE.test(code) ? new AppError('STORE_UNAVAILABLE', {}, { cause: plain }) : plain
}
