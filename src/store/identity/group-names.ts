// Records name groups by their names. A change of a name changes all of these records.
import { sql } from 'kysely'
import type { Queryable } from '../database/database.ts'

/** Columns with the names of groups as JSON. External access of documents keeps the names that its source gives. */
const NAMING_COLUMNS = [
  ['cc_pair', 'groups'],
  ['document_set', 'groups'],
  ['persona', 'groups'],
  ['llm_provider', 'groups'],
  ['mcp_server', 'groups'],
  ['account_link', 'user_groups'],
] as const

/** Writes the new name in the place of the old one. Null removes the old one. */
export async function replaceGroupName(trx: Queryable, from: string, to: string | null): Promise<void> {
  for (const naming of NAMING_COLUMNS) {
    const [table, column] = naming
    for (const { id, names } of await lockGroupNames(trx, naming)) {
      if (!names.includes(from)) continue
      const others = names.filter((it) => it !== from && it !== to)
      const changed = JSON.stringify(to === null ? others : [...others, to])
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${changed} where id = ${id}`.execute(trx)
    }
  }
}

/** The rows that name groups. Until the transaction ends, no other transaction changes them. */
async function lockGroupNames(
  trx: Queryable,
  [table, column]: (typeof NAMING_COLUMNS)[number],
): Promise<{ id: number; names: string[] }[]> {
  const { rows } = await sql<{ id: number; names: string }>`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} where ${sql.ref(column)} <> '[]'
    returning id, ${sql.ref(column)} as names`.execute(trx)
  return rows.map(({ id, names }) => ({ id, names: JSON.parse(names) }))
}
