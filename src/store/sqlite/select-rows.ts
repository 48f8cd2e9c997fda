// Reads rows on a connection of node:sqlite, which does not know what a query selects: a schema of the row tells.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { z } from 'zod'
import type { SqlRow, SqlStatement } from '../database/database.ts'

export const selectRows = <Row>(
  db: DatabaseSync,
  row: z.ZodType<Row>,
  sql: string,
  ...values: SQLInputValue[]
): Row[] =>
  db
    .prepare(sql)
    .all(...values)
    .map((it) => row.parse(it))

/** For a query that always has a row; with an optional schema also for others. */
export const selectRow = <Row>(db: DatabaseSync, row: z.ZodType<Row>, sql: string, ...values: SQLInputValue[]): Row =>
  row.parse(db.prepare(sql).get(...values))

/** The query builder leaves open what it binds; the columns take texts and numbers. */
export const valuesOf = ({ parameters }: Pick<SqlStatement, 'parameters'>): SqlRow[string][] =>
  parameters as SqlRow[string][]

/** No column holds bytes, and no number needs more than a double. */
export const allRows = (statement: StatementSync, values: readonly SqlRow[string][]): SqlRow[] =>
  statement.all(...values) as SqlRow[]
