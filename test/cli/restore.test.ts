// Restores: allowed targets, the fate of the former record, and kills in the middle.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { monotonicNow, runWorkload } from '../crash/workload.ts'
import type { Client } from '../http.ts'
import { seeded } from '../random.ts'
import { startServer, waitFor } from '../server.ts'
import { pharos, temporaryFolder } from './pharos.ts'
import { historyAsOfBackup, seedData } from './seed-data.ts'

test('ids are not reused: a deleted object keeps its number', async () => {
  const folder = temporaryFolder()
  const server = await startServer()
  const make = async (api: Client) =>
    ((await api('POST', '/admin/api-key', { name: 'k' })).body as { api_key_id: number }).api_key_id
  const last = await make(server.api)
  assert.equal((await server.api('DELETE', `/admin/api-key/${last}`)).status, 200)
  const file = join(folder, 'b.tar.gz')
  assert.equal((await pharos(['backup', file], { dataDir: server.dataDir })).code, 0)
  const dataDir = join(folder, 'fresh')
  assert.equal((await pharos(['restore', file], { dataDir })).code, 0)
  assert.ok((await make((await startServer({ dataDir })).api)) > last)
})

test('it overwrites no file and no record, and touches no running service', async () => {
  const folder = temporaryFolder()
  const server = await startServer({ dataDir: join(folder, 'data') })
  const { dataDir } = server
  const file = join(folder, 'b.tar.gz')
  assert.equal((await pharos(['backup', file], { dataDir })).code, 0)
  const before = readFileSync(file)
  const again = await pharos(['backup', file], { dataDir })
  assert.deepEqual([again.code, readFileSync(file).equals(before)], [73, true])
  assert.match(again.error, /already exists and is not overwritten/)
  const running = await pharos(['restore', file, '--replace'], { dataDir })
  assert.equal(running.code, 75)
  assert.match(running.error, new RegExp(`in use by process ${server.pid}`))
  await server.stop()
  const there = await pharos(['restore', file], { dataDir })
  assert.equal(there.code, 73)
  assert.match(there.error, /There is already a database at .* --replace sets it aside/)
  const missing = await pharos(['backup', join(folder, 'c.tar.gz')], { dataDir: join(folder, 'nothing') })
  assert.equal(missing.code, 66)
})

test('--replace sets the whole old record aside; the index follows the new one', async () => {
  const folder = temporaryFolder()
  const dataDir = join(folder, 'data')
  const push = async (api: Client, text: string) => {
    const document = { id: text, semantic_identifier: text, sections: [{ text }], metadata: {} }
    assert.equal((await api('POST', '/service-api/ingestion?wait_for=indexed', { document })).status, 200)
  }
  const total = async (api: Client, query: string) =>
    ((await api('POST', '/search', { query })).body as { total: number }).total
  const first = await startServer({ dataDir })
  await push(first.api, 'saffron')
  const file = join(folder, 'b.tar.gz')
  assert.equal((await pharos(['backup', file], { dataDir })).code, 0)
  await push(first.api, 'turmeric')
  await first.kill()
  const { code, error, out } = await pharos(['restore', file, '--replace', '--json'], { dataDir })
  assert.equal(code, 0, error)
  const second = await startServer({ dataDir })
  await waitFor(async () => (await total(second.api, 'saffron')) === 1, 'the index')
  assert.equal(await total(second.api, 'turmeric'), 0)
  await push(second.api, 'cumin')
  assert.deepEqual([await total(second.api, 'cumin'), await total(second.api, 'turmeric')], [1, 0])
  await second.stop()
  const { aside } = JSON.parse(out) as { aside: string }
  const old = new DatabaseSync(aside, { readOnly: true })
  assert.equal(old.prepare('SELECT count(*) AS n FROM document').get()?.n, 2)
  old.close()
})

test('a killed restore leaves the old record or the new one', async (t) => {
  const folder = temporaryFolder()
  const dataDir = join(folder, 'data')
  const server = await startServer({ dataDir })
  const history: Attempt[] = []
  await seedData(server.api)
  await runWorkload({ api: server.api, history, random: seeded(5), attempts: 60 })
  const file = join(folder, 'b.tar.gz')
  const made = await pharos(['backup', file], { dataDir })
  assert.equal(made.code, 0, made.error)
  const instant = monotonicNow()
  await runWorkload({ api: server.api, history, random: seeded(6), attempts: 40 })
  await server.kill()
  const steps = ['restore-built', 'restore-aside', 'restore-switching', 'restore-switched']
  for (const step of steps)
    await t.test(step, async () => {
      const killed = await pharos(['restore', file, '--replace'], { dataDir, env: { FAILPOINT: `${step}:1` } })
      assert.equal(killed.signal, 'SIGKILL', killed.error)
      const again = await startServer({ dataDir })
      const expected = step === 'restore-switched' ? historyAsOfBackup(history, instant, instant) : history
      const faults = await findBrokenPromises({ api: again.api, history: [...expected], resend: 0 }).finally(() =>
        again.kill(),
      )
      await assertSound(faults, expected, step)
    })
})

test('an invalid database or one with a damaged header is reported, and a backup replaces it', async (t) => {
  const folder = temporaryFolder()
  const dataDir = join(folder, 'data')
  const server = await startServer({ dataDir })
  await runWorkload({ api: server.api, history: [], random: seeded(9), attempts: 30 })
  const file = join(folder, 'b.tar.gz')
  assert.equal((await pharos(['backup', file], { dataDir })).code, 0)
  await server.kill()
  const path = join(dataDir, 'pharos.db')
  const head = readFileSync(path).subarray(0, 100)
  for (const [what, content] of [
    ['another file', Buffer.from('%PDF-1.7 '.repeat(2_000))],
    ['a damaged header', Buffer.concat([Buffer.from('SQLite formax 3\0'), head.subarray(16), Buffer.alloc(8_000)])],
  ] as const)
    await t.test(what, async () => {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
      writeFileSync(path, content)
      for (const words of [[], ['backup', join(folder, 'c')]]) {
        const { code, error } = await pharos(words, { dataDir, env: { PORT: '0' } })
        assert.equal(code, words.length === 0 ? 78 : 65, error)
        assert.match(error, /^The database is damaged: file is not a database\. .*restore the newest backup.*\n$/)
      }
      const { code, out, error } = await pharos(['restore', file, '--replace', '--json'], { dataDir })
      assert.equal(code, 0, error)
      assert.ok(readFileSync(JSON.parse(out).aside).equals(content))
      assert.equal((await pharos(['backup', join(folder, `after ${what}`)], { dataDir })).code, 0)
    })
})
