// Compares a database file with the schema of this program, and upgrades it after making a copy.
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { type AppliedMigration, type Migration, pendingMigrations } from '../database/migrations.ts'
import { freeBytesIn } from '../record/free-space.ts'
import { COMMIT_COUNTER } from '../record/record-file-head.ts'
import { syncFolder } from '../record/sync-folder.ts'
import { withDamageError } from './damage-tracker.ts'
import { resultCode } from './error-codes.ts'
import { listAppliedInSqlite, migrateSqlite, sqliteMigrations } from './migrate-sqlite.ts'
import { selectRow } from './select-rows.ts'

export interface SchemaState {
  /** Number of applied migrations; 0 when there is no database. */
  current: number
  /** Number of migrations of this program. */
  target: number
  /** Files of the pending migrations, in order. */
  migrations: string[]
  bytes: number
}

export function toSchemaState(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  bytes: number,
): SchemaState {
  const migrations = pendingMigrations(known, applied).map((it) => it.name)
  return { current: applied.length, target: known.length, migrations, bytes }
}

/** Throws when this program cannot use the database, as a start would. */
export function readSqliteSchema(path: string): SchemaState {
  const known = sqliteMigrations()
  const applied = statSync(path, { throwIfNoEntry: false })?.size
    ? withDamageError(() => readDatabase(path, (db) => listAppliedInSqlite(db, known)))
    : []
  const bytes = [path, `${path}-wal`].reduce((sum, it) => sum + (statSync(it, { throwIfNoEntry: false })?.size ?? 0), 0)
  return toSchemaState(known, applied, bytes)
}

/** Throughput of a typical disk, with a margin. */
const BYTES_PER_SECOND = 50e6

/** Describes the upgrade of a database in this state. Without a path the database is not a local file. */
export function planUpgrade(state: SchemaState, { path, dataDir }: { path: string | null; dataDir: string }) {
  const { bytes: databaseBytes, ...schema } = state
  const isChange = state.current !== 0 && state.migrations.length > 0
  return {
    ...schema,
    databaseBytes,
    freeBytes: path === null ? null : freeBytesIn(dataDir),
    copy: isChange && path !== null ? upgradeCopyPath(path, state.current) : null,
    estimatedSeconds: Math.ceil(databaseBytes / BYTES_PER_SECOND),
  }
}

/** Returns null for a missing, empty or schemaless file: opening an empty file would discard its log. */
export function peekSqlite(path: string): { id: string | null; changes: number; commits: number } | null {
  if (!(statSync(path, { throwIfNoEntry: false })?.size ?? 0)) return null
  return withDamageError(() =>
    readDatabase(path, (db) => {
      if (listAppliedInSqlite(db, sqliteMigrations()).length === 0) return null
      const isNamed = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'record_identity'").get() !== undefined
      const id = isNamed ? selectRow(db, z.object({ id: z.string() }), 'SELECT id FROM record_identity').id : null
      const count = (name: string) =>
        selectRow(db, Counter.optional(), 'SELECT value FROM sequence WHERE name = ?', name)?.value ?? 0
      return { id, changes: count('change'), commits: count(COMMIT_COUNTER) }
    }),
  )
}

const Counter = z.object({ value: z.int() })

function readDatabase<T>(path: string, ask: (db: DatabaseSync) => T): T {
  const queryOnce = (readOnly: boolean) => {
    const db = new DatabaseSync(path, { readOnly })
    try {
      return ask(db)
    } finally {
      db.close()
    }
  }
  try {
    return queryOnce(true)
  } catch (error) {
    if (error instanceof AppError) throw error
    // Reading requires recovery first if the very first start crashed.
    return queryOnce(false)
  }
}

const KEPT_COPIES = 2

export const upgradeCopyPath = (path: string, schema: number): string =>
  join(dirname(path), 'before-upgrade', `pharos-schema-${schema}.db`)

/**
 * Upgrades the database to the schema of this program; nobody may write to it meanwhile. A database that migrations
 * will change is copied first. Returns the path of the copy, or null when there was nothing to copy. Only the newest
 * copies are kept.
 */
export function upgradeSqlite(path: string, failpoint: (name: string) => void): string | null {
  let copy: string | null = null
  const beforeChange = (db: DatabaseSync, from: number) => {
    copy = upgradeCopyPath(path, from)
    keepCopy(db, copy, failpoint)
  }
  withDamageError(() => migrateSqlite(path, { failpoint, beforeChange }))
  return copy
}

function keepCopy(db: DatabaseSync, copy: string, failpoint: (name: string) => void): void {
  const folder = dirname(copy)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeCopy(db, `${copy}.part`)
  failpoint('upgrade-copied')
  renameSync(`${copy}.part`, copy)
  syncFolder(folder)
  failpoint('upgrade-kept')
  removeOldCopies(folder, copy)
}

function writeCopy(db: DatabaseSync, part: string): void {
  rmSync(part, { force: true })
  try {
    db.prepare('VACUUM INTO ?').run(part)
  } catch (error) {
    rmSync(part, { force: true })
    throw isFull(error) ? new AppError('STORE_FULL', {}, { cause: error }) : error
  }
  const file = openSync(part, 'r+')
  fsyncSync(file)
  closeSync(file)
}

const SQLITE_FULL = 13
const isFull = (error: unknown) => resultCode(error) === SQLITE_FULL

function removeOldCopies(folder: string, newest: string): void {
  const age = (path: string) => statSync(path).mtimeMs
  const older = readdirSync(folder)
    .filter((it) => /^pharos-schema-\d+\.db$/.test(it))
    .map((it) => join(folder, it))
    .filter((it) => it !== newest)
    .sort((a, b) => age(b) - age(a))
  for (const it of older.slice(KEPT_COPIES - 1)) rmSync(it)
}
