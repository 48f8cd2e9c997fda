// The record of the embedded database, read while others write to it, and written into a file of its own.
import { closeSync, copyFileSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../domain/errors.ts'
import { applySqlite, migrateSqlite, schemaOfSqlite } from './migrate.ts'
import {
  type Cell,
  inOrder,
  OWN_TABLES,
  type RecordDraft,
  type RecordSnapshot,
  type RecordTable,
} from './record-snapshot.ts'
import { sayingDamage } from './sqlite-damage.ts'
import { syncFolder } from './sync-folder.ts'

/** Its first statement fixes the moment: what is committed later is not seen, and nobody waits for it. */
export async function openSqliteSnapshot(path: string): Promise<RecordSnapshot> {
  if (!existsSync(path)) throw new AppError('RECORD_MISSING', { place: path })
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.exec('PRAGMA busy_timeout = 5000; BEGIN')
    const schema = sayingDamage(() => {
      checkSound(db)
      return schemaOfSqlite(db)
    })
    return {
      schema,
      tables: tablesOf(db),
      numbers: numbersOf(db),
      async *rows({ name, columns }) {
        const rows = db.prepare(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}`)
        rows.setReturnArrays(true)
        for (const row of rows.iterate()) yield row as unknown as Cell[]
      },
      close: async () => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** A copy of a damaged database would only look like a backup. */
function checkSound(db: DatabaseSync): void {
  const [first] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
  if (first?.quick_check !== 'ok') throw new AppError('RECORD_DAMAGED', { reason: first?.quick_check ?? 'no answer' })
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

function tablesOf(db: DatabaseSync): RecordTable[] {
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all() as { name: string }[]
  const tables = names.map(({ name }) => ({
    name,
    columns: (db.prepare('SELECT name FROM pragma_table_info(?)').all(name) as { name: string }[]).map((it) => it.name),
  }))
  const references = names.flatMap(({ name }) =>
    (db.prepare('SELECT "table" AS "to" FROM pragma_foreign_key_list(?)').all(name) as { to: string }[]).map(
      ({ to }) => ({ from: name, to }),
    ),
  )
  return inOrder(tables, references)
}

function numbersOf(db: DatabaseSync): Record<string, number> {
  const rows = db.prepare('SELECT name, seq FROM sqlite_sequence').all() as { name: string; seq: number }[]
  return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]))
}

export interface SqliteDraftSettings {
  path: string
  schema: number
  /** Whether a record that is there already is set aside; else it is RECORD_EXISTS. */
  replace: boolean
  now: number
  failpoint: (name: string) => void
  /** What no longer holds once the record is another one; done just before that. */
  beforeSwitch: () => void
}

export async function openSqliteDraft(settings: SqliteDraftSettings): Promise<RecordDraft> {
  const { path, schema, replace } = settings
  if (existsSync(path) && !replace) throw new AppError('RECORD_EXISTS', { place: path })
  const draft = `${path}.restoring`
  removeDatabase(draft)
  const db = new DatabaseSync(draft)
  // Nothing of it counts before it is whole and synced, so until then the disk need not keep up.
  db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
  applySqlite(db, 0, schema)
  const tables = tablesOf(db)
  db.exec('BEGIN')
  for (const { name } of tables) if (!OWN_TABLES.has(name)) db.exec(`DELETE FROM ${quoted(name)}`)
  return {
    tables,
    async add(table, columns, rows) {
      const marks = columns.map(() => '?').join(', ')
      const insert = db.prepare(`INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${marks})`)
      for (const row of rows) insert.run(...row)
    },
    async commit(numbers) {
      giveNumbers(db, numbers)
      db.exec('COMMIT')
      checkWhole(db)
      db.close()
      migrateSqlite(draft)
      syncFile(draft)
      settings.failpoint('restore-built')
      return install(settings, draft)
    },
    async abandon() {
      if (db.isOpen) db.close()
      removeDatabase(draft)
    },
  }
}

function giveNumbers(db: DatabaseSync, numbers: Readonly<Record<string, number>>): void {
  db.exec('DELETE FROM sqlite_sequence')
  const insert = db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
  for (const [name, seq] of Object.entries(numbers)) insert.run(name, seq)
}

function checkWhole(db: DatabaseSync): void {
  const lost = db.prepare('PRAGMA foreign_key_check').all() as { table: string; parent: string }[]
  const [first] = lost
  if (first !== undefined) {
    const reason = `${lost.length} rows refer to others that it does not hold, of ${first.table} to ${first.parent}`
    throw new AppError('BACKUP_INVALID', { reason })
  }
  checkSound(db)
}

/**
 * One rename makes the draft the record. Before it, the old one is closed so that all of it is in one file: a log that
 * stayed behind would be taken for the new record's.
 */
function install({ path, now, failpoint, beforeSwitch }: SqliteDraftSettings, draft: string): string | null {
  const aside = existsSync(path) ? `${path}.before-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}` : null
  if (aside !== null) setAside(path, aside)
  failpoint('restore-aside')
  beforeSwitch()
  syncFolder(dirname(path))
  failpoint('restore-switching')
  renameSync(draft, path)
  syncFolder(dirname(path))
  failpoint('restore-switched')
  return aside
}

/** A damaged one cannot be closed properly: then its log goes aside with it. */
function setAside(path: string, aside: string): void {
  try {
    const db = new DatabaseSync(path)
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
  } catch {
    for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) duplicate(path + suffix, aside + suffix)
  }
  duplicate(path, aside)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Both names stay until the rename: without hard links, as on some file systems, it is copied. */
function duplicate(from: string, to: string): void {
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
