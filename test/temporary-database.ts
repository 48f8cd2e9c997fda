import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Database } from '../src/store/database/database.ts'
import { openSqlite } from '../src/store/sqlite/open-sqlite.ts'

/** Creates an empty record in its own folder. Both are removed at the end of the test file. */
export async function temporaryDatabase(): Promise<{ db: Database; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-database-'))
  const db = await openSqlite({ path: join(folder, 'main.db'), failpoint: null, onFatal: assert.fail })
  after(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  return { db, folder }
}
