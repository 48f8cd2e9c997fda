// One process per data folder: an SQLite lock, which the system itself drops when the process ends in whatever way.

import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Holder {
  pid: number
  host: string
  since: string
}

export type LockResult = { ok: true; release: () => void } | { ok: false; holder: Holder | undefined }

/** Held on to: a connection that is garbage is closed, and its lock with it. */
const held = new Set<DatabaseSync>()

/** A reserved lock: nobody else can take it, but everybody can read who holds it. */
export function lockFolder(folder: string, now: number): LockResult {
  const db = new DatabaseSync(join(folder, 'lock'))
  try {
    db.exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE')
    db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT); DELETE FROM holder')
    db.prepare('INSERT INTO holder VALUES (?, ?, ?)').run(process.pid, hostname(), new Date(now).toISOString())
    db.exec('COMMIT; BEGIN IMMEDIATE')
    held.add(db)
    const release = () => {
      held.delete(db)
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
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY

function readHolder(db: DatabaseSync): Holder | undefined {
  try {
    return db.prepare('SELECT * FROM holder').get() as unknown as Holder | undefined
  } catch {
    return undefined
  }
}
