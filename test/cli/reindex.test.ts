// "pharos reindex" after a change of the embedding model.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startEmbeddingServer } from '../api/embedding-server.ts'
import { type Server, startServer, waitFor } from '../server.ts'
import { pharos } from './pharos.ts'

const TIMEOUT_MS = 60_000
const DOCUMENTS = 3
const model = await startEmbeddingServer({ eight: 8, four: 4, six: 6 })
const dataDir = mkdtempSync(join(tmpdir(), 'pharos-reindex-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

const embeddingOf = async ({ api }: Server) =>
  ((await api('GET', '/health/ready')).body as { data: { embedding: Record<string, unknown> } }).data.embedding
const whole = (server: Server, name: string) =>
  waitFor(
    async () => {
      const it = await embeddingOf(server)
      return it.model === name && it.pending === 0 && it.total === DOCUMENTS
    },
    `all vectors of ${name}`,
    TIMEOUT_MS,
  )

test('without a running service, the new index has all vectors of the new model', async () => {
  const server = await startServer({ dataDir, env: model.env('eight') })
  for (let at = 0; at < DOCUMENTS; at++) {
    const document = {
      id: `d${at}`,
      semantic_identifier: `d${at}`,
      sections: [{ text: `snowdrop ${at}` }],
      metadata: {},
    }
    assert.equal((await server.api('POST', '/service-api/ingestion', { document })).status, 200)
  }
  await whole(server, 'openai:eight')
  await server.stop()
  const { code, out, error } = await pharos(['reindex'], { dataDir, env: model.env('four') })
  assert.equal(code, 0, error)
  assert.match(out, /^The index holds 3 documents/)
  model.seen.length = 0
  const again = await startServer({ dataDir, env: model.env('four') })
  await whole(again, 'openai:four')
  assert.equal((await embeddingOf(again)).next, null)
  await again.stop()
  assert.deepEqual(model.seen, [])
})

test('while the service runs, the cost of the vectors is shown first', { timeout: 2 * TIMEOUT_MS }, async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  model.script.before = ({ input }) => (input.some((it) => it.includes('snowdrop')) ? promise : undefined)
  const server = await startServer({ dataDir, env: model.env('six') })
  await waitFor(async () => (await server.api('DELETE', '/admin/reindex')).status === 200, 'one to give up', TIMEOUT_MS)
  resolve()
  const env = { PORT: new URL(server.url).port, PHAROS_API_KEY: server.key }
  const { code, out, error } = await pharos(['reindex'], { dataDir, env })
  assert.equal(code, 0, error)
  assert.match(error, /^openai:six is asked for the vectors of 3 of 3 chunks: about \d+ tokens, about \d+ min\.\n/)
  assert.match(out, /^Index \d+ serves at /)
  await whole(server, 'openai:six')
  await server.stop()
})
