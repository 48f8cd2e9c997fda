import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** A query with its values, ready for the driver. */
export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>
export type Row = Record<string, string | number | null>

/** What one item of a batch came to: the rows of each of its statements, or why it was refused. */
export type ItemResult = { ok: true; rows: Row[][] } | { ok: false; error: Error }

/** For functions that only ask, or that run inside somebody's transaction. */
export type Queries = Kysely<Tables>

export interface Database extends Kysely<Tables> {
  /**
   * Runs every item in one transaction, together with whatever else waits to be written at that moment, and answers
   * after COMMIT has reached the disk. Each item has a savepoint: one that fails is undone alone and reports its error,
   * the others stand. Items run in the order given, and later statements of an item see what earlier ones wrote.
   * Rejects with STORE_FULL, and keeps nothing, when the disk is full.
   */
  commit(batch: readonly (readonly Statement[])[]): Promise<ItemResult[]>

  /** Ends the connections. Writes that were asked for before are finished first. */
  close(): Promise<void>
}
