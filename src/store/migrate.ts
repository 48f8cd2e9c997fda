// Brings a database to the schema of this program: numbered files, each in its own transaction, never edited later.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../domain/errors.ts'

const FOLDER = join(import.meta.dirname, '../../sql/sqlite')

/** The migrations of this program, in their order. */
export const sqliteMigrations = (): string[] =>
  readdirSync(FOLDER)
    .filter((it) => it.endsWith('.sql'))
    .sort()

export interface Migration {
  /** For tests: told each step that a crash may come before or after. */
  failpoint?: (name: string) => void
  /** Before a database that is in use already is changed. */
  beforeChange?: (db: DatabaseSync, from: number) => void
}

export function migrateSqlite(path: string, { failpoint, beforeChange }: Migration = {}): void {
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const known = sqliteMigrations().length
    const version = schemaOfSqlite(db)
    if (version > known) throw new AppError('SCHEMA_NEWER', { found: version, known })
    if (version > 0 && version < known) beforeChange?.(db, version)
    applySqlite(db, version, known, failpoint)
    // `close` would do this by itself, and keep it to itself when it fails.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

export function schemaOfSqlite(db: DatabaseSync): number {
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  return user_version
}

export function applySqlite(
  db: DatabaseSync,
  from: number,
  to: number,
  failpoint: (name: string) => void = () => {},
): void {
  for (const [at, file] of sqliteMigrations().entries()) {
    if (at < from || at >= to) continue
    db.exec('BEGIN IMMEDIATE')
    failpoint('migration-begun')
    db.exec(readFileSync(join(FOLDER, file), 'utf8'))
    db.exec(`PRAGMA user_version = ${at + 1}`)
    failpoint('migration-applied')
    db.exec('COMMIT')
    failpoint('migration-committed')
  }
}
