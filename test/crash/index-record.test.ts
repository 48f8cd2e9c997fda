// An index and a record that do not belong together, and an index that is lost: what is found is what the record holds.
import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Server, settled, startServer, waitFor } from '../server.ts'

/** Of the embedded database, so these tests are not among those that run over PostgreSQL too. */
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

/** Starts, does that, and stops cleanly, so that the index on disk has everything. */
async function life(dataDir: string, action: (server: Server) => Promise<void>): Promise<string> {
  const server = await startServer({ dataDir })
  await action(server)
  await settled(server)
  await waitFor(async () => (await indexState(server)) === 'ready', 'a whole index')
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
  output.includes('the index is being filled from the record') &&
  output.includes('the index is whole again')

test('an older copy of the record under a newer index: the old state and what comes after is found, nothing else', async (t) => {
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
  const output = await life(dataDir, async (server) => {
    await push(server, 'new', 'heliotrope')
    await waitFor(async () => (await found(server, 'heliotrope')).includes('new'), 'the new document')
    await waitFor(async () => (await indexState(server)) === 'ready', 'a whole index')
    assert.deepEqual(await found(server, 'heliotrope'), ['changed', 'deleted', 'new'])
    assert.deepEqual(await found(server, 'periwinkle'), [])
  })
  assert.match(output, /the record is older than the index/)
  assert.ok(isFilledFor(output, 'other_record'), output)
  const again = await life(dataDir, async (server) => {
    assert.deepEqual(await found(server, 'heliotrope'), ['changed', 'deleted', 'new'])
  })
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
  const output = await life(dataDir, async (server) => {
    await waitFor(async () => (await indexState(server)) === 'ready', 'a whole index')
    assert.deepEqual(await found(server, 'heliotrope'), ['a', 'b', 'c', 'd'])
  })
  assert.ok(isFilledFor(output, 'other_record'), output)
})

const harms: [name: string, reason: string, harm: (index: string) => Promise<void>][] = [
  ['an index that is gone', 'missing', (index) => rm(index, { recursive: true })],
  ['an index without its manifest', 'missing', (index) => rm(join(index, '1', 'manifest'))],
  ['a damaged index', 'damaged', (index) => writeFile(join(index, '1', 'manifest'), 'nonsense')],
  ['a damaged list of generations', 'damaged', (index) => writeFile(join(index, 'generations.json'), '{}')],
  [
    'an index of an older version, which lay in the folder itself',
    'other_version',
    async (index) => {
      await cp(join(index, '1'), index, { recursive: true })
      await rm(join(index, '1'), { recursive: true })
      await rm(join(index, 'generations.json'))
    },
  ],
]
for (const [name, reason, harm] of harms) {
  test(`${name} is filled again, and that is said with its reason, also after a kill in the midst of it`, async (t) => {
    const dataDir = await folderFor(t)
    const index = join(dataDir, 'index')
    await life(dataDir, async (server) => {
      for (const id of ['a', 'b', 'c']) await push(server, id, 'heliotrope')
    })
    await harm(index)
    const killed = await startServer({ dataDir, env: { FAILPOINT: 'chunked:1' } }).catch(() => undefined)
    await killed?.exited
    const output = await life(dataDir, async (server) => {
      await waitFor(async () => (await indexState(server)) === 'ready', 'a whole index')
      assert.deepEqual(await found(server, 'heliotrope'), ['a', 'b', 'c'])
    })
    assert.ok(isFilledFor(output, reason), output)
    const { serving, refill } = JSON.parse(await readFile(join(index, 'generations.json'), 'utf8'))
    assert.equal(refill, null)
    assert.deepEqual((await readdir(index)).sort(), [String(serving), 'generations.json'])
  })
}
