// Indexes that do not match their record, and lost indexes: a search finds exactly what the record holds.
import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { type Server, settled, startServer, waitFor } from '../server.ts'

/** These tests concern the embedded database only. */
const DATABASE = ['pharos.db', 'pharos.db-wal', 'pharos.db-shm']

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-record-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function push({ api }: Server, id: string, text: string): Promise<void> {
  const document = { id, semantic_identifier: id, sections: [{ text }], metadata: {} }
  assert.equal((await api('POST', '/service-api/ingestion', { document })).status, 200)
}

async function found({ api }: Server, query: string): Promise<string[]> {
  const { body } = await api('POST', '/search', { query, num_hits: 100 })
  return (body as { results: { document_id: string }[] }).results.map((it) => it.document_id).sort()
}

const indexState = async ({ api }: Server) =>
  ((await api('GET', '/health/ready')).body as { data: { index: { state: string } } }).data.index.state

const recordState = async ({ api }: Server) =>
  ((await api('GET', '/health/ready')).body as { data: { record: { state: string } } }).data.record.state

/** Starts the service, runs the action and stops cleanly, so that the index on disk is complete. */
async function life(dataDir: string, action: (server: Server) => Promise<void>, record = 'ok'): Promise<string> {
  const server = await startServer({ dataDir })
  assert.equal(await recordState(server), record)
  await action(server)
  if (record === 'ok') await settled(server)
  await waitFor(async () => (await indexState(server)) === 'ready', 'a complete index')
  assert.equal((await server.stop()).code, 0, server.output())
  return server.output()
}

async function copyRecord(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of DATABASE) await rm(join(to, name), { force: true })
  const there = await readdir(from)
  for (const name of DATABASE) if (there.includes(name)) await cp(join(from, name), join(to, name))
}

const isFilledFor = (output: string, reason: string): boolean =>
  output.includes(`"reason":"${reason}"`) &&
  output.includes('index rebuild started') &&
  output.includes('index rebuilt')

test('an older copy of the record under a newer index: the old state and later changes are found, nothing else', async (t) => {
  const dataDir = await folderFor(t)
  const copy = join(dataDir, 'copy')
  await life(dataDir, async (server) => {
    await push(server, 'changed', 'heliotrope')
    await push(server, 'deleted', 'heliotrope')
  })
  await copyRecord(dataDir, copy)
  await life(dataDir, async (server) => {
    await push(server, 'changed', 'periwinkle')
    await server.api('DELETE', '/service-api/ingestion/deleted')
    await push(server, 'later', 'heliotrope')
  })
  await copyRecord(copy, dataDir)
  const output = await life(
    dataDir,
    async (server) => {
      await push(server, 'new', 'heliotrope')
      await waitFor(async () => (await found(server, 'heliotrope')).includes('new'), 'the new document')
      await waitFor(async () => (await indexState(server)) === 'ready', 'a complete index')
      assert.deepEqual(await found(server, 'heliotrope'), ['changed', 'deleted', 'new'])
      assert.deepEqual(await found(server, 'periwinkle'), [])
    },
    'incomplete',
  )
  assert.match(output, /has lost acknowledged writes: at least document changes 3 to 5/)
  assert.ok(isFilledFor(output, 'other_record'), output)
  const again = await life(
    dataDir,
    async (server) => {
      assert.deepEqual(await found(server, 'heliotrope'), ['changed', 'deleted', 'new'])
    },
    'incomplete',
  )
  assert.doesNotMatch(again, /filled from the record/)
})

test('another record under the index: only that one is found, however long it is', async (t) => {
  const dataDir = await folderFor(t)
  const other = await folderFor(t)
  await life(dataDir, (server) => push(server, 'ours', 'heliotrope'))
  await life(other, async (server) => {
    for (const id of ['a', 'b', 'c', 'd']) await push(server, id, 'heliotrope')
  })
  await copyRecord(other, dataDir)
  const output = await life(
    dataDir,
    async (server) => {
      await waitFor(async () => (await indexState(server)) === 'ready', 'a complete index')
      assert.deepEqual(await found(server, 'heliotrope'), ['a', 'b', 'c', 'd'])
    },
    'replaced',
  )
  assert.ok(isFilledFor(output, 'other_record'), output)
})

const harms: [name: string, reason: string, harm: (index: string) => Promise<void>][] = [
  ['a missing index', 'missing', (index) => rm(index, { recursive: true })],
  ['an index without its manifest', 'missing', (index) => rm(join(index, '1', 'manifest'))],
  ['a damaged index', 'damaged', (index) => writeFile(join(index, '1', 'manifest'), 'nonsense')],
  ['a damaged list of generations', 'damaged', (index) => writeFile(join(index, 'generations.json'), '{}')],
  [
    'an index of an older version, in the data folder itself',
    'other_version',
    async (index) => {
      await cp(join(index, '1'), index, { recursive: true })
      await rm(join(index, '1'), { recursive: true })
      await rm(join(index, 'generations.json'))
    },
  ],
]
let folderWithIndex: Promise<string> | undefined
/** Made once and copied for each test. */
const copyOfFolderWithIndex = async (t: TestContext): Promise<string> => {
  folderWithIndex ??= makeFolderWithIndex()
  const dataDir = await folderFor(t)
  await cp(await folderWithIndex, dataDir, { recursive: true })
  return dataDir
}

after(async () => {
  if (folderWithIndex !== undefined) await rm(await folderWithIndex, { recursive: true, force: true })
})

async function makeFolderWithIndex(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-record-'))
  await life(dataDir, async (server) => {
    for (const id of ['a', 'b', 'c']) await push(server, id, 'heliotrope')
  })
  return dataDir
}

for (const [name, reason, harm] of harms) {
  test(`${name} is rebuilt, with the reason in the log, even after a kill in the middle`, async (t) => {
    const dataDir = await copyOfFolderWithIndex(t)
    const index = join(dataDir, 'index')
    await harm(index)
    const killed = await startServer({ dataDir, env: { FAILPOINT: 'chunked:1' } }).catch(() => undefined)
    await killed?.exited
    const output = await life(dataDir, async (server) => {
      await waitFor(async () => (await indexState(server)) === 'ready', 'a complete index')
      assert.deepEqual(await found(server, 'heliotrope'), ['a', 'b', 'c'])
    })
    assert.ok(isFilledFor(output, reason), output)
    const state = await readFile(join(index, 'generations.json'), 'utf8')
    assert.match(state, /"refill":\s*null/)
    const { serving } = JSON.parse(state)
    assert.deepEqual((await readdir(index)).sort(), [String(serving), 'generations.json'])
  })
}
