// Runs statements as one item of a commit.
import type { Database, ItemResult, SqlRow, SqlStatement } from './database.ts'

/** Returns the rows of each statement; throws the error of the item. */
export async function commitStatements(
  db: Pick<Database, 'commit'>,
  statements: readonly SqlStatement[],
): Promise<SqlRow[][]> {
  const results = await db.commit([statements])
  return results.flatMap(rowsOfItem)
}

export function rowsOfItem(result: ItemResult): SqlRow[][] {
  if (!result.ok) throw result.error
  return result.rows
}
