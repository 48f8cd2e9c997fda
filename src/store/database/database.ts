import type { CompiledQuery, Kysely } from 'kysely'
import type { DatabaseTables } from './tables.ts'

/** A query with its values, ready for the driver. */
export type SqlStatement = Pick<CompiledQuery, 'sql' | 'parameters'>
export type SqlRow = Record<string, string | number | null>

/** Result of one item of a batch: the rows of each of its statements, or the reason why it failed. */
export type ItemResult = { ok: true; rows: SqlRow[][] } | { ok: false; error: Error }

/** For functions that only read, or that run inside a transaction of their caller. */
export type Queryable = Kysely<DatabaseTables>

/**
 * Both drivers return the same values: integers, counts and sums are numbers, conditions are 0 or 1, and texts are
 * ordered by their bytes. Transactions of all processes run one at a time. Inside a `transaction()` only its own handle
 * may be used, and a failed statement aborts the whole transaction.
 */
export interface Database extends Kysely<DatabaseTables> {
  /**
   * Runs every item in one transaction, together with other writes that wait at that moment, and resolves after COMMIT
   * has reached the disk. Each item has a savepoint: a failed item is rolled back alone and reports its error, the
   * others succeed. Items run in the given order, and later statements of an item see what earlier ones wrote. Rejects
   * with STORE_FULL and keeps nothing when the disk is full. Rejects with STORE_UNAVAILABLE when the server is lost;
   * then the items may or may not have been kept. Placeholders are `?1`, `?2` …
   */
  commit(batch: readonly (readonly SqlStatement[])[]): Promise<ItemResult[]>

  /**
   * Rejects while reads or writes do not work, with an AppError where the reason is known. It writes nothing, so it
   * knows about a full disk only from other writes: for 30 s after the last refused one.
   */
  check(): Promise<void>

  /**
   * A sentence about the first damage that reads, writes or `inspect` have met since the database was opened; null when
   * there was none. Undamaged parts keep working. Absent when a server guards its own data.
   */
  damage?(): string | null

  /** Reads the whole database once in the background to find damage. Never rejects. */
  inspect?(signal: AbortSignal): Promise<void>

  /**
   * From now on, counts each writing transaction and overwrites the counters at the head of this file after COMMIT and
   * before anybody gets an answer. The file is never ahead of what has reached the disk. Must be called again when
   * another file takes that name. Absent when others write to the database too.
   */
  keepCount?(path: string): Promise<void>

  /** Number of write requests without an answer. */
  waitingWrites(): number

  /**
   * Calls the listener when another process has changed a document. Absent when there can be no other process. It is
   * only a hint: it may come late, twice, needlessly or not at all, so listeners must also poll from time to time.
   */
  onChange?(listener: () => void): void

  /** Address of the database server; absent when there is none or it is not reached over a network. */
  readonly server?: { host: string; port: number }

  /** Closes the connections after all pending writes have finished. */
  close(): Promise<void>
}
