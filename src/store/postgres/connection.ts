// Connects to the server, checks whether it is safe to use, and translates its errors.
import { Client, type ClientBase, type ClientConfig, DatabaseError, types } from 'pg'
import { AppError } from '../../domain/errors.ts'
import { errorMessage } from '../../domain/values/node-error.ts'

const CONNECT_TIMEOUT_MS = 10_000
const QUERY_TIMEOUT_MS = 120_000
const LOCK_TIMEOUT_MS = 30_000
/** Ends the transaction of a hanging program, which would block all others. */
const IDLE_IN_TRANSACTION_MS = 10_000
const KEEP_ALIVE_AFTER_MS = 10_000
const MIN_VERSION = 150_000

/** Returns int8 and numeric as numbers and booleans as 0 or 1, like SQLite. The keys are type numbers in pg_type. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [20, Number],
  [1700, Number],
  [16, (text) => (text === 't' ? 1 : 0)],
])

export const connectionConfig = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'pharos',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: QUERY_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  types: {
    getTypeParser: (oid, format) => PARSERS.get(oid) ?? types.getTypeParser(oid, format),
  },
})

/** The client understands every form of address. A path is a local socket. */
export function serverAddress(connection: ClientConfig): { host: string; port: number } | undefined {
  const { host, port } = new Client(connection)
  return host.startsWith('/') ? undefined : { host, port }
}

/** Refuses a server that would lose what it has confirmed. Runs on every new connection, because settings change. */
export async function checkServerSettings(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in
      ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version_num', 'server_encoding', 'transaction_read_only')`,
  )
  const settings = Object.fromEntries(rows.map((it) => [it.name, it.setting]))
  const unsafe = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((it) => settings[it] === 'off')
  if (unsafe.length > 0)
    throw storeUnfit(`${unsafe.map((it) => `${it}=off`).join(' and ')} would lose confirmed writes`)
  if (Number(settings.server_version_num) < MIN_VERSION) throw storeUnfit('it is older than version 15')
  if (settings.server_encoding !== 'UTF8') throw storeUnfit(`its encoding is ${settings.server_encoding}, not UTF8`)
  if (settings.transaction_read_only === 'on') throw new AppError('STORE_READ_ONLY')
}

export const storeUnfit = (reason: string, cause?: unknown): AppError =>
  new AppError('STORE_UNFIT', { reason }, cause === undefined ? {} : { cause })

/**
 * Converts an error of the first connection to STORE_UNFIT. Its cause is an AppError if the problem may be temporary.
 */
export function toStoreUnfit(error: unknown): AppError {
  if (error instanceof AppError) return error.code === 'STORE_READ_ONLY' ? storeUnfit(READ_ONLY_REASON, error) : error
  const known = translatePostgresError(error)
  const isLoginRefused = LOGIN_REFUSED.test(errorCodeOf(error))
  return storeUnfit(errorReason(error), known instanceof AppError && !isLoginRefused ? known : error)
}

const READ_ONLY_REASON = 'it is read-only, like a standby'

/** A failure of several addresses is an AggregateError without a message. */
const errorReason = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(errorReason).join('; ')
  return errorMessage(error)
}

const DISK_FULL = '53100'
const READ_ONLY = '25006'
/** A refused login: temporary while the service runs, a mistake at its start. */
const LOGIN_REFUSED = /^28/
/** Characters that cannot be stored (NUL), and a key that is too long for an index. */
const NOT_STORABLE = new Set(['22021', '54000'])
/** Connection or login lost, resources exhausted, shutdown, disk error, read-only after a failover, lock timeout. */
const UNAVAILABLE = /^(08|28|53|57P|58|25P03|25006|55P03|57014|40001|40P01)/
const RETRIABLE = new Set(['40001', '40P01'])
const DAMAGED = new Set(['XX001', 'XX002'])

const errorCodeOf = (error: unknown) => (error instanceof DatabaseError ? (error.code ?? '') : '')

/** Two transactions conflicted; a retry will work. */
export const isRetriable = (error: unknown): boolean => RETRIABLE.has(errorCodeOf(error))

/** The data on the server's disk is damaged, so nothing it returns can be trusted. */
export const isDamageError = (error: unknown): boolean => DAMAGED.has(errorCodeOf(error))

/** The failure is not caused by a statement, so everything in the same transaction fails. */
export const isServerFault = (error: unknown): boolean =>
  isConnectionLost(error) || UNAVAILABLE.test(errorCodeOf(error)) || isDamageError(error)

/** The connection is no longer usable. */
export const isConnectionLost = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || /^(08|57P|25P03|25006)/.test(error.code ?? '')

/** Keeps only message and code: the other fields quote rows and would end up in a log. */
export function translatePostgresError(error: unknown): Error {
  if (error instanceof AppError) return error
  if (!(error instanceof DatabaseError)) return new AppError('STORE_UNAVAILABLE', {}, { cause: error })
  const { message, code = '' } = error
  const plain = Object.assign(new Error(message), { code })
  if (code === DISK_FULL) return new AppError('STORE_FULL', {}, { cause: plain })
  if (code === READ_ONLY) return new AppError('STORE_READ_ONLY', {}, { cause: plain })
  if (NOT_STORABLE.has(code))
    return new AppError('INVALID_INPUT', { reason: `it cannot be stored: ${message}` }, { cause: plain })
  return UNAVAILABLE.test(code) ? new AppError('STORE_UNAVAILABLE', {}, { cause: plain }) : plain
}
