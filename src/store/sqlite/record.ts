// Reads the record of the embedded database while others write, and writes a new one into a separate file.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { quoteIdentifier } from '../database/column-types.ts'
import { pickMigrations } from '../database/migrations.ts'
import {
  type Cell,
  DATABASE_OWN_TABLES,
  orderTables,
  type RecordDraft,
  type RecordSnapshot,
  type RecordTable,
} from '../record/record-snapshot.ts'
import { syncFolder } from '../record/sync-folder.ts'
import { withDamageError } from './damage-tracker.ts'
import { applySqlite, listAppliedInSqlite, MIGRATION_TABLE, migrateSqlite, sqliteMigrations } from './migrate-sqlite.ts'
import { runQuickCheck } from './quick-check.ts'
import { selectRows } from './select-rows.ts'

/** The first statement fixes the snapshot: later commits are invisible, and nobody has to wait. */
export async function openSqliteSnapshot(path: string): Promise<RecordSnapshot> {
  if (!existsSync(path)) throw new AppError('RECORD_MISSING', { place: path })
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 5000; BEGIN')
    const applied = withDamageError(() => {
      quickCheck(db)
      return listAppliedInSqlite(db, sqliteMigrations())
    })
    return {
      migrations: applied.map((it) => it.name),
      tables: listSqliteTables(db),
      numbers: readSequenceNumbers(db),
      async *rows({ name, columns }) {
        const rows = db.prepare(`SELECT ${columns.map(quoteIdentifier).join(', ')} FROM ${quoteIdentifier(name)}`)
        rows.setReturnArrays(true)
        // No number needs a bigint.
        for (const row of rows.iterate()) yield Object.values(row) as Cell[]
      },
      close: async () => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** A copy of a damaged database would only look like a backup. */
function quickCheck(db: DatabaseSync): void {
  const [answer = 'no result'] = runQuickCheck(db)
  if (answer !== 'ok') throw new AppError('RECORD_DAMAGED', { reason: answer })
}

const Named = z.object({ name: z.string() })
const Reference = z.object({ to: z.string() })

function listSqliteTables(db: DatabaseSync): RecordTable[] {
  const names = selectRows(
    db,
    Named,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> ?",
    MIGRATION_TABLE,
  )
  const tables = names.map(({ name }) => ({
    name,
    columns: selectRows(db, Named, 'SELECT name FROM pragma_table_info(?)', name).map((it) => it.name),
  }))
  const references = names.flatMap(({ name }) =>
    selectRows(db, Reference, 'SELECT "table" AS "to" FROM pragma_foreign_key_list(?)', name).map(({ to }) => ({
      from: name,
      to,
    })),
  )
  return orderTables(tables, references)
}

function readSequenceNumbers(db: DatabaseSync): Record<string, number> {
  const rows = selectRows(db, z.object({ name: z.string(), seq: z.int() }), 'SELECT name, seq FROM sqlite_sequence')
  return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]))
}

export interface SqliteDraftSettings {
  path: string
  /** Names of the migrations that the record had. */
  migrations: readonly string[]
  /** True sets an existing record aside; otherwise it is RECORD_EXISTS. */
  replace: boolean
  now: number
  failpoint: (name: string) => void
  /** Removes what no longer applies to the new record, just before it takes over. */
  beforeSwitch: () => void
}

export async function openSqliteDraft(settings: SqliteDraftSettings): Promise<RecordDraft> {
  const { path, replace } = settings
  if (existsSync(path) && !replace) throw new AppError('RECORD_EXISTS', { place: path })
  const draft = `${path}.restoring`
  removeDatabase(draft)
  const db = new DatabaseSync(draft)
  // The draft counts only when it is complete and synced, so until then nothing is synced.
  db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
  applySqlite(db, pickMigrations(sqliteMigrations(), settings.migrations))
  const tables = listSqliteTables(db)
  db.exec('BEGIN')
  for (const { name } of tables) if (!DATABASE_OWN_TABLES.has(name)) db.exec(`DELETE FROM ${quoteIdentifier(name)}`)
  return {
    tables,
    async add(table, columns, rows) {
      const placeholders = columns.map(() => '?').join(', ')
      const insert = db.prepare(
        `INSERT INTO ${quoteIdentifier(table)} (${columns.map(quoteIdentifier).join(', ')}) VALUES (${placeholders})`,
      )
      for (const row of rows) insert.run(...row)
    },
    async commit(numbers) {
      setSequenceNumbers(db, numbers)
      db.exec('COMMIT')
      checkForeignKeys(db)
      db.close()
      migrateSqlite(draft)
      syncFile(draft)
      settings.failpoint('restore-built')
      return installDraft(settings, draft)
    },
    async abandon() {
      if (db.isOpen) db.close()
      removeDatabase(draft)
    },
  }
}

function setSequenceNumbers(db: DatabaseSync, numbers: Readonly<Record<string, number>>): void {
  db.exec('DELETE FROM sqlite_sequence')
  const insert = db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
  for (const [name, seq] of Object.entries(numbers)) insert.run(name, seq)
}

function checkForeignKeys(db: DatabaseSync): void {
  const lost = selectRows(db, z.object({ table: z.string(), parent: z.string() }), 'PRAGMA foreign_key_check')
  const [first] = lost
  if (first !== undefined) {
    const reason = `${lost.length} rows reference missing rows, for example from ${first.table} to ${first.parent}`
    throw new AppError('BACKUP_INVALID', { reason })
  }
  quickCheck(db)
}

/**
 * One rename makes the draft the record. The former database is closed before, so that one file contains all of it: a
 * remaining log would be taken for that of the new record.
 */
function installDraft({ path, now, failpoint, beforeSwitch }: SqliteDraftSettings, draft: string): string | null {
  const former = `${path}.before-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`
  const aside = existsSync(path) ? former : null
  setDatabaseAside(path, former)
  failpoint('restore-aside')
  beforeSwitch()
  syncFolder(dirname(path))
  failpoint('restore-switching')
  renameSync(draft, path)
  syncFolder(dirname(path))
  failpoint('restore-switched')
  return aside
}

/** A damaged, emptied or missing database cannot be closed properly; then its log is set aside with it. */
function setDatabaseAside(path: string, aside: string): void {
  try {
    if (!statSync(path).size) throw new Error('opening it would discard its log')
    const db = new DatabaseSync(path)
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
  } catch {
    for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) linkOrCopy(path + suffix, aside + suffix)
  }
  if (existsSync(path)) linkOrCopy(path, aside)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Both names exist until the rename. Some file systems have no hard links; there the file is copied. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    syncFile(to)
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
}
