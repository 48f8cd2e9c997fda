// Reads the PostgreSQL record in one snapshot while others write, and replaces it in one transaction.
import { Client } from 'pg'
import { AppError } from '../../domain/errors.ts'
import { quoteIdentifier } from '../database/column-types.ts'
import { pendingMigrations, pickMigrations } from '../database/migrations.ts'
import {
  type Cell,
  DATABASE_OWN_TABLES,
  orderTables,
  type RecordDraft,
  type RecordSnapshot,
  type RecordTable,
} from '../record/record-snapshot.ts'
import { type SchemaState, toSchemaState } from '../sqlite/upgrade-sqlite.ts'
import { checkServerSettings, connectionConfig, toStoreUnfit, translatePostgresError } from './connection.ts'
import {
  applyPostgres,
  listAppliedInPostgres,
  lockSchema,
  postgresMigrations,
  SCHEMA_TABLES,
} from './migrate-postgres.ts'

/** Rows per fetch; a row may hold 16 million characters. */
const FETCH_ROWS = 32
const MAX_VALUES = 60_000
/** Distinguishes offline commands from running services, which must not run while the record is replaced. */
const OFFLINE_APPLICATION_NAME = 'pharos-offline'

export async function openPostgresSnapshot(url: string): Promise<RecordSnapshot> {
  const client = await connectOffline(url)
  try {
    await client.query('begin isolation level repeatable read read only')
    const isThere = await client.query("select to_regclass('schema_version') as it")
    if (isThere.rows[0].it === null) throw new AppError('RECORD_MISSING', { place: 'the database of DATABASE_URL' })
    return {
      migrations: (await listAppliedInPostgres(client, postgresMigrations())).map((it) => it.name),
      tables: await listPostgresTables(client),
      numbers: await readIdentityNumbers(client),
      async *rows({ name, columns }) {
        await client.query(
          `declare rows no scroll cursor for select ${columns.map(quoteIdentifier).join(', ')} from ${quoteIdentifier(name)}`,
        )
        for (;;) {
          const { rows } = await client.query<Cell[]>({ text: `fetch ${FETCH_ROWS} from rows`, rowMode: 'array' })
          yield* rows
          if (rows.length < FETCH_ROWS) break
        }
        await client.query('close rows')
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw translatePostgresError(error)
  }
}

/** Like `readSqliteSchema`. */
export async function readPostgresSchema(url: string): Promise<SchemaState> {
  const client = await connectOffline(url)
  try {
    const known = postgresMigrations()
    const { bytes } = await selectOne<{ bytes: number }>(client, 'select pg_database_size(current_database()) as bytes')
    return toSchemaState(known, await listAppliedInPostgres(client, known), bytes)
  } finally {
    await client.end()
  }
}

/** Like `peekSqlite`. */
export async function peekPostgres(
  url: string,
): Promise<{ id: string | null; changes: number; commits: number } | null> {
  const client = await connectOffline(url)
  try {
    if ((await listAppliedInPostgres(client, postgresMigrations())).length === 0) return null
    const named = await client.query("select to_regclass('record_identity') as it")
    const { rows } = await client.query<{ value: number }>("select value from sequence where name = 'change'")
    const identity = named.rows[0].it === null ? undefined : await client.query('select id from record_identity')
    return { id: identity?.rows[0].id ?? null, changes: rows[0]?.value ?? 0, commits: 0 }
  } finally {
    await client.end()
  }
}

async function connectOffline(url: string): Promise<Client> {
  const client = new Client({
    ...connectionConfig(url),
    application_name: OFFLINE_APPLICATION_NAME,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  })
  // The next query rejects with the error.
  client.on('error', () => {})
  try {
    await client.connect()
    await checkServerSettings(client)
    return client
  } catch (error) {
    await client.end()
    throw toStoreUnfit(error)
  }
}

const OWN_TABLES_CONDITION = `table_schema = current_schema() and table_name not in (${SCHEMA_TABLES.map((it) => `'${it}'`).join(', ')})`

async function listPostgresTables(client: Client): Promise<RecordTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select table_name::text as name, array_agg(column_name::text order by ordinal_position) as columns
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where ${OWN_TABLES_CONDITION} and table_type = 'BASE TABLE' group by table_name`,
  )
  const references = await client.query<{ from: string; to: string }>(
    `select a.relname::text as "from", b.relname::text as "to" from pg_constraint
      join pg_class a on a.oid = conrelid join pg_class b on b.oid = confrelid
      where contype = 'f' and connamespace = current_schema()::regnamespace`,
  )
  return orderTables(rows, references.rows)
}

/** Tables number their rows by an identity column. A column that has given no number yet has no last value. */
async function readIdentityNumbers(client: Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; number: number | null }>(
    `select table_name::text as name, pg_sequence_last_value(pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass)
      as number from information_schema.columns where ${OWN_TABLES_CONDITION} and is_identity = 'YES'`,
  )
  return Object.fromEntries(rows.flatMap(({ name, number }) => (number === null ? [] : [[name, number]])))
}

export interface PostgresDraftSettings {
  url: string
  /** Names of the migrations that the record had. */
  migrations: readonly string[]
  /** True sets an existing record aside; otherwise it is RECORD_EXISTS. */
  replace: boolean
  now: number
  failpoint: (name: string) => void
  /** Removes what no longer applies to the new record, just before it takes over. */
  beforeSwitch: () => void
}

export async function openPostgresDraft(settings: PostgresDraftSettings): Promise<RecordDraft> {
  const client = await connectOffline(settings.url)
  try {
    await lockSchema(client)
    await client.query('begin')
    await refuseWhileUsed(client)
    const formerPlace = await setSchemaAside(client, settings)
    await applyPostgres(client, pickMigrations(postgresMigrations(), settings.migrations))
    const tables = await listPostgresTables(client)
    for (const { name } of tables.toReversed()) {
      if (!DATABASE_OWN_TABLES.has(name)) await client.query(`delete from ${quoteIdentifier(name)}`)
    }
    return createDraft(client, tables, formerPlace, settings)
  } catch (error) {
    await client.end()
    throw translatePostgresError(error)
  }
}

function createDraft(
  client: Client,
  tables: readonly RecordTable[],
  formerPlace: string | null,
  { failpoint, beforeSwitch }: PostgresDraftSettings,
): RecordDraft {
  return {
    tables,
    async add(table, columns, rows) {
      const most = Math.floor(MAX_VALUES / columns.length)
      for (let at = 0; at < rows.length; at += most) await insertRows(client, table, columns, rows.slice(at, at + most))
    },
    async commit(numbers) {
      try {
        await setIdentityNumbers(client, tables, numbers)
        const known = postgresMigrations()
        await applyPostgres(client, pendingMigrations(known, await listAppliedInPostgres(client, known)))
        failpoint('restore-built')
        beforeSwitch()
        failpoint('restore-switching')
        await client.query('commit')
        failpoint('restore-switched')
        await client.query('analyze')
        return formerPlace
      } catch (error) {
        throw translatePostgresError(error)
      } finally {
        await client.end()
      }
    },
    abandon: () => client.end(),
  }
}

async function insertRows(
  client: Client,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const placeholders = rows.map(
    (_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`).join(', ')})`,
  )
  const text = `insert into ${quoteIdentifier(table)} (${columns.map(quoteIdentifier).join(', ')}) values ${placeholders.join(', ')}`
  try {
    await client.query(
      text,
      rows.flat().map((it) => (it instanceof Uint8Array ? Buffer.from(it) : it)),
    )
  } catch (error) {
    throw translatePostgresError(error)
  }
}

/** For a query of one row, such as a selection without a table. */
async function selectOne<Row extends object>(client: Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text)
  const [row] = rows
  if (row === undefined) throw new Error(`no row was selected by: ${text}`)
  return row
}

async function refuseWhileUsed(client: Client): Promise<void> {
  const { connections } = await selectOne<{ connections: number }>(
    client,
    `select count(*) as connections from pg_stat_activity
      where datname = current_database() and application_name = 'pharos' and pid <> pg_backend_pid()`,
  )
  if (connections > 0) throw new AppError('RECORD_IN_USE', { reason: `${connections} connections of a running Pharos` })
}

/** Renames the whole schema with everything in it. */
async function setSchemaAside(client: Client, { replace, now }: PostgresDraftSettings): Promise<string | null> {
  const { schema, tables } = await selectOne<{ schema: string; tables: number }>(
    client,
    `select current_schema()::text as schema, (select count(*) from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')) as tables`,
  )
  if (tables === 0) return null
  if (!replace) throw new AppError('RECORD_EXISTS', { place: `the database of DATABASE_URL, schema ${schema}` })
  const aside = `${schema}_before_${new Date(now).toISOString().replace(/[-:T]|\.\d+Z/g, '')}`
  await client.query(
    `alter schema ${quoteIdentifier(schema)} rename to ${quoteIdentifier(aside)}; create schema ${quoteIdentifier(schema)}`,
  )
  return `schema ${aside}`
}

/** Uses the highest existing number when no number was given. */
async function setIdentityNumbers(
  client: Client,
  tables: readonly RecordTable[],
  numbers: Readonly<Record<string, number>>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; column: string }>(
    `select table_name::text as name, column_name::text as column from information_schema.columns
      where ${OWN_TABLES_CONDITION} and is_identity = 'YES'`,
  )
  const known = new Set(tables.map((it) => it.name))
  for (const { name, column } of rows.filter((it) => known.has(it.name))) {
    const sequence = `pg_get_serial_sequence(quote_ident($1), $2)`
    const highest = `greatest($3::bigint, (select max(${quoteIdentifier(column)}) from ${quoteIdentifier(name)}))`
    await client.query(`select setval(${sequence}, greatest(${highest}, 1), ${highest} >= 1)`, [
      name,
      column,
      numbers[name] ?? 0,
    ])
  }
}
