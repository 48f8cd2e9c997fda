// Upgrades the database of every release to the current schema, keeps a copy, and survives interruptions.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { migrateSqlite, sqliteMigrations } from '../../src/store/sqlite/migrate-sqlite.ts'
import { readSqliteSchema, upgradeSqlite } from '../../src/store/sqlite/upgrade-sqlite.ts'
import { countMigrationsOf, listFixtures, oldestAndNewest, unpackDatabase } from '../fixtures/fixtures.ts'
import { chooseSeed, seeded } from '../random.ts'
import { startServer } from '../server.ts'
import {
  assertCurrent,
  assertTitles,
  countRows,
  freshSchema,
  isSound,
  open,
  restored,
  schemaOf,
  testBackup,
  testDatabase,
} from './earlier-programs.ts'
import { pharos, temporaryFolder } from './pharos.ts'

const MIGRATIONS = 'sql/sqlite'
const files = readdirSync(MIGRATIONS).sort()
const TARGET = files.length
/** Programs up to this one only counted migrations. */
const COUNTED = 18

const versionOf = (path: string) => open(path, (db) => Number(db.prepare('PRAGMA user_version').get()?.user_version))

/** A folder whose database has the first `schema` migrations and a row that later ones must keep. */
function folderAt(schema: number): string {
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const path = join(dataDir, 'pharos.db')
  if (schema > COUNTED) migrateSqlite(path, { known: sqliteMigrations().slice(0, schema) })
  open(path, (db) => {
    if (schema <= COUNTED) {
      for (const file of files.slice(0, schema)) db.exec(readFileSync(join(MIGRATIONS, file), 'utf8'))
      db.exec(`PRAGMA user_version = ${schema}; PRAGMA journal_mode = WAL`)
    }
    db.exec(`INSERT INTO connector
      (id, name, source, input_type, access_type, connector_specific_config, time_created, time_updated)
      VALUES (7, 'Kept', 'web', 'poll', 'public', '{}', 1, 1)`)
  })
  return dataDir
}
const hasKeptRow = (path: string) =>
  open(path, (db) => db.prepare("SELECT id FROM connector WHERE name = 'Kept'").get()?.id === 7)

/** Runs the upgrade in a process that can be killed, and prints a line when it begins. */
function upgradeAlone(path: string, failpoint = '') {
  const code = `import { readSqliteSchema, upgradeSqlite } from './src/store/sqlite/upgrade-sqlite.ts'
    const [path, failpoint] = process.argv.slice(1)
    const [step, nth] = failpoint.split(':')
    let passings = 0
    console.log('begun')
    upgradeSqlite(path, (name) => {
      if (name === step && ++passings === Number(nth)) process.kill(process.pid, 'SIGKILL')
    })`
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', code, path, failpoint]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let error = ''
  child.stderr.on('data', (text) => {
    error += text
  })
  const ended = new Promise<{ code: number | null; signal: string | null; error: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, error }))
  })
  const begun = new Promise((resolve) => child.stdout.once('data', resolve))
  return { child, ended, begun: Promise.race([begun, ended]) }
}

describe('an upgrade', () => {
  const expected = freshSchema()

  for (let schema = 1; schema < TARGET; schema++)
    test(`from schema ${schema}: the schema is that of a fresh installation, and a copy is kept`, () => {
      const path = join(folderAt(schema), 'pharos.db')
      const copy = join(path, '../before-upgrade', `pharos-schema-${schema}.db`)
      assert.equal(
        upgradeSqlite(path, () => {}),
        copy,
      )
      assert.deepEqual(schemaOf(path), expected)
      assert.ok(isSound(path) && hasKeptRow(path))
      assert.deepEqual([versionOf(copy), hasKeptRow(copy)], [schema, true])
      assert.equal(
        upgradeSqlite(path, () => {}),
        null,
      )
    })

  test('the command shows what would happen, and does it', async () => {
    const dataDir = folderAt(1)
    const path = join(dataDir, 'pharos.db')
    const check = await pharos(['upgrade', '--check', '--json'], { dataDir })
    assert.equal(check.code, 0, check.error)
    const { current, target, migrations, has_room } = JSON.parse(check.out)
    assert.deepEqual([current, target, migrations, has_room], [1, TARGET, files.slice(1), true])
    assert.equal(versionOf(path), 1, 'a check changes nothing')
    const { code, out, error } = await pharos(['upgrade'], { dataDir })
    assert.equal(code, 0, error)
    assert.match(
      out,
      new RegExp(`was migrated from schema 1 to ${TARGET}\\. The previous version is kept as .*pharos-schema-1\\.db`),
    )
    assert.deepEqual(schemaOf(path), expected)
    assert.match((await pharos(['upgrade'], { dataDir })).out, /already/)
  })

  // In the long tests the program itself starts on all of them.
  for (const name of listFixtures('.db.gz'))
    test(`the database ${name} of an earlier program is migrated with all rows`, () => {
      const path = unpackDatabase(name, temporaryFolder())
      const { current, migrations } = readSqliteSchema(path)
      assert.deepEqual([current, current + migrations.length], [countMigrationsOf(name), TARGET])
      const before = countRows(path)
      upgradeSqlite(path, () => {})
      assertCurrent(path)
      assert.deepEqual(countRows(path), before)
      assertTitles(path)
    })

  for (const name of listFixtures('.backup.tar.gz'))
    test(`the backup ${name} of an earlier program is restored with all titles`, async () => {
      const path = join(await restored(name), 'pharos.db')
      assert.deepEqual(schemaOf(path), expected)
      assertTitles(path)
    })

  for (const name of oldestAndNewest(listFixtures('.db.gz'))) testDatabase(name)
  for (const name of oldestAndNewest(listFixtures('.backup.tar.gz'))) testBackup(name)

  const steps = ['upgrade-copied', 'upgrade-kept', 'migration-begun', 'migration-applied', 'migration-committed']
  for (const step of steps)
    for (const passing of step.startsWith('upgrade') ? [1] : [1, TARGET - 1])
      test(`killed at ${step}, pass ${passing}, the next start completes it`, async () => {
        const path = join(folderAt(1), 'pharos.db')
        const killed = await upgradeAlone(path, `${step}:${passing}`).ended
        assert.equal(killed.signal, 'SIGKILL', killed.error)
        assert.ok(isSound(path) && hasKeptRow(path))
        assert.equal((await upgradeAlone(path).ended).code, 0)
        assert.deepEqual(schemaOf(path), expected)
        assert.ok(hasKeptRow(path))
        assert.ok(!readdirSync(join(path, '../before-upgrade')).some((it) => it.endsWith('.part')))
      })

  test('killed at twenty random times, the database has one schema or the next and is intact', async (t) => {
    const random = seeded(chooseSeed((line) => t.diagnostic(line)))
    const seen = new Set<number>()
    for (let kill = 0; kill < 20; kill++) {
      const path = join(folderAt(1), 'pharos.db')
      const running = upgradeAlone(path)
      await running.begun
      await delay(random() * 40)
      running.child.kill('SIGKILL')
      await running.ended
      seen.add(versionOf(path))
      assert.ok(versionOf(path) <= TARGET && isSound(path) && hasKeptRow(path))
      migrateSqlite(path)
      assert.deepEqual(schemaOf(path), expected)
    }
    t.diagnostic(`left at the schemas ${[...seen].sort().join(', ')}`)
  })

  test('the copies of the last two upgrades are kept', async () => {
    const dataDir = folderAt(1)
    const folder = join(dataDir, 'before-upgrade')
    mkdirSync(folder)
    for (const name of ['pharos-schema-901.db', 'pharos-schema-902.db', 'something-else.db']) {
      writeFileSync(join(folder, name), '')
      await delay(10)
    }
    assert.equal((await pharos(['upgrade'], { dataDir })).code, 0)
    assert.deepEqual(readdirSync(folder).sort(), ['pharos-schema-1.db', 'pharos-schema-902.db', 'something-else.db'])
  })

  test('a database of a newer program is refused unchanged, in one line that names both versions', async () => {
    const dataDir = folderAt(TARGET)
    const path = join(dataDir, 'pharos.db')
    open(path, (db) => db.exec('PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)'))
    const before = readFileSync(path)
    for (const words of [[], ['upgrade', '--check'], ['reindex']]) {
      const { code, error } = await pharos(words, { dataDir, env: { PORT: '0' } })
      assert.deepEqual(
        [code, error],
        [
          78,
          `The database was migrated by a newer version: it has schema 999, this program knows ${TARGET}. Start that version.\n`,
        ],
      )
    }
    assert.ok(readFileSync(path).equals(before) && !existsSync(join(dataDir, 'before-upgrade')))
  })
})

test('reindex: with and without a running service, the index holds all documents and no deleted one', async () => {
  const dataDir = temporaryFolder()
  const server = await startServer({ dataDir })
  for (const id of ['a', 'b', 'c']) {
    const document = { id, semantic_identifier: id, sections: [{ text: 'snowdrop' }], metadata: {} }
    assert.equal((await server.api('POST', '/service-api/ingestion', { document })).status, 200)
  }
  await server.api('DELETE', '/service-api/ingestion/b')
  const lost = await pharos(['reindex'], { dataDir, env: { PORT: '1' } })
  assert.equal(lost.code, 75, lost.error)
  assert.match(
    lost.error,
    /in use by process \d+[^\n]*\nNo service answers at http:\/\/127\.0\.0\.1:1\. .*pass its address with --url\.\n$/,
  )
  await server.stop()
  rmSync(join(dataDir, 'index'), { recursive: true })
  const { code, out, error } = await pharos(['reindex', '--json'], { dataDir })
  assert.equal(code, 0, error)
  assert.equal(JSON.parse(out).documents, 2)
  const again = await startServer({ dataDir })
  assert.equal(((await again.api('POST', '/search', { query: 'snowdrop' })).body as { total: number }).total, 2)
  const env = { PORT: new URL(again.url).port, PHAROS_API_KEY: again.key }
  const beside = await pharos(['reindex', '--json'], { dataDir, env })
  assert.equal(beside.code, 0, beside.error)
  const { generation, seconds } = JSON.parse(beside.out)
  assert.deepEqual([generation, typeof seconds], [3, 'number'])
  assert.equal(((await again.api('POST', '/search', { query: 'snowdrop' })).body as { total: number }).total, 2)
})
