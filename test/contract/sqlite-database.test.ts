import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'
import { databaseContract } from './database.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-sqlite-'))
after(() => rmSync(folder, { recursive: true }))
const onFatal = (error: Error) => {
  throw error
}

databaseContract('SQLite', () => openSqlite({ path: join(folder, 'pharos.db'), failpoint: null, onFatal }))
