// Allows one process per data folder, by an SQLite lock that the system releases when the process ends.

import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { resultCode } from '../sqlite/error-codes.ts'
import { selectRow } from '../sqlite/select-rows.ts'

const LockHolder = z.object({ pid: z.int(), host: z.string(), since: z.string() })
export type LockHolder = z.infer<typeof LockHolder>

export type LockResult = { ok: true; release: () => void } | { ok: false; holder: LockHolder | undefined }

/** Keeps connections reachable: garbage collection would close them and release the lock. */
const heldLocks = new Set<DatabaseSync>()

/** Holds the lock until the process ends. */
export function lockDataFolder({ dataDir }: { dataDir: string }): void {
  const lock = tryLockFolder(dataDir, Date.now())
  if (lock.ok) return
  const { holder } = lock
  const who =
    holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}, since ${holder.since}`
  throw new AppError('DATA_IN_USE', { folder: dataDir, who })
}

/** Takes a reserved lock: nobody else can take it, but everybody can read who holds it. */
export function tryLockFolder(folder: string, now: number): LockResult {
  const db = new DatabaseSync(join(folder, 'lock'))
  try {
    db.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
    db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT); DELETE FROM holder')
    db.prepare('INSERT INTO holder VALUES (?, ?, ?)').run(process.pid, hostname(), new Date(now).toISOString())
    db.exec('COMMIT; BEGIN IMMEDIATE')
    heldLocks.add(db)
    const release = () => {
      heldLocks.delete(db)
      db.close()
    }
    return { ok: true, release }
  } catch (error) {
    if (!isBusy(error)) throw error
    const holder = readHolder(db)
    db.close()
    return { ok: false, holder }
  }
}

const SQLITE_BUSY = 5
const isBusy = (error: unknown) => resultCode(error) === SQLITE_BUSY

function readHolder(db: DatabaseSync): LockHolder | undefined {
  try {
    return selectRow(db, LockHolder.optional(), 'SELECT * FROM holder')
  } catch {
    return undefined
  }
}
