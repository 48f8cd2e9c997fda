// What stands between a database file and the schema of this program, and the copy that is kept before it is changed.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../domain/errors.ts'
import { migrateSqlite, schemaOfSqlite, sqliteMigrations } from './migrate.ts'
import { sayingDamage } from './sqlite-damage.ts'
import { syncFolder } from './sync-folder.ts'

export interface SchemaState {
  /** 0 where there is no database yet. */
  current: number
  target: number
  /** Files of the migrations to come, in order. */
  migrations: string[]
  bytes: number
}

/** Throws SCHEMA_NEWER when the database is ahead of this program. */
export function inspectSqlite(path: string): SchemaState {
  const files = sqliteMigrations()
  const current = existsSync(path) ? sayingDamage(() => schemaOf(path)) : 0
  if (current > files.length) throw new AppError('SCHEMA_NEWER', { found: current, known: files.length })
  const bytes = [path, `${path}-wal`].reduce((sum, it) => sum + (statSync(it, { throwIfNoEntry: false })?.size ?? 0), 0)
  return { current, target: files.length, migrations: files.slice(current), bytes }
}

function schemaOf(path: string): number {
  const ask = (readOnly: boolean) => {
    const db = new DatabaseSync(path, { readOnly })
    try {
      return schemaOfSqlite(db)
    } finally {
      db.close()
    }
  }
  try {
    return ask(true)
  } catch {
    // What a crash during the very first start has left must be undone before it can be read.
    return ask(false)
  }
}

const KEPT = 2

export const copyPath = (path: string, schema: number): string =>
  join(dirname(path), 'before-upgrade', `pharos-schema-${schema}.db`)

/**
 * Brings the database to the schema of this program; nobody may write to it meanwhile. Before migrations change it, it
 * is copied: answers where the copy lies, or null when there was nothing to keep. The last copies stay, older ones go.
 */
export function upgradeSqlite(path: string, failpoint: (name: string) => void): string | null {
  let copy: string | null = null
  const beforeChange = (db: DatabaseSync, from: number) => {
    copy = copyPath(path, from)
    keep(db, copy, failpoint)
  }
  sayingDamage(() => migrateSqlite(path, { failpoint, beforeChange }))
  return copy
}

function keep(db: DatabaseSync, copy: string, failpoint: (name: string) => void): void {
  const folder = dirname(copy)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeCopy(db, `${copy}.part`)
  failpoint('upgrade-copied')
  renameSync(`${copy}.part`, copy)
  syncFolder(folder)
  failpoint('upgrade-kept')
  removeOld(folder, copy)
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
const isFull = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_FULL

function removeOld(folder: string, newest: string): void {
  const age = (path: string) => statSync(path).mtimeMs
  const older = readdirSync(folder)
    .filter((it) => /^pharos-schema-\d+\.db$/.test(it))
    .map((it) => join(folder, it))
    .filter((it) => it !== newest)
    .sort((a, b) => age(b) - age(a))
  for (const it of older.slice(KEPT - 1)) rmSync(it)
}
