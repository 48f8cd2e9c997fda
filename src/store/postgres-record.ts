// The record in PostgreSQL, read in one snapshot while others write to it, and made anew in one transaction.
import { Client } from 'pg'
import { AppError } from '../domain/errors.ts'
import { checkServer, connectionOf, errorOf, unfit } from './postgres-connect.ts'
import { applyPostgres, lockSchema, postgresMigrations, schemaOfPostgres } from './postgres-migrate.ts'
import {
  type Cell,
  inOrder,
  OWN_TABLES,
  type RecordDraft,
  type RecordSnapshot,
  type RecordTable,
} from './record-snapshot.ts'
import type { SchemaState } from './upgrade.ts'

/** Rows asked for at a time: one may hold 16 million characters. */
const PAGE = 32
const MAX_VALUES = 60_000
/** Told apart from programs that run, which must not while the record is replaced. */
const NAME = 'pharos-offline'

export async function openPostgresSnapshot(url: string): Promise<RecordSnapshot> {
  const client = await connect(url)
  try {
    await client.query('begin isolation level repeatable read read only')
    const isThere = await client.query("select to_regclass('schema_version') as it")
    if (isThere.rows[0].it === null) throw new AppError('RECORD_MISSING', { place: 'the database of DATABASE_URL' })
    return {
      schema: await schemaOfPostgres(client),
      tables: await tablesOf(client),
      numbers: await numbersOf(client),
      async *rows({ name, columns }) {
        await client.query(
          `declare rows no scroll cursor for select ${columns.map(quoted).join(', ')} from ${quoted(name)}`,
        )
        for (;;) {
          const { rows } = await client.query({ text: `fetch ${PAGE} from rows`, rowMode: 'array' })
          yield* rows as Cell[][]
          if (rows.length < PAGE) break
        }
        await client.query('close rows')
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw errorOf(error)
  }
}

/** As `inspectSqlite`. */
export async function inspectPostgres(url: string): Promise<SchemaState> {
  const client = await connect(url)
  try {
    const files = postgresMigrations()
    const { rows } = await client.query<{ it: string | null; bytes: number }>(
      "select to_regclass('schema_version') as it, pg_database_size(current_database()) as bytes",
    )
    const { it, bytes } = rows[0]!
    const current = it === null ? 0 : await schemaOfPostgres(client)
    if (current > files.length) throw new AppError('SCHEMA_NEWER', { found: current, known: files.length })
    return { current, target: files.length, migrations: files.slice(current), bytes }
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    ...connectionOf(url),
    application_name: NAME,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  })
  // Whatever is asked next rejects with it.
  client.on('error', () => {})
  try {
    await client.connect()
    await checkServer(client)
    return client
  } catch (error) {
    await client.end()
    throw error instanceof AppError ? error : unfit(error instanceof Error ? error.message : String(error), error)
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const OURS = "table_schema = current_schema() and table_name <> 'schema_version'"

async function tablesOf(client: Client): Promise<RecordTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select table_name::text as name, array_agg(column_name::text order by ordinal_position) as columns
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where ${OURS} and table_type = 'BASE TABLE' group by table_name`,
  )
  const references = await client.query<{ from: string; to: string }>(
    `select a.relname::text as "from", b.relname::text as "to" from pg_constraint
      join pg_class a on a.oid = conrelid join pg_class b on b.oid = confrelid
      where contype = 'f' and connamespace = current_schema()::regnamespace`,
  )
  return inOrder(rows, references.rows)
}

/** A table numbers its rows by an identity column; one that has given no number yet has no last one. */
async function numbersOf(client: Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; number: number | null }>(
    `select table_name::text as name, pg_sequence_last_value(pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass)
      as number from information_schema.columns where ${OURS} and is_identity = 'YES'`,
  )
  return Object.fromEntries(rows.flatMap(({ name, number }) => (number === null ? [] : [[name, number]])))
}

export interface PostgresDraftSettings {
  url: string
  schema: number
  /** Whether a record that is there already is set aside; else it is RECORD_EXISTS. */
  replace: boolean
  now: number
  failpoint: (name: string) => void
  /** What no longer holds once the record is another one; done just before that. */
  beforeSwitch: () => void
}

export async function openPostgresDraft(settings: PostgresDraftSettings): Promise<RecordDraft> {
  const client = await connect(settings.url)
  try {
    await lockSchema(client)
    await client.query('begin')
    await refuseWhileUsed(client)
    const aside = await setAside(client, settings)
    await applyPostgres(client, 0, settings.schema)
    const tables = await tablesOf(client)
    for (const { name } of tables.toReversed()) {
      if (!OWN_TABLES.has(name)) await client.query(`delete from ${quoted(name)}`)
    }
    return draftOf(client, tables, aside, settings)
  } catch (error) {
    await client.end()
    throw errorOf(error)
  }
}

function draftOf(
  client: Client,
  tables: readonly RecordTable[],
  aside: string | null,
  { schema, failpoint, beforeSwitch }: PostgresDraftSettings,
): RecordDraft {
  return {
    tables,
    async add(table, columns, rows) {
      const most = Math.floor(MAX_VALUES / columns.length)
      for (let at = 0; at < rows.length; at += most) await insert(client, table, columns, rows.slice(at, at + most))
    },
    async commit(numbers) {
      try {
        await giveNumbers(client, tables, numbers)
        await applyPostgres(client, schema, postgresMigrations().length)
        failpoint('restore-built')
        beforeSwitch()
        failpoint('restore-switching')
        await client.query('commit')
        failpoint('restore-switched')
        await client.query('analyze')
        return aside
      } catch (error) {
        throw errorOf(error)
      } finally {
        await client.end()
      }
    },
    abandon: () => client.end(),
  }
}

async function insert(
  client: Client,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const marks = rows.map((_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`).join(', ')})`)
  const text = `insert into ${quoted(table)} (${columns.map(quoted).join(', ')}) values ${marks.join(', ')}`
  try {
    await client.query(
      text,
      rows.flat().map((it) => (it instanceof Uint8Array ? Buffer.from(it) : it)),
    )
  } catch (error) {
    throw errorOf(error)
  }
}

async function refuseWhileUsed(client: Client): Promise<void> {
  const { rows } = await client.query<{ connections: number }>(
    `select count(*) as connections from pg_stat_activity
      where datname = current_database() and application_name = 'pharos' and pid <> pg_backend_pid()`,
  )
  const connections = rows[0]?.connections ?? 0
  if (connections > 0) throw new AppError('RECORD_IN_USE', { reason: `${connections} connections of a running Pharos` })
}

/** The whole schema takes another name, with whatever else is in it. */
async function setAside(client: Client, { replace, now }: PostgresDraftSettings): Promise<string | null> {
  const { rows } = await client.query<{ schema: string; tables: number }>(
    `select current_schema()::text as schema, (select count(*) from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')) as tables`,
  )
  const { schema, tables } = rows[0]!
  if (tables === 0) return null
  if (!replace) throw new AppError('RECORD_EXISTS', { place: `the database of DATABASE_URL, schema ${schema}` })
  const aside = `${schema}_before_${new Date(now).toISOString().replace(/[-:T]|\.\d+Z/g, '')}`
  await client.query(`alter schema ${quoted(schema)} rename to ${quoted(aside)}; create schema ${quoted(schema)}`)
  return `schema ${aside}`
}

/** Without a number given so far, the highest that is there. */
async function giveNumbers(
  client: Client,
  tables: readonly RecordTable[],
  numbers: Readonly<Record<string, number>>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; column: string }>(
    `select table_name::text as name, column_name::text as column from information_schema.columns
      where ${OURS} and is_identity = 'YES'`,
  )
  const known = new Set(tables.map((it) => it.name))
  for (const { name, column } of rows.filter((it) => known.has(it.name))) {
    const sequence = `pg_get_serial_sequence(quote_ident($1), $2)`
    const highest = `greatest($3::bigint, (select max(${quoted(column)}) from ${quoted(name)}))`
    await client.query(`select setval(${sequence}, greatest(${highest}, 1), ${highest} >= 1)`, [
      name,
      column,
      numbers[name] ?? 0,
    ])
  }
}
