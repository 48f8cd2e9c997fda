// Commits many items in one transaction. They are pipelined without savepoints; only if one fails, all are repeated one
// by one, each in a savepoint.
import type { Client, QueryResult } from 'pg'
import type { ItemResult, SqlRow, SqlStatement } from '../database/database.ts'
import { isConnectionLost, isServerFault, translatePostgresError } from './connection.ts'
import { postgresText } from './statement-text.ts'

export type CommitItem = readonly SqlStatement[]

interface PreparedQuery {
  name?: string
  text: string
  values: unknown[]
}
export type PrepareQuery = (statement: SqlStatement) => PreparedQuery

type QueryAnswer = { ok: true; result: QueryResult<SqlRow> } | { ok: false; error: unknown }

const MAX_PREPARED = 500

/** Resolves after COMMIT. Rejects and keeps nothing when the failure is not caused by a single item. */
export async function commitItems(
  client: Client,
  prepare: PrepareQuery,
  items: readonly CommitItem[],
): Promise<ItemResult[]> {
  const answers = await sendPipelined(client, ['begin', ...items.flatMap((item) => item.map(prepare)), 'commit'])
  const fault = answers.find((it) => !it.ok)
  if (fault === undefined) return splitByItem(items, resultRows(answers))
  // The server has turned the COMMIT into a ROLLBACK.
  if (isServerFault(fault.error)) throw fault.error
  return items.length === 1
    ? [{ ok: false, error: translatePostgresError(fault.error) }]
    : commitOneByOne(client, prepare, items)
}

/**
 * Prepares recurring statements by name, so that the server keeps their plan. Statements with unique texts (value
 * lists) are not kept.
 */
export function createQueryPreparer(): PrepareQuery {
  const known = new Map<string, { name: string; text: string }>()
  return ({ sql, parameters }) => {
    const values = [...parameters]
    const found = known.get(sql)
    if (found !== undefined) return { ...found, values }
    const text = postgresText(sql)
    if (known.size >= MAX_PREPARED) return { text, values }
    const named = { name: `s${known.size + 1}`, text }
    known.set(sql, named)
    return { ...named, values }
  }
}

async function commitOneByOne(
  client: Client,
  prepare: PrepareQuery,
  items: readonly CommitItem[],
): Promise<ItemResult[]> {
  const results: ItemResult[] = []
  try {
    await client.query('begin')
    for (const item of items) results.push(await runInSavepoint(client, item.map(prepare)))
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error(`the server answered COMMIT with ${command}`)
    return results
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('rollback')
    throw error
  }
}

async function runInSavepoint(client: Client, statements: readonly PreparedQuery[]): Promise<ItemResult> {
  const answers = await sendPipelined(client, ['savepoint item', ...statements, 'release item'])
  const fault = answers.find((it) => !it.ok)
  if (fault === undefined) return { ok: true, rows: resultRows(answers) }
  if (isServerFault(fault.error)) throw fault.error
  await client.query('rollback to item; release item')
  return { ok: false, error: translatePostgresError(fault.error) }
}

/** Sends each query without waiting for the previous one. */
const sendPipelined = (client: Client, queries: readonly (string | PreparedQuery)[]): Promise<QueryAnswer[]> =>
  Promise.all(
    queries.map((it) =>
      client.query<SqlRow>(typeof it === 'string' ? { text: it } : it).then(
        (result): QueryAnswer => ({ ok: true, result }),
        (error: unknown): QueryAnswer => ({ ok: false, error }),
      ),
    ),
  )

/** Drops the results of the first and last query, which are BEGIN and COMMIT or their savepoint. */
const resultRows = (answers: readonly QueryAnswer[]): SqlRow[][] =>
  answers.slice(1, -1).flatMap((it) => (it.ok ? [it.result.rows] : []))

function splitByItem(items: readonly CommitItem[], rows: readonly SqlRow[][]): ItemResult[] {
  let end = 0
  return items.map((item) => {
    const start = end
    end += item.length
    return { ok: true, rows: rows.slice(start, end) }
  })
}
