// One transaction for many items. They go out in one piece, without savepoints; only if one of them fails, all is done
// again item by item, each in a savepoint of its own.
import type { Client, QueryResult } from 'pg'
import type { ItemResult, Row, Statement } from './database.ts'
import { errorOf, isLost, isWhole } from './postgres-connect.ts'
import { postgresText } from './postgres-statement.ts'

export type Item = readonly Statement[]

interface Prepared {
  name?: string
  text: string
  values: unknown[]
}
export type Prepare = (statement: Statement) => Prepared

type Success = { ok: true; result: QueryResult<Row> }
type Answer = Success | { ok: false; error: unknown }

const MAX_NAMES = 500

/** Resolves after COMMIT. Rejects, with nothing kept, when the fault is no item's own. */
export async function commitItems(client: Client, prepare: Prepare, items: readonly Item[]): Promise<ItemResult[]> {
  const answers = await send(client, ['begin', ...items.flatMap((item) => item.map(prepare)), 'commit'])
  const fault = answers.find((it) => !it.ok)
  if (fault === undefined) return split(items, rowsOf(answers))
  // The server has made a ROLLBACK of the COMMIT.
  if (isWhole(fault.error)) throw fault.error
  return items.length === 1 ? [{ ok: false, error: errorOf(fault.error) }] : commitOneByOne(client, prepare, items)
}

/** The server keeps the plan of a text that comes again; one of its own each time (a list of values) is not kept. */
export function preparing(): Prepare {
  const known = new Map<string, { name: string; text: string }>()
  return ({ sql, parameters }) => {
    const values = [...parameters]
    const found = known.get(sql)
    if (found !== undefined) return { ...found, values }
    const text = postgresText(sql)
    if (known.size >= MAX_NAMES) return { text, values }
    const named = { name: `s${known.size + 1}`, text }
    known.set(sql, named)
    return { ...named, values }
  }
}

async function commitOneByOne(client: Client, prepare: Prepare, items: readonly Item[]): Promise<ItemResult[]> {
  const results: ItemResult[] = []
  try {
    await client.query('begin')
    for (const item of items) results.push(await tryItem(client, item.map(prepare)))
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error(`the server answered COMMIT with ${command}`)
    return results
  } catch (error) {
    if (!isLost(error)) await client.query('rollback')
    throw error
  }
}

async function tryItem(client: Client, statements: readonly Prepared[]): Promise<ItemResult> {
  const answers = await send(client, ['savepoint item', ...statements, 'release item'])
  const fault = answers.find((it) => !it.ok)
  if (fault === undefined) return { ok: true, rows: rowsOf(answers) }
  if (isWhole(fault.error)) throw fault.error
  await client.query('rollback to item; release item')
  return { ok: false, error: errorOf(fault.error) }
}

/** Each is sent without waiting for the one before. */
const send = (client: Client, queries: readonly (string | Prepared)[]): Promise<Answer[]> =>
  Promise.all(
    queries.map((it) =>
      client.query<Row>(it as Prepared).then(
        (result): Answer => ({ ok: true, result }),
        (error: unknown): Answer => ({ ok: false, error }),
      ),
    ),
  )

/** Without those of the first and the last, which are ours. */
const rowsOf = (answers: readonly Answer[]): Row[][] => answers.slice(1, -1).map((it) => (it as Success).result.rows)

function split(items: readonly Item[], rows: readonly Row[][]): ItemResult[] {
  let end = 0
  return items.map((item) => {
    const start = end
    end += item.length
    return { ok: true, rows: rows.slice(start, end) }
  })
}
