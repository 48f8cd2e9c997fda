// Migrates the database to the schema of this program. Migrations are numbered files, never edited after release; each
// runs in its own transaction with the row that records it.
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  readMigrations,
  recognizeMigrations,
  repairSql,
} from '../database/migrations.ts'

const SQL_FOLDER = join(import.meta.dirname, '../../../sql/postgres')
/** An arbitrary number, equal for all programs that share a database. */
const SCHEMA_LOCK = 7_402_001

/** Returns the migrations of this program in order of their numbers. */
export const postgresMigrations = (): Migration[] => readMigrations(SQL_FOLDER)

/**
 * If several programs start together, one migrates and the others wait. The client must not be used for anything else.
 */
export async function migratePostgres(
  client: ClientBase,
  onUpgrade: (migrations: string[]) => void = () => {},
): Promise<void> {
  await lockSchema(client)
  const known = postgresMigrations()
  const applied = await listAppliedInPostgres(client, known)
  const pending = pendingMigrations(known, applied)
  if (applied.length > 0 && pending.length > 0) onUpgrade(pending.map((it) => it.name))
  if (!(await hasColumn(client, 'schema_migration', 'name'))) {
    await client.query(
      `begin; ${applied.length === 0 ? '' : repairSql(applied)} ${CREATE_SCHEMA_TABLES}; ${insertMigrationsSql(applied)}; commit`,
    )
  }
  // One message is one transaction, unless its text says otherwise.
  for (const it of pending) await client.query(`begin; ${it.text}; ${insertMigrationsSql([it])}; commit`)
}

/** Holds the lock as long as the connection lives; programs that start meanwhile wait. */
export async function lockSchema(client: ClientBase): Promise<void> {
  await client.query('set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await client.query(`select pg_advisory_lock(${SCHEMA_LOCK})`)
}

/** Must run inside a transaction of the caller. */
export async function applyPostgres(client: ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(CREATE_SCHEMA_TABLES)
  for (const it of migrations) await client.query(`${it.text}; ${insertMigrationsSql([it])}`)
}

/**
 * Tables of the database itself, which backups do not contain. `schema_version` counts for programs that know no names.
 */
export const SCHEMA_TABLES = ['schema_migration', 'schema_version'] as const

const CREATE_SCHEMA_TABLES = `create table if not exists schema_migration
    (name text collate "C" primary key, sha256 text not null, applied_at bigint not null);
  create table if not exists schema_version (version bigint not null);
  insert into schema_version select 0 where not exists (select from schema_version)`

/** Names come from files of this program and hashes are hexadecimal, so neither contains a quote. */
const insertMigrationsSql = (applied: readonly AppliedMigration[]): string =>
  [
    ...applied.map(({ name, sha256 }) => `insert into schema_migration values ('${name}', '${sha256}', ${Date.now()})`),
    'update schema_version set version = (select count(*) from schema_migration)',
  ].join('; ')

/** Throws when the database belongs to a newer or unknown program. */
export async function listAppliedInPostgres(
  client: ClientBase,
  known: readonly Migration[],
): Promise<AppliedMigration[]> {
  const names = (await hasColumn(client, 'schema_migration', 'name'))
    ? (await client.query<AppliedMigration>('select name, sha256 from schema_migration order by name')).rows
    : []
  const count = await readSchemaVersion(client)
  if (count <= names.length) return names
  const columns = await listColumns(client)
  return recognizeMigrations(count, known, (table, column) => columns.has(`${table}.${column}`))
}

async function readSchemaVersion(client: ClientBase): Promise<number> {
  if (!(await hasColumn(client, 'schema_version', 'version'))) return 0
  const { rows } = await client.query<{ version: string | number }>('select version from schema_version')
  return Number(rows[0]?.version ?? 0)
}

const hasColumn = async (client: ClientBase, table: string, column: string): Promise<boolean> =>
  (await listColumns(client, table)).has(`${table}.${column}`)

async function listColumns(client: ClientBase, table?: string): Promise<Set<string>> {
  const { rows } = await client.query<{ it: string }>(
    `select table_name || '.' || column_name as it from information_schema.columns
      where table_schema = current_schema() and ($1::text is null or table_name = $1)`,
    [table ?? null],
  )
  return new Set(rows.map(({ it }) => it))
}
