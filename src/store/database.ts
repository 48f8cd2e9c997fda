import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** A query with its values, ready for the driver. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>
export type Row = Record<string, string | number | null>

/** What one item of a batch came to: the rows of each of its statements, or why it was refused. */
export type ItemResult = { ok: true; rows: Row[][] } | { ok: false; error: Error }

/** For functions that only ask, or that run inside somebody's transaction. */
export type Queries = Kysely<Tables>

/**
 * Both drivers answer alike: integers, counts and sums are numbers, conditions are 0 or 1, texts are ordered by their
 * bytes. A `transaction()` takes its turn: no other one runs beside it, in whatever process. Inside, only the handle it
 * hands out may be asked, and a statement that fails there spoils the whole.
 */
export interface Database extends Kysely<Tables> {
  /**
   * Runs every item in one transaction, together with whatever else waits to be written at that moment, and answers
   * after COMMIT has reached the disk. Each item has a savepoint: one that fails is undone alone and reports its error,
   * the others stand. Items run in the order given, and later statements of an item see what earlier ones wrote.
   * Rejects with STORE_FULL, and keeps nothing, when the disk is full; with STORE_UNAVAILABLE when the server is lost,
   * and then it may or may not have kept it. Placeholders are `?1`, `?2` …
   */
  commit(batch: readonly (readonly Statement[])[]): Promise<ItemResult[]>

  /** How many requests to write have no answer yet. */
  waitingWrites(): number

  /**
   * Calls the listener when another process has changed a document; absent where there can be no other. Only a hint: it
   * may come late, twice, for nothing or not at all, so whoever listens also looks by itself now and then.
   */
  onChange?(listener: () => void): void

  /** Where the server listens that holds the record; absent where there is none, or none that a network reaches. */
  readonly server?: { host: string; port: number }

  /** Ends the connections. Writes that were asked for before are finished first. */
  close(): Promise<void>
}
