// The record as a whole, table by table, in both databases: a snapshot to read, or a draft to fill.

/** A cell value that both databases can hold. */
export type Cell = string | number | null | Uint8Array

export interface RecordTable {
  name: string
  columns: readonly string[]
}

export interface RecordSnapshot {
  /** Names of the applied migrations. */
  migrations: readonly string[]
  /** Each table comes after the tables that it references. */
  tables: readonly RecordTable[]
  /** The highest number assigned so far, for each table that numbers its rows. */
  numbers: Readonly<Record<string, number>>
  /** Yields cells in the order of the columns. All reads see the moment at which the snapshot was opened. */
  rows(table: RecordTable): AsyncIterable<readonly Cell[]>
  /** Must be called; until then the database retains that moment. */
  close(): Promise<void>
}

export interface RecordDraft {
  /** The tables of the requested schema. All are empty except the database's own ones. */
  tables: readonly RecordTable[]
  add(table: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): Promise<void>
  /**
   * Migrates the draft to the schema of this program and makes it the record, atomically. Returns where the former
   * record lies, or null if there was none.
   */
  commit(numbers: Readonly<Record<string, number>>): Promise<string | null>
  /** Leaves everything as it was. */
  abandon(): Promise<void>
}

/**
 * Tables that belong to one database. A copy of a record is a different record, and followers of the original must not
 * continue with the copy.
 */
export const DATABASE_OWN_TABLES: ReadonlySet<string> = new Set(['record_identity'])

/** Orders tables so that each comes after those that it references, otherwise by name. */
export function orderTables(
  tables: readonly RecordTable[],
  references: readonly { from: string; to: string }[],
): RecordTable[] {
  const ordered: RecordTable[] = []
  const left = new Map([...tables].sort((a, b) => (a.name < b.name ? -1 : 1)).map((it) => [it.name, it]))
  while (left.size > 0) {
    const free = [...left.values()].find(
      ({ name }) => !references.some(({ from, to }) => from === name && to !== name && left.has(to)),
    )
    if (free === undefined) throw new Error(`the tables ${[...left.keys()].join(', ')} reference each other in a cycle`)
    ordered.push(free)
    left.delete(free.name)
  }
  return ordered
}
