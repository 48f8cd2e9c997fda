// A record that is emptied, missing, replaced or truncated while DATA_DIR remembers it. The service never starts empty
// and is never ready before an operator accepts the loss. Without a loss there is no alarm.
import assert from 'node:assert/strict'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pharos, temporaryFolder } from '../cli/pharos.ts'
import { launch, settled, startServer } from '../server.ts'
import {
  assertWhole,
  cuts,
  DOCUMENTS,
  database,
  followed,
  found,
  gone,
  killed,
  log,
  loseDatabase,
  loseLog,
  push,
  ready,
  removeDatabase,
  restoreOverLoss,
  stopped,
} from './record-loss-cases.ts'

/** The losses that are followed until the operator has accepted them; the long file follows all. */
const FOLLOWED = ['removed except for its log', 'truncated in the middle']
/** The long file damages the log in more ways. */
const CUTS = ['removed', 'truncated in the middle', 'damaged by a flipped bit in its last transaction']

for (const [name, harm] of gone) {
  test(`a database that was ${name} is not a new service until an operator says so`, () =>
    loseDatabase(harm, FOLLOWED.includes(name)))
}

test('the rest of a missing database is set aside for a new service; moved back, nothing was lost', async () => {
  const dataDir = await killed(5)
  const kept = join(temporaryFolder(), 'pharos.db')
  cpSync(database(dataDir), kept)
  cpSync(log(dataDir), `${kept}-wal`)
  removeDatabase(dataDir)
  const { code, out } = await pharos(['record', '--set-aside', '--json'], { dataDir })
  assert.equal(code, 0)
  const { folder, moved } = JSON.parse(out)
  assert.deepEqual(moved, ['blobs', 'index', 'secret-key', 'record.json'])
  const server = await startServer({ dataDir })
  await assertWhole(server, 0)
  await server.stop()
  await pharos(['record', '--set-aside'], { dataDir })
  for (const it of moved) cpSync(join(folder, it), join(dataDir, it), { recursive: true })
  for (const it of ['', '-wal']) cpSync(`${kept}${it}`, `${database(dataDir)}${it}`)
  await assertWhole(await startServer({ dataDir }), 5)
})

for (const [name, harm] of cuts.filter(([name]) => CUTS.includes(name))) {
  test(`a log that was ${name} after a kill: the rest is served, with 503 until the loss is accepted`, (t) =>
    loseLog(t, harm, FOLLOWED.includes(name)))
}

test('the loss can be accepted before the service has detected it', async () => {
  const dataDir = await killed()
  rmSync(log(dataDir))
  const { code, out } = await pharos(['record', '--accept-loss', '--json'], { dataDir })
  assert.equal(code, 0)
  assert.match(JSON.parse(out).accepted[0], /has lost/)
  await assertWhole(await startServer({ dataDir }), 0)
})

test('an index reveals the loss too, where an older program left no record.json', async () => {
  const dataDir = await stopped()
  const early = join(temporaryFolder(), 'pharos.db')
  cpSync(database(dataDir), early)
  const second = await startServer({ dataDir })
  for (const id of ['a', 'b', 'c']) await push(second, id)
  await settled(second)
  await second.stop()
  cpSync(early, database(dataDir))
  rmSync(join(dataDir, 'record.json'))
  const server = await startServer({ dataDir })
  await followed(server)
  const { status, record } = await ready(server)
  assert.deepEqual([status, record.state], [503, 'incomplete'])
  assert.match(record.reason!, /document changes 2 to 4 \(3\)/)
  assert.equal(await found(server), 1)
})

test('losses outside of documents are detected as well: the last created key', async () => {
  const dataDir = await stopped()
  const second = await startServer({ dataDir })
  assert.equal((await second.api('POST', '/admin/api-key', { name: 'Lost', role: 'basic' })).status, 200)
  await second.kill()
  rmSync(log(dataDir))
  const server = await startServer({ dataDir })
  const { status, record } = await ready(server)
  assert.deepEqual([status, record.state], [503, 'incomplete'])
  assert.match(record.reason!, /at least \d+ of \d+ transactions are missing/)
})

test('another record than the one of DATA_DIR is detected', async () => {
  const [dataDir, other] = [await killed(), await killed(5)]
  removeDatabase(dataDir)
  for (const it of ['pharos.db', 'pharos.db-wal']) cpSync(join(other, it), join(dataDir, it))
  const server = await startServer({ dataDir })
  await followed(server)
  const { status, record } = await ready(server)
  assert.deepEqual([status, record.state], [503, 'replaced'])
  assert.match(record.reason!, /holds a different record .* 60 document changes, this one has 5/)
  assert.equal(await found(server), 5)
})

test('no alarm: kills at any time, a killed start, a copy elsewhere, a checkpoint by another program', async () => {
  const dataDir = await killed()
  const copy = join(temporaryFolder(), 'copy')
  cpSync(dataDir, copy, { recursive: true })
  await assertWhole(await startServer({ dataDir: copy }), DOCUMENTS)

  for (const [at, step] of ['indexed-not-marked:1', 'accepted:1', 'marked:1'].entries()) {
    const server = await launch({ dataDir, env: { FAILPOINT: step } }).catch(() => undefined)
    if (server !== undefined) await push(server, `more-${at}`).catch(() => {})
    await server?.exited
  }
  const db = new DatabaseSync(database(dataDir))
  db.prepare('SELECT count(*) FROM document').get()
  db.close()
  assert.ok(!existsSync(log(dataDir)), 'the last connection to close runs a checkpoint')
  const server = await startServer({ dataDir })
  await followed(server)
  await assertWhole(server, await found(server))
  assert.doesNotMatch(server.output(), /"level":50/)
})

test('no alarm after a restore, whatever was there before', () => restoreOverLoss(['restore-switching:1']))
