// The cases of a lost record; the short and the long file choose which losses are followed to their end.
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
import type { TestContext } from 'node:test'
import { pharos, temporaryFolder } from '../cli/pharos.ts'
import { parallel } from '../parallel.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Server, settled, startServer, waitFor } from '../server.ts'

const WAYS_OUT =
  /(missing or empty).*(pharos restore FILE --replace).*(pharos record --set-aside).*(pharos record --accept-loss)/
export const DOCUMENTS = 60

interface Ready {
  status: number
  message: string
  pending: number
  index: { state: string }
  record: { state: string; reason: string | null }
}

export async function ready({ api }: Server): Promise<Ready> {
  const { status, body } = await api('GET', '/health/ready')
  const { message, data } = body as { message: string; data: Omit<Ready, 'status' | 'message'> }
  return { status, message, ...data }
}

export const push = ({ api }: Server, id: string) =>
  api('POST', '/service-api/ingestion', {
    document: { id, semantic_identifier: id, sections: [{ text: `heliotrope ${id}` }], metadata: {} },
  })

export const found = async ({ api }: Server) =>
  ((await api('POST', '/search', { query: 'heliotrope', num_hits: 1 })).body as { total: number }).total

export const followed = (server: Server) =>
  waitFor(async () => {
    const { pending, index } = await ready(server)
    return pending === 0 && index.state === 'ready'
  }, 'an index that has everything')

export async function assertWhole(server: Server, documents: number): Promise<void> {
  await waitFor(async () => (await ready(server)).status === 200, 'a service that is ready')
  await followed(server)
  assert.deepEqual((await ready(server)).record, { state: 'ok', reason: null })
  assert.equal(await found(server), documents)
}

const templates = new Map<number | 'stopped', Promise<string>>()

/** A copy of a data folder whose program was killed while idle: all in the log of its database was acknowledged. */
export const killed = (documents = DOCUMENTS): Promise<string> => copyOf(documents, () => makeKilled(documents))

/** A copy of a data folder with one document, whose program was stopped. */
export const stopped = (): Promise<string> => copyOf('stopped', makeStopped)

async function copyOf(name: number | 'stopped', make: () => Promise<string>): Promise<string> {
  const template = templates.get(name) ?? make()
  templates.set(name, template)
  const dataDir = join(temporaryFolder(), 'data')
  cpSync(await template, dataDir, { recursive: true })
  return dataDir
}

async function makeStopped(): Promise<string> {
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const server = await startServer({ dataDir })
  await push(server, 'early')
  await settled(server)
  await server.stop()
  return dataDir
}

/** Near duplicates are looked for after the index, and written. */
const compared = ({ api }: Server) =>
  waitFor(async () => {
    const { body } = await api('GET', '/admin/near-duplicates')
    return (body as { waiting: number }).waiting === 0
  }, 'all documents to be compared')

async function makeKilled(documents: number): Promise<string> {
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir)
  const server = await startServer({ dataDir })
  const ids = Array.from({ length: documents }, (_, at) => `doc-${at}`)
  await parallel(ids, 8, async (id) => assert.equal((await push(server, id)).status, 200))
  await settled(server)
  await compared(server)
  await server.kill()
  return dataDir
}

export const database = (dataDir: string) => join(dataDir, 'pharos.db')
export const log = (dataDir: string) => join(dataDir, 'pharos.db-wal')
export const removeDatabase = (dataDir: string) => {
  for (const it of readdirSync(dataDir)) if (it.startsWith('pharos.db')) rmSync(join(dataDir, it))
}

async function refusedStart(dataDir: string): Promise<string> {
  const { code, error } = await pharos([], { dataDir, env: { PORT: '0', EMBEDDING: 'off', LOG_LEVEL: 'warn' } })
  assert.equal(code, 78, error)
  assert.equal(error.trim().split('\n').length, 1, error)
  return error
}

type Harm = (dataDir: string) => void

export const gone: [name: string, harm: Harm][] = [
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

/** `isWhole` also accepts the loss and goes on with the new record. */
export async function loseDatabase(harm: Harm, isWhole: boolean): Promise<void> {
  const dataDir = await killed(5)
  const hasLog = existsSync(log(dataDir))
  harm(dataDir)
  const logBefore = existsSync(log(dataDir)) && readFileSync(log(dataDir))
  for (let time = 0; time < (isWhole ? 2 : 1); time++) assert.match(await refusedStart(dataDir), WAYS_OUT)
  assert.ok(hasLog && (!logBefore || readFileSync(log(dataDir)).equals(logBefore)), 'the log is unchanged')
  if (isWhole) await acceptNewRecord(dataDir, logBefore)
}

async function acceptNewRecord(dataDir: string, logBefore: false | Buffer): Promise<void> {
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
}

const flip = (path: string, offset: number) => {
  const file = readFileSync(path)
  file[offset]! ^= 4
  writeFileSync(path, file)
}
const somewhere = (path: string, random: Random) => 32 + random.below(statSync(path).size - 32)

type LogHarm = (log: string, random: Random) => void

export const cuts: [name: string, harm: LogHarm][] = [
  ['removed', (path) => rmSync(path)],
  ['zeroed', (path) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
  ['emptied', (path) => truncateSync(path, 0)],
  ['truncated in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['damaged by a flipped bit in its header', (path) => flip(path, 17)],
  ['damaged by a flipped bit at a random place', (path, random) => flip(path, somewhere(path, random))],
  ['damaged by a flipped bit in its last transaction', (path) => flip(path, statSync(path).size - 100)],
]

/** `isWhole` also shows that the alarm stays until the loss is accepted. */
export async function loseLog(t: TestContext, harm: LogHarm, isWhole: boolean): Promise<void> {
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
  if (isWhole) await acceptLoss(server, { dataDir, record, left })
}

async function acceptLoss(
  server: Server,
  { dataDir, record, left }: { dataDir: string; record: Ready['record']; left: number },
): Promise<void> {
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
}

/** `steps` are those at which the command dies and the next start completes it. */
export async function restoreOverLoss(steps: readonly string[]): Promise<void> {
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

  for (const step of steps) {
    const killedThere = await pharos(['restore', backup, '--replace'], { dataDir, env: { FAILPOINT: step } })
    assert.equal(killedThere.signal, 'SIGKILL')
    const after = await startServer({ dataDir })
    await assertWhole(after, 5)
    await after.stop()
  }
}
