// Starts the current program on what an earlier one left: its database, or a backup of it.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrateSqlite } from '../../src/store/sqlite/migrate-sqlite.ts'
import {
  assertFixtureContent,
  countMigrationsOf,
  fixturePath,
  readFixtureFacts,
  unpackDatabase,
} from '../fixtures/fixtures.ts'
import { settled, startServer } from '../server.ts'
import { pharos, temporaryFolder } from './pharos.ts'

const files = readdirSync('sql/sqlite').sort()

export const open = <T>(path: string, ask: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return ask(db)
  } finally {
    db.close()
  }
}

export const schemaOf = (path: string) =>
  open(path, (db) => db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())

export const isSound = (path: string) =>
  open(path, (db) => {
    const { integrity_check } = db.prepare('PRAGMA integrity_check').get() as { integrity_check: string }
    return integrity_check === 'ok' && db.prepare('PRAGMA foreign_key_check').all().length === 0
  })

/** The schema of a fresh installation. */
export function freshSchema() {
  const path = join(temporaryFolder(), 'pharos.db')
  migrateSqlite(path)
  return schemaOf(path)
}

const namesIn = (path: string) =>
  open(path, (db) => db.prepare('SELECT name FROM schema_migration ORDER BY name').all()).map((it) => it.name)

/** Asserts that the database is intact and has every migration of this program. */
export function assertCurrent(path: string): void {
  assert.deepEqual(schemaOf(path), freshSchema())
  assert.deepEqual(namesIn(path), files)
  assert.ok(isSound(path))
}

/** Migrations add built-in tools, and change the number of rows of no other of these tables. */
const KEPT = ['connector', 'credential', 'document', 'document_set', 'api_key', "tool WHERE name = 'Weather'"]
export const countRows = (path: string) =>
  open(path, (db) => KEPT.map((table) => [table, db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n]))

export function assertTitles(path: string): void {
  const sql = 'SELECT semantic_identifier AS title FROM document WHERE deleted_at IS NULL'
  const titles = open(path, (db) => db.prepare(sql).all()).map((it) => String(it.title))
  assert.deepEqual(titles.sort(), ['Holidays', 'Ärzte und Öfen', '東京の天気'])
}

/** Returns a new folder with the content of that backup. */
export async function restored(name: string): Promise<string> {
  const dataDir = temporaryFolder()
  const { code, error } = await pharos(['restore', fixturePath(`${name}.backup.tar.gz`)], { dataDir })
  assert.equal(code, 0, error)
  return dataDir
}

export const testDatabase = (name: string) =>
  test(`the database ${name} of an earlier program keeps working with all content`, async () => {
    const dataDir = temporaryFolder()
    const path = unpackDatabase(name, dataDir)
    const pending = await pharos(['upgrade', '--check', '--json'], { dataDir })
    const plan = JSON.parse(pending.out)
    assert.deepEqual([plan.current, plan.current + plan.migrations.length], [countMigrationsOf(name), files.length])
    await assertServes(name, dataDir)
    assertCurrent(path)
  })

export const testBackup = (name: string) =>
  test(`the backup ${name} of an earlier program is restored with all content`, async () => {
    await assertServes(name, await restored(name))
  })

async function assertServes(name: string, dataDir: string): Promise<void> {
  const facts = readFixtureFacts(name)
  const server = await startServer({ dataDir, env: { SECRET_KEY: facts.secret_key } })
  await settled(server)
  await assertFixtureContent(server, facts)
  await server.stop()
}
