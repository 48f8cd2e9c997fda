// From the database of every release to that of this program: whole, with a copy kept, whenever it is interrupted.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { migrateSqlite } from '../../src/store/migrate.ts'
import { upgradeSqlite } from '../../src/store/upgrade.ts'
import { chooseSeed, seeded } from '../random.ts'
import { settled, startServer } from '../server.ts'
import { pharos, temporaryFolder } from './pharos.ts'

const MIGRATIONS = 'sql/sqlite'
const files = readdirSync(MIGRATIONS).sort()
const TARGET = files.length
const FIXTURES = readdirSync('test/fixtures').flatMap((it) => /^schema-(\d+)\.db\.gz$/.exec(it)?.[1] ?? [])

const open = <T>(path: string, ask: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path)
  try {
    return ask(db)
  } finally {
    db.close()
  }
}
const versionOf = (path: string) => open(path, (db) => Number(db.prepare('PRAGMA user_version').get()?.user_version))
const schemaOf = (path: string) =>
  open(path, (db) => db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())
const isSound = (path: string) =>
  open(path, (db) => {
    const { integrity_check } = db.prepare('PRAGMA integrity_check').get() as { integrity_check: string }
    return integrity_check === 'ok' && db.prepare('PRAGMA foreign_key_check').all().length === 0
  })

/** A folder whose database has the first so many migrations, and a row that they must keep. */
function folderAt(schema: number): string {
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  open(join(dataDir, 'pharos.db'), (db) => {
    for (const file of files.slice(0, schema)) db.exec(readFileSync(join(MIGRATIONS, file), 'utf8'))
    db.exec(`PRAGMA user_version = ${schema}; PRAGMA journal_mode = WAL`)
    db.exec("INSERT INTO connector VALUES (7, 'Kept', 'web', 'poll', 'public', '{}', null, null, null, 1, 1)")
  })
  return dataDir
}
const hasKeptRow = (path: string) =>
  open(path, (db) => db.prepare("SELECT id FROM connector WHERE name = 'Kept'").get()?.id === 7)

/** The upgrade by itself, in a process that can be killed. Says when it begins. */
function upgradeAlone(path: string, failpoint = '') {
  const code = `import { upgradeSqlite } from './src/store/upgrade.ts'
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
  const fresh = folderAt(TARGET)
  const expected = schemaOf(join(fresh, 'pharos.db'))

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

  test('the command says what would happen, and does it', async () => {
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
      new RegExp(`has schema ${TARGET} now, it had 1\\. A copy of it as it was is .*pharos-schema-1\\.db`),
    )
    assert.deepEqual(schemaOf(path), expected)
    assert.match((await pharos(['upgrade'], { dataDir })).out, /already/)
  })

  for (const schema of FIXTURES)
    test(`the database of the release with schema ${schema} works on, with all that is in it`, async () => {
      const fixture = JSON.parse(readFileSync(`test/fixtures/schema-${schema}.json`, 'utf8'))
      const { secret_key, api_key, pair, found = {} } = fixture
      const dataDir = temporaryFolder()
      const path = join(dataDir, 'pharos.db')
      writeFileSync(path, gunzipSync(readFileSync(`test/fixtures/schema-${schema}.db.gz`)))
      const server = await startServer({ dataDir, env: { SECRET_KEY: secret_key } })
      await settled(server)
      const asked = async (method: string, address: string, body?: unknown) => {
        const answer = await server.api(method, address, body, { authorization: `Bearer ${api_key}` })
        assert.equal(answer.status, 200, `${address}: ${JSON.stringify(answer.body)}`)
        return JSON.stringify(answer.body)
      }
      const { total, results } = JSON.parse(await asked('POST', '/search', { query: 'cornflower' }))
      assert.equal(total, 3)
      const titles = results.map((it: { semantic_identifier: string }) => it.semantic_identifier)
      assert.deepEqual(titles.sort(), ['Holidays', 'Ärzte und Öfen', '東京の天気'])
      assert.match(await asked('GET', '/manage/credential'), /"token":"secr\.\.\.ture"/)
      assert.match(await asked('GET', `/manage/admin/cc-pair/${pair}`), /"name":"Handbook"/)
      assert.match(await asked('GET', '/manage/document-set'), /People/)
      assert.match(await asked('GET', '/tool'), /Weather/)
      for (const [address, text] of Object.entries<string>(found)) {
        const answer = await asked('GET', address)
        assert.ok(answer.includes(text), answer)
      }
      await server.stop()
      assert.deepEqual(schemaOf(path), expected)
      assert.ok(isSound(path))
    })

  const steps = ['upgrade-copied', 'upgrade-kept', 'migration-begun', 'migration-applied', 'migration-committed']
  for (const step of steps)
    for (const passing of step.startsWith('upgrade') ? [1] : [1, TARGET - 1])
      test(`killed at ${step}, passing ${passing}, the next start finishes it`, async () => {
        const path = join(folderAt(1), 'pharos.db')
        const killed = await upgradeAlone(path, `${step}:${passing}`).ended
        assert.equal(killed.signal, 'SIGKILL', killed.error)
        assert.ok(isSound(path) && hasKeptRow(path))
        assert.equal((await upgradeAlone(path).ended).code, 0)
        assert.deepEqual(schemaOf(path), expected)
        assert.ok(hasKeptRow(path))
        assert.ok(!readdirSync(join(path, '../before-upgrade')).some((it) => it.endsWith('.part')))
      })

  test('killed at twenty random instants, the database is of one schema or the next, and sound', async (t) => {
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

  test('a database of a newer program is refused in one line that names both versions, and stays as it is', async () => {
    const dataDir = folderAt(TARGET)
    const path = join(dataDir, 'pharos.db')
    open(path, (db) => db.exec('PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)'))
    const before = readFileSync(path)
    for (const words of [[], ['upgrade', '--check'], ['reindex']]) {
      const { code, error } = await pharos(words, { dataDir, env: { PORT: '0' } })
      assert.deepEqual(
        [code, error],
        [78, `The database has schema 999, this program knows ${TARGET}. Start the newer program.\n`],
      )
    }
    assert.ok(readFileSync(path).equals(before) && !existsSync(join(dataDir, 'before-upgrade')))
  })
})

test('reindex: whether the service runs or not, the index holds all documents again, and none that was deleted', async () => {
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
    /in use by process \d+[^\n]*\nNo service answers at http:\/\/127\.0\.0\.1:1; .*--url names it\.\n$/,
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
