// Migrates a database to the schema of this program. Migrations are numbered files, never edited after release; each
// runs in its own transaction with the row that records it.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  readMigrations,
  recognizeMigrations,
  repairSql,
} from '../database/migrations.ts'
import { selectRow, selectRows } from './select-rows.ts'

const SQL_FOLDER = join(import.meta.dirname, '../../../sql/sqlite')
/** Belongs to the database itself; backups do not contain it. */
export const MIGRATION_TABLE = 'schema_migration'

/** Returns the migrations of this program in order of their numbers. */
export const sqliteMigrations = (): Migration[] => readMigrations(SQL_FOLDER)

export interface MigrateOptions {
  /** For tests: called with each step at which a crash matters. */
  failpoint?: (name: string) => void
  /** Called before a database that is already in use is changed. */
  beforeChange?: (db: DatabaseSync, from: number) => void
  known?: readonly Migration[]
}

export function migrateSqlite(
  path: string,
  { failpoint, beforeChange, known = sqliteMigrations() }: MigrateOptions = {},
): void {
  const db = new DatabaseSync(path)
  try {
    // A power cut may take the last migrations, each of them whole; the next start repeats them. The checkpoint syncs all.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    const applied = listAppliedInSqlite(db, known)
    const pending = pendingMigrations(known, applied)
    if (applied.length > 0 && pending.length > 0) beforeChange?.(db, applied.length)
    if (!hasMigrationTable(db)) nameCountedMigrations(db, applied)
    applySqlite(db, pending, failpoint)
    // `close` would do the same but hide a failure.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

/** Throws when the database belongs to a newer or unknown program. */
export function listAppliedInSqlite(db: DatabaseSync, known: readonly Migration[]): AppliedMigration[] {
  const count = readUserVersion(db)
  const names = hasMigrationTable(db)
    ? selectRows(db, MigrationRow, `SELECT name, sha256 FROM ${MIGRATION_TABLE} ORDER BY name`)
    : []
  if (count > names.length) return recognizeMigrations(count, known, (table, column) => hasColumn(db, table, column))
  return names
}

const MigrationRow: z.ZodType<AppliedMigration> = z.object({ name: z.string(), sha256: z.string() })

/** Must run outside of a transaction, because each file has its own. */
export function applySqlite(
  db: DatabaseSync,
  migrations: readonly Migration[],
  failpoint: (name: string) => void = () => {},
): void {
  for (const it of migrations) {
    db.exec('BEGIN IMMEDIATE')
    failpoint('migration-begun')
    db.exec(it.text)
    db.exec(CREATE_MIGRATION_TABLE)
    insertMigrationRow(db, it)
    failpoint('migration-applied')
    db.exec('COMMIT')
    failpoint('migration-committed')
  }
}

/** `user_version` keeps counting, so that programs that only count refuse the database. */
const CREATE_MIGRATION_TABLE = `CREATE TABLE IF NOT EXISTS ${MIGRATION_TABLE}
  (name text primary key, sha256 text not null, applied_at integer not null) without rowid`

function insertMigrationRow(db: DatabaseSync, { name, sha256 }: AppliedMigration): void {
  db.prepare(`INSERT INTO ${MIGRATION_TABLE} VALUES (?, ?, ?)`).run(name, sha256, Date.now())
  const { count } = selectRow(db, z.object({ count: z.int() }), `SELECT count(*) AS count FROM ${MIGRATION_TABLE}`)
  db.exec(`PRAGMA user_version = ${count}`)
}

/** For databases whose migrations were only counted. */
function nameCountedMigrations(db: DatabaseSync, counted: readonly AppliedMigration[]): void {
  db.exec(`BEGIN IMMEDIATE; ${repairSql(counted)} ${CREATE_MIGRATION_TABLE}`)
  for (const it of counted) insertMigrationRow(db, it)
  db.exec('COMMIT')
}

const hasMigrationTable = (db: DatabaseSync) => hasColumn(db, MIGRATION_TABLE, 'name')

const hasColumn = (db: DatabaseSync, table: string, column: string) =>
  db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined

const readUserVersion = (db: DatabaseSync) =>
  selectRow(db, z.object({ user_version: z.int() }), 'PRAGMA user_version').user_version
