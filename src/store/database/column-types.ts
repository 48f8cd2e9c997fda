// Column types that SQLite and PostgreSQL share.

/** A boolean column. */
export type SqlFlag = 0 | 1
/** JSON in a text column. */
export type JsonText = string
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = number

export const toSqlFlag = (value: boolean): SqlFlag => (value ? 1 : 0)

/** Tells whether a row differs from the wanted values of some of its columns. */
export function isDifferentRow<Columns extends object>(row: Record<keyof Columns, unknown>, wanted: Columns): boolean {
  for (const name in wanted) if (row[name] !== wanted[name]) return true
  return false
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
