// Counts transactions both in the embedded database and in a file next to it. The smaller count has certainly reached
// the disk.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { errorCode } from '../../domain/values/node-error.ts'
import { COMMIT_COUNTER, recordFileHead } from '../record/record-file-head.ts'

export interface CommitCounter {
  /** Nothing is counted before this call. The file must begin with a head written by `recordFileHead`. */
  attach(path: string): void
  /** Runs as the last statement before COMMIT. Does nothing when nothing was written. */
  beforeCommit(): void
  /** Runs right after COMMIT. */
  afterCommit(): void
  /** Writes the file before anybody learns of the commit. */
  write(): void
  close(): void
}

/** A killed process loses nothing; a power cut loses at most this much. */
const SYNC_EVERY_MS = 5_000

export function createCommitCounter(db: DatabaseSync): CommitCounter {
  const written = db.prepare('SELECT total_changes() AS rows')
  let file: number | undefined
  let rowsBefore = 0
  let counted: string | undefined
  let head: string | undefined
  let isSynced = true
  let syncedAt = 0

  const rowsNow = () => integerOf(written.get(), 'rows')
  const sync = () => {
    if (file === undefined || isSynced) return
    fsyncSync(file)
    isSynced = true
    syncedAt = performance.now()
  }
  const write = () => {
    if (file === undefined || head === undefined || !overwriteHead(file, head)) return
    head = undefined
    isSynced = false
    if (performance.now() - syncedAt > SYNC_EVERY_MS) sync()
  }
  const statements = lazyStatements(db)
  return {
    attach(path) {
      if (file !== undefined) closeSync(file)
      file = openSync(path, 'r+')
      rowsBefore = rowsNow()
    },
    beforeCommit() {
      counted = undefined
      if (file === undefined || rowsNow() === rowsBefore) return
      const { bump, counters } = statements()
      bump.run()
      rowsBefore = rowsNow()
      const row = counters.get()
      counted = recordFileHead({ changes: integerOf(row, 'changes'), commits: integerOf(row, 'commits') })
    },
    afterCommit() {
      head = counted ?? head
      counted = undefined
    },
    write,
    close() {
      if (file === undefined) return
      write()
      sync()
      closeSync(file)
      file = undefined
    },
  }
}

/** Checked by hand, because zod would take 6 MB in this thread. */
function integerOf(row: ReturnType<StatementSync['get']>, column: string): number {
  const value = row?.[column]
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new TypeError(`${column} is not a number: ${value}`)
  return value
}

/** Prepares the statements on first use, when the schema exists. */
function lazyStatements(db: DatabaseSync) {
  const prepare = () => ({
    bump: db.prepare(
      `INSERT INTO sequence VALUES ('${COMMIT_COUNTER}', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1`,
    ),
    counters: db.prepare(
      `SELECT (SELECT value FROM sequence WHERE name = 'change') AS changes,
        (SELECT value FROM sequence WHERE name = '${COMMIT_COUNTER}') AS commits`,
    ),
  })
  let statements: ReturnType<typeof prepare> | undefined
  return () => (statements ??= prepare())
}

/** An outdated bound is still a bound: a disk that copies on write may have no room to overwrite. */
function overwriteHead(file: number, head: string): boolean {
  try {
    writeSync(file, head, 0)
    return true
  } catch (error) {
    if (DISK_FULL_CODES.has(errorCode(error))) return false
    throw error
  }
}

const DISK_FULL_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT'])
