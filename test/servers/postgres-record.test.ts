// A PostgreSQL that was restored from an older copy, with programs that had followed the newer one.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pharos } from '../cli/pharos.ts'
import { type Server, settled, startServer, waitFor } from '../server.ts'
import { onPostgres } from './start-postgres.ts'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-restored-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function push({ api }: Server, id: string): Promise<void> {
  const document = { id, semantic_identifier: id, sections: [{ text: 'heliotrope' }], metadata: {} }
  assert.equal((await api('POST', '/service-api/ingestion', { document })).status, 200)
}

async function found({ api }: Server): Promise<string[]> {
  const { body } = await api('POST', '/search', { query: 'heliotrope', num_hits: 100 })
  return (body as { results: { document_id: string }[] }).results.map((it) => it.document_id).sort()
}

const ready = async ({ api }: Server) => {
  const { status, body } = await api('GET', '/health/ready')
  type Data = { pending: number; index: { state: string }; record: { state: string; reason: string | null } }
  return { status, ...(body as { data: Data }).data }
}

const isWhole = (server: Server) =>
  waitFor(async () => {
    const { index, pending } = await ready(server)
    return index.state === 'ready' && pending === 0
  }, 'a whole index')

/** The state of a restored copy from before these changes. */
const WITHOUT_NEWEST = `
  delete from document_cc_pair where document_id like 'lost%';
  delete from receipt where document_id like 'lost%';
  delete from document where id like 'lost%';
  update sequence set value = (select max(seq) from document) where name = 'change'`

await onPostgres((server) => {
  test('two programs find the documents of a restored record, even if one starts after it has grown', async (t) => {
    const url = await server.createDatabase()
    const env = { DATABASE_URL: url }
    const dirs = [await folderFor(t), await folderFor(t)]
    const before = await Promise.all(dirs.map((dataDir) => startServer({ dataDir, env })))
    await push(before[0]!, 'kept')
    for (const id of ['lost1', 'lost2', 'lost3']) await push(before[0]!, id)
    for (const it of before) await waitFor(async () => (await found(it)).length === 4, 'all documents')
    for (const it of before) await it.stop()
    await server.query(WITHOUT_NEWEST, url)

    const first = await startServer({ dataDir: dirs[0]!, env })
    for (const id of ['new1', 'new2', 'new3', 'new4', 'new5']) await push(first, id)
    await isWhole(first)
    const second = await startServer({ dataDir: dirs[1]!, env })
    await isWhole(second)
    for (const it of [first, second]) {
      assert.deepEqual(await found(it), ['kept', 'new1', 'new2', 'new3', 'new4', 'new5'])
      assert.match(it.output(), /"reason":"other_record"/)
    }
    // Its folder also knows the identity: the record has a new one since the first program detected the restore.
    const states = [await ready(first), await ready(second)].map(({ status, record }) => [status, record.state])
    assert.deepEqual(states, [
      [503, 'incomplete'],
      [503, 'replaced'],
    ])
    assert.match((await ready(first)).record.reason!, /document changes 2 to 4 \(3\)/)
    for (const [at, it] of [first, second].entries()) {
      await it.stop()
      const { code, out } = await pharos(['record', '--accept-loss'], { dataDir: dirs[at]!, env })
      assert.deepEqual([code, out.includes('Accepted:')], [0, true])
      const again = await startServer({ dataDir: dirs[at]!, env })
      await settled(again)
      assert.equal((await ready(again)).status, 200)
      await again.stop()
    }
  })

  test('an empty database instead of the one of DATA_DIR is not a new service', async (t) => {
    const dataDir = await folderFor(t)
    const before = await startServer({ dataDir, env: { DATABASE_URL: await server.createDatabase() } })
    await push(before, 'kept')
    await settled(before)
    await before.stop()
    const env = { DATABASE_URL: await server.createDatabase() }
    const { code, error } = await pharos([], { dataDir, env: { PORT: '0', EMBEDDING: 'off', ...env } })
    assert.equal(code, 78)
    assert.match(error, /database of DATABASE_URL is missing or empty.*pharos record --set-aside.*--accept-loss/)
    const look = await pharos(['record', '--json'], { dataDir, env })
    assert.deepEqual([look.code, JSON.parse(look.out).state], [65, 'gone'])
    assert.equal((await pharos(['record', '--accept-loss'], { dataDir, env })).code, 0)
    const after = await startServer({ dataDir, env })
    await settled(after)
    assert.deepEqual(await found(after), [])
  })

  test('another record instead of the one of DATA_DIR is served and reported', async (t) => {
    const dirs = [await folderFor(t), await folderFor(t)]
    const urls = [await server.createDatabase(), await server.createDatabase()]
    for (const [at, dataDir] of dirs.entries()) {
      const it = await startServer({ dataDir, env: { DATABASE_URL: urls[at]! } })
      await push(it, `of-${at}`)
      await settled(it)
      await it.stop()
    }
    const after = await startServer({ dataDir: dirs[0]!, env: { DATABASE_URL: urls[1]! } })
    await isWhole(after)
    const { status, record } = await ready(after)
    assert.deepEqual([status, record.state], [503, 'replaced'])
    assert.deepEqual(await found(after), ['of-1'])
  })
})
