// A PostgreSQL that was restored from an older copy, under programs that had followed the newer one.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
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

const isWhole = ({ api }: Server) =>
  waitFor(async () => {
    const { data } = (await api('GET', '/health/ready')).body as { data: { index: { state: string } } }
    return data.index.state === 'ready'
  }, 'a whole index')

/** What a restored copy from before these changes would hold. */
const WITHOUT_NEWEST = `
  delete from document_cc_pair where document_id like 'lost%';
  delete from receipt where document_id like 'lost%';
  delete from document where id like 'lost%';
  update sequence set value = (select max(seq) from document) where name = 'change'`

await onPostgres((server) => {
  test('each of two programs finds what the restored record holds, also the one that starts after the record has grown', async (t) => {
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
    await settled(first)
    await isWhole(first)
    const second = await startServer({ dataDir: dirs[1]!, env })
    await settled(second)
    await isWhole(second)
    for (const it of [first, second]) {
      assert.deepEqual(await found(it), ['kept', 'new1', 'new2', 'new3', 'new4', 'new5'])
      assert.match(it.output(), /"reason":"other_record"/)
    }
    assert.match(first.output(), /the record is older than the index/)
    assert.doesNotMatch(second.output(), /the record is older than the index/)
  })
})
