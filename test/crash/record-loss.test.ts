// A record that is emptied, missing, replaced or truncated while DATA_DIR remembers it. The service never starts empty
// and is never ready before an operator accepts the loss. Without a loss there is no alarm.
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pharos, temporaryFolder } from '../cli/pharos.ts'
import { parallel } from '../parallel.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { launch, type Server, settled, startServer, waitFor } from '../server.ts'

const WAYS_OUT =
  /(missing or empty).*(pharos restore FILE --replace).*(pharos record --set-aside).*(pharos record --accept-loss)/
const DOCUMENTS = 60

interface Ready {
  status: number
  message: string
  pending: number
  index: { state: string }
  record: { state: string; reason: string | null }
}

async function ready({ api }: Server): Promise<Ready> {
  const { status, body } = await api('GET', '/health/ready')
  const { message, data } = body as { message: string; data: Omit<Ready, 'status' | 'message'> }
  return { status, message, ...data }
}

const push = ({ api }: Server, id: string) =>
  api('POST', '/service-api/ingestion', {
    document: { id, semantic_identifier: id, sections: [{ text: `heliotrope ${id}` }], metadata: {} },
  })

const found = async ({ api }: Server) =>
  ((await api('POST', '/search', { query: 'heliotrope', num_hits: 1 })).body as { total: number }).total

const followed = (server: Server) =>
  waitFor(async () => {
    const { pending, index } = await ready(server)
    return pending === 0 && index.state === 'ready'
  }, 'an index that has everything')

async function assertWhole(server: Server, documents: number): Promise<void> {
  await waitFor(async () => (await ready(server)).status === 200, 'a service that is ready')
  await followed(server)
  assert.deepEqual((await ready(server)).record, { state: 'ok', reason: null })
  assert.equal(await found(server), documents)
}

/** Killed while idle, so everything in the log of the database was acknowledged. */
async function killed(documents = DOCUMENTS): Promise<string> {
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const server = await startServer({ dataDir })
  const ids = Array.from({ length: documents }, (_, at) => `doc-${at}`)
  await parallel(ids, 8, async (id) => assert.equal((await push(server, id)).status, 200))
  await settled(server)
  await server.kill()
  return dataDir
}

const database = (dataDir: string) => join(dataDir, 'pharos.db')
const log = (dataDir: string) => join(dataDir, 'pharos.db-wal')
const removeDatabase = (dataDir: string) => {
  for (const it of readdirSync(dataDir)) if (it.startsWith('pharos.db')) rmSync(join(dataDir, it))
}

async function refusedStart(dataDir: string): Promise<string> {
  const { code, error } = await pharos([], { dataDir, env: { PORT: '0', EMBEDDING: 'off', LOG_LEVEL: 'warn' } })
  assert.equal(code, 78, error)
  assert.equal(error.trim().split('\n').length, 1, error)
  return error
}

const gone: [name: string, harm: (dataDir: string) => void][] = [
  ['removed', removeDatabase],
  ['removed except for its log', (dataDir) => rmSync(database(dataDir))],
  ['emptied', (dataDir) => truncateSync(database(dataDir), 0)],
  [
    'replaced by one without tables',
    (dataDir) => {
      removeDatabase(dataDir)
      const db = new DatabaseSync(database(dataDir))
      db.exec('PRAGMA user_version = 0; CREATE TABLE x (y); DROP TABLE x')
      db.close()
    },
  ],
  [
    'removed from a folder of an older program',
    (dataDir) => {
      removeDatabase(dataDir)
      rmSync(join(dataDir, 'record.json'))
    },
  ],
]
for (const [name, harm] of gone) {
  test(`a database that was ${name} is not a new service until an operator says so`, async () => {
    const dataDir = await killed(5)
    const hasLog = existsSync(log(dataDir))
    harm(dataDir)
    const logBefore = existsSync(log(dataDir)) && readFileSync(log(dataDir))
    for (let time = 0; time < 2; time++) assert.match(await refusedStart(dataDir), WAYS_OUT)
    assert.ok(hasLog && (!logBefore || readFileSync(log(dataDir)).equals(logBefore)), 'the log is unchanged')
    const look = await pharos(['record', '--json'], { dataDir })
    assert.deepEqual([look.code, JSON.parse(look.out).state], [65, 'gone'])

    const key = readFileSync(join(dataDir, 'secret-key'), 'utf8')
    const accepted = await pharos(['record', '--accept-loss'], { dataDir })
    assert.deepEqual([accepted.code, accepted.out.includes('creates a new record')], [0, true], accepted.error)
    if (logBefore) assert.match(accepted.error, /are kept as .*pharos\.db\.lost-\w+-wal/)
    const server = await startServer({ dataDir })
    await assertWhole(server, 0)
    assert.equal(readFileSync(join(dataDir, 'secret-key'), 'utf8'), key)
    assert.equal((await push(server, 'new')).status, 200)
    await server.kill()
    await assertWhole(await startServer({ dataDir }), 1)
  })
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

const flip = (path: string, offset: number) => {
  const file = readFileSync(path)
  file[offset]! ^= 4
  writeFileSync(path, file)
}
const somewhere = (path: string, random: Random) => 32 + random.below(statSync(path).size - 32)

const cuts: [name: string, harm: (log: string, random: Random) => void][] = [
  ['removed', (path) => rmSync(path)],
  ['zeroed', (path) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
  ['emptied', (path) => truncateSync(path, 0)],
  ['truncated in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['damaged by a flipped bit in its header', (path) => flip(path, 17)],
  ['damaged by a flipped bit at a random place', (path, random) => flip(path, somewhere(path, random))],
  ['damaged by a flipped bit in its last transaction', (path) => flip(path, statSync(path).size - 100)],
]
for (const [name, harm] of cuts) {
  test(`a log that was ${name} after a kill: the rest is served, with 503 until the loss is accepted`, async (t) => {
    const dataDir = await killed()
    harm(log(dataDir), seeded(chooseSeed((line) => t.diagnostic(line))))
    const server = await startServer({ dataDir })
    await followed(server)
    const { status, message, record } = await ready(server)
    assert.deepEqual([status, record.state], [503, 'incomplete'])
    assert.match(record.reason!, /has lost acknowledged writes: at least .*missing\..*pharos record --accept-loss/)
    assert.ok(message.includes(record.reason!), message)
    assert.match(server.output(), /"level":50,.*has lost acknowledged writes/)
    const left = await found(server)
    assert.ok(left < DOCUMENTS || /transactions/.test(record.reason!), `${left} left: ${record.reason}`)
    if (left < DOCUMENTS) assert.ok(record.reason!.includes(`to ${DOCUMENTS} (`), record.reason!)

    // Neither growing past the known position nor another start removes the alarm.
    const again = Array.from({ length: DOCUMENTS }, (_, at) => `again-${at}`)
    await parallel(again, 8, async (id) => assert.equal((await push(server, id)).status, 200))
    const busy = await pharos(['record', '--accept-loss'], { dataDir })
    assert.equal(busy.code, 75, 'not while the service runs')
    await server.kill()
    const second = await startServer({ dataDir })
    await followed(second)
    assert.deepEqual((await ready(second)).record, record)
    await second.stop()
    const look = await pharos(['record'], { dataDir })
    assert.equal(look.code, 65, look.out)

    const accepted = await pharos(['record', '--accept-loss'], { dataDir })
    assert.deepEqual([accepted.code, accepted.out.includes('Accepted:')], [0, true], accepted.error)
    await assertWhole(await startServer({ dataDir }), left + DOCUMENTS)
  })
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
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const first = await startServer({ dataDir })
  await push(first, 'early')
  await settled(first)
  await first.stop()
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
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const first = await startServer({ dataDir })
  await push(first, 'early')
  await settled(first)
  await first.stop()
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
  const [dataDir, other] = [await killed(5), await killed(3)]
  removeDatabase(dataDir)
  for (const it of ['pharos.db', 'pharos.db-wal']) cpSync(join(other, it), join(dataDir, it))
  const server = await startServer({ dataDir })
  await followed(server)
  const { status, record } = await ready(server)
  assert.deepEqual([status, record.state], [503, 'replaced'])
  assert.match(record.reason!, /holds a different record .* 5 document changes, this one has 3/)
  assert.equal(await found(server), 3)
})

test('no alarm: kills at any time, a killed start, a copy elsewhere, a checkpoint by another program', async () => {
  const dataDir = await killed(20)
  const copy = join(temporaryFolder(), 'copy')
  cpSync(dataDir, copy, { recursive: true })
  await assertWhole(await startServer({ dataDir: copy }), 20)

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

test('no alarm after a restore, whatever was there before', async () => {
  const dataDir = await killed(5)
  const backup = join(temporaryFolder(), 'backup.tar.gz')
  assert.equal((await pharos(['backup', backup], { dataDir })).code, 0)
  const first = await startServer({ dataDir })
  for (const id of ['later-1', 'later-2']) await push(first, id)
  await first.kill()
  truncateSync(database(dataDir), 0)
  const logBefore = readFileSync(log(dataDir))
  const restored = await pharos(['restore', backup, '--replace'], { dataDir })
  assert.equal(restored.code, 0, restored.error)
  const aside = readdirSync(dataDir).find((it) => /^pharos\.db\.before-\w+-wal$/.test(it))
  assert.ok(readFileSync(join(dataDir, aside!)).equals(logBefore), 'the log of the lost database is kept')
  const server = await startServer({ dataDir })
  await assertWhole(server, 5)
  assert.doesNotMatch(server.output(), /"level":50/)
  await server.stop()

  for (const step of ['restore-aside:1', 'restore-switching:1', 'restore-switched:1']) {
    const killedThere = await pharos(['restore', backup, '--replace'], { dataDir, env: { FAILPOINT: step } })
    assert.equal(killedThere.signal, 'SIGKILL')
    const after = await startServer({ dataDir })
    await assertWhole(after, 5)
    await after.stop()
  }
})
