// Backups made under load, restored elsewhere, interrupted, damaged or misused.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { monotonicNow, runWorkload } from '../crash/workload.ts'
import { chooseSeed, seeded } from '../random.ts'
import { startServer } from '../server.ts'
import { pharos, temporaryFolder } from './pharos.ts'
import { historyAsOfBackup, SECRET, seedData } from './seed-data.ts'

test('a backup made under load restores everything acknowledged before it, and nothing else', async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const folder = temporaryFolder()
  const server = await startServer()
  const history: Attempt[] = []
  await seedData(server.api)
  await runWorkload({ api: server.api, history, random, attempts: 200 })
  const stop = new AbortController()
  const load = runWorkload({ api: server.api, history, random, signal: stop.signal })
  const file = join(folder, 'backup.tar.gz')
  const begun = monotonicNow()
  const made = await pharos(['backup', file, '--json'], { dataDir: server.dataDir })
  const ended = monotonicNow()
  stop.abort()
  await load
  assert.equal(made.code, 0, made.error)
  assert.ok(
    history.some((it) => it.start > begun && it.end < ended),
    'the clients kept writing',
  )
  assert.deepEqual(readdirSync(folder), ['backup.tar.gz'])
  assert.equal(gunzipSync(readFileSync(file)).subarray(257, 262).toString(), 'ustar', 'any tar program can read it')

  const dataDir = join(folder, 'fresh')
  const restored = await pharos(['restore', file], { dataDir })
  assert.equal(restored.code, 0, restored.error)
  assert.match(restored.out, /now holds [\d,]+ documents and 1 files/)
  copyFileSync(join(server.dataDir, 'secret-key'), join(dataDir, 'secret-key'))
  const fresh = await startServer({ dataDir })
  const seen = historyAsOfBackup(history, begun, ended)
  await assertSound(await findBrokenPromises({ api: fresh.api, history: seen }), seen, 'restored')
})

test('the file contains no readable secret; the original key opens them again', async () => {
  const folder = temporaryFolder()
  const server = await startServer()
  await seedData(server.api)
  const secretKey = readFileSync(join(server.dataDir, 'secret-key'), 'utf8')
  const plain = join(folder, 'plain.tar.gz')
  const full = join(folder, 'full.tar.gz')
  for (const words of [
    ['backup', plain],
    ['backup', full, '--with-keys'],
  ]) {
    const made = await pharos(words, { dataDir: server.dataDir })
    assert.equal(made.code, 0, made.error)
  }
  const bytes = gunzipSync(readFileSync(plain))
  for (const secret of [SECRET, secretKey.trim(), server.key])
    assert.ok(!bytes.includes(secret), 'a secret is readable')
  assert.ok(gunzipSync(readFileSync(full)).includes(secretKey.trim()))

  const dataDir = join(folder, 'fresh')
  const restored = await pharos(['restore', full], { dataDir })
  assert.equal(restored.code, 0, restored.error)
  assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), secretKey)
  const fresh = await startServer({ dataDir })
  const credentials = (await fresh.api('GET', '/manage/admin/credential')).body as { credential_json: object }[]
  assert.match(JSON.stringify(credentials), /"token":"cana\.\.\.7f3a"/, 'it was opened and masked')
})

const DAMAGES: [string, (file: string) => void, RegExp][] = [
  ['truncated', (file) => truncateSync(file, readFileSync(file).length - 200), /damaged: unexpected end of file/],
  ['empty', (file) => truncateSync(file, 0), /damaged: /],
  ['another file', (file) => writeFileSync(file, 'PK\u0003\u0004'), /damaged: incorrect header check/],
  [
    'with a flipped byte',
    (file) => rewrite(file, (bytes) => flip(bytes, 'tulip')),
    /record\/document\/000000\.ndjson is damaged/,
  ],
  ['with a renamed file', (file) => rewrite(file, (bytes) => rename(bytes)), /damaged/],
]

const rewrite = (file: string, change: (bytes: Buffer) => Buffer) =>
  writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)))))

function flip(bytes: Buffer, word: string): Buffer {
  const at = bytes.indexOf(word)
  assert.ok(at > 0)
  bytes[at] = bytes[at]! ^ 1
  return bytes
}

function rename(bytes: Buffer): Buffer {
  const at = bytes.indexOf('record/document/')
  bytes.write('../../../../etc/', at)
  return bytes
}

test('a damaged backup is refused with its fault, and nothing changes', async (t) => {
  const folder = temporaryFolder()
  const server = await startServer()
  const document = { id: 'a', semantic_identifier: 'a', sections: [{ text: 'tulip' }], metadata: {} }
  await server.api('POST', '/service-api/ingestion', { document })
  const file = join(folder, 'b.tar.gz')
  assert.equal((await pharos(['backup', file], { dataDir: server.dataDir })).code, 0)
  const whole = readFileSync(file)
  const reading = ['restore', file, '--check']
  for (const [name, damage, message] of DAMAGES)
    await t.test(name, async () => {
      writeFileSync(file, whole)
      damage(file)
      const dataDir = join(folder, 'fresh')
      for (const words of name === 'with a flipped byte' ? [reading, ['restore', file]] : [reading]) {
        const { code, error } = await pharos(words, { dataDir })
        assert.equal(code, 65, error)
        assert.match(error, message)
      }
      assert.ok(!existsSync(join(dataDir, 'pharos.db')))
    })
})

test('a blob that is damaged on disk is skipped and named; the rest is backed up', async () => {
  const folder = temporaryFolder()
  const server = await startServer()
  await seedData(server.api)
  const blobs = join(server.dataDir, 'blobs')
  const [path] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((it) => /[0-9a-f]{64}$/.test(it))
  writeFileSync(join(blobs, path!), 'changed')
  const { code, error } = await pharos(['backup', join(folder, 'b.tar.gz')], { dataDir: server.dataDir })
  assert.equal(code, 65)
  assert.match(error, new RegExp(`1 uploaded files were damaged.*\\n {2}${path!.slice(-64)}`))
  assert.equal((await pharos(['restore', join(folder, 'b.tar.gz'), '--check'])).code, 0)
})

test('a damaged database is not accepted for a backup', async () => {
  const folder = temporaryFolder()
  const dataDir = join(folder, 'data')
  const server = await startServer({ dataDir })
  await runWorkload({ api: server.api, history: [], random: seeded(7), attempts: 100 })
  await server.stop()
  const path = join(dataDir, 'pharos.db')
  const db = new DatabaseSync(path)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const bytes = readFileSync(path)
  bytes.fill(0xee, 4096 * 8, 4096 * 14)
  writeFileSync(path, bytes)
  const { code, error } = await pharos(['backup', join(folder, 'b.tar.gz')], { dataDir })
  assert.equal(code, 65, error)
  assert.match(error, /The database is damaged: /)
  assert.deepEqual(readdirSync(folder), ['data'])
})

const STEPS = ['backup-record', 'backup-written', 'backup-checked']
test('a killed backup leaves no file of the requested name', async (t) => {
  const folder = temporaryFolder()
  const server = await startServer()
  await runWorkload({ api: server.api, history: [], random: seeded(3), attempts: 50 })
  const file = join(folder, 'b.tar.gz')
  for (const step of STEPS)
    await t.test(step, async () => {
      const killed = await pharos(['backup', file], { dataDir: server.dataDir, env: { FAILPOINT: `${step}:1` } })
      assert.equal(killed.signal, 'SIGKILL')
      assert.ok(!existsSync(file))
    })
  assert.equal((await pharos(['backup', file], { dataDir: server.dataDir })).code, 0)
  assert.deepEqual(readdirSync(folder), ['b.tar.gz'])
})
