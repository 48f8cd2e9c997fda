// Brings a database to the schema of this program: numbered files, each in its own transaction, never edited later.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../domain/errors.ts'

const FOLDER = join(import.meta.dirname, '../../sql/sqlite')

export function migrateSqlite(path: string): void {
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const files = readdirSync(FOLDER)
      .filter((it) => it.endsWith('.sql'))
      .sort()
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > files.length) throw new AppError('SCHEMA_NEWER', { found: version, known: files.length })
    for (const [at, file] of files.entries()) if (at >= version) apply(db, at + 1, file)
    // `close` would do this by itself, and keep it to itself when it fails.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

function apply(db: DatabaseSync, version: number, file: string): void {
  db.exec('BEGIN IMMEDIATE')
  db.exec(readFileSync(join(FOLDER, file), 'utf8'))
  db.exec(`PRAGMA user_version = ${version}; COMMIT`)
}
