// The record as a whole: read at one moment, or made anew from what another one held. Both databases, table by table.

/** What a cell may hold in both databases. */
export type Cell = string | number | null | Uint8Array

export interface RecordTable {
  name: string
  columns: readonly string[]
}

export interface RecordSnapshot {
  /** The number of the last migration that it has. */
  schema: number
  /** Each after those that it refers to. */
  tables: readonly RecordTable[]
  /** The highest number given out so far, by each table that numbers its rows. */
  numbers: Readonly<Record<string, number>>
  /** Cells in the order of the columns. Whatever is asked and when, it is of the moment at which the snapshot was opened. */
  rows(table: RecordTable): AsyncIterable<readonly Cell[]>
  /** Must be called: until then the database keeps that moment. */
  close(): Promise<void>
}

export interface RecordDraft {
  /** What the schema asked for has. All are empty but for those that are a database's own. */
  tables: readonly RecordTable[]
  add(table: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): Promise<void>
  /**
   * Brings it to the schema of this program and makes it the record. All or nothing, whenever the process ends. Answers
   * where the record lies that was there before, or null if there was none.
   */
  commit(numbers: Readonly<Record<string, number>>): Promise<string | null>
  /** Leaves everything as it was. */
  abandon(): Promise<void>
}

/** A database's own: a copy of the record is another record, and what follows the one must not go on with the other. */
export const OWN_TABLES: ReadonlySet<string> = new Set(['record_identity'])

/** Each table after those that it refers to, otherwise by name. */
export function inOrder(
  tables: readonly RecordTable[],
  references: readonly { from: string; to: string }[],
): RecordTable[] {
  const ordered: RecordTable[] = []
  const left = new Map([...tables].sort((a, b) => (a.name < b.name ? -1 : 1)).map((it) => [it.name, it]))
  while (left.size > 0) {
    const free = [...left.values()].find(
      ({ name }) => !references.some(({ from, to }) => from === name && to !== name && left.has(to)),
    )
    if (free === undefined) throw new Error(`the tables ${[...left.keys()].join(', ')} refer to each other in a circle`)
    ordered.push(free)
    left.delete(free.name)
  }
  return ordered
}
