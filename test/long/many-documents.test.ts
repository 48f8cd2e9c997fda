// 100,000 tiny documents in one batch, of which 20,000 are deleted one by one; checked again after a restart.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parallel } from '../parallel.ts'
import { type Server, settled, startServer } from '../server.ts'

const DOCUMENTS = 100_000
const DELETED = 20_000
const LONG_MS = 900_000
const timeout = 2 * LONG_MS
const isDeleted = (at: number) => at % (DOCUMENTS / DELETED) === 0
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

test('100,000 tiny documents and 20,000 deletes', { timeout }, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-many-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const server = await startServer({ flags: [], dataDir })
  const clock = stopwatch()
  assert.deepEqual(await sendAll(server), { done: true, lines: DOCUMENTS, accepted: DOCUMENTS, failed: 0 })
  t.diagnostic(`accepted after ${clock()} s`)
  await settled(server, LONG_MS)
  t.diagnostic(`all found after ${clock()} s`)
  await assertThere(server, DOCUMENTS, () => true)

  const gone = numbers(DOCUMENTS).filter(isDeleted)
  await parallel(gone, 16, async (at) => {
    const { status, body } = await server.api('DELETE', `/service-api/ingestion/tiny-${at}`)
    assert.equal(status, 200, JSON.stringify(body))
  })
  await settled(server, LONG_MS)
  t.diagnostic(`${DELETED} deleted after ${clock()} s`)
  await assertThere(server, DOCUMENTS - DELETED, (at) => !isDeleted(at))
  await server.kill()

  const next = await startServer({ flags: [], dataDir })
  await settled(next, LONG_MS)
  await assertThere(next, DOCUMENTS - DELETED, (at) => !isDeleted(at))
  await next.stop()
})

function stopwatch(): () => number {
  const begin = performance.now()
  return () => Math.round((performance.now() - begin) / 1_000)
}

/** Returns the last line. */
async function sendAll({ url, key }: Server): Promise<unknown> {
  const sent = request(`${url}/service-api/ingestion/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
  })
  const answered = once(sent, 'response')
  const last = answered.then(async ([response]) => {
    let rest = ''
    for await (const piece of response.setEncoding('utf8')) rest = (rest + piece).slice(-1_000)
    return JSON.parse(rest.trimEnd().split('\n').at(-1)!)
  })
  for (const at of numbers(DOCUMENTS)) {
    const document = {
      id: `tiny-${at}`,
      semantic_identifier: `Tiny ${at}`,
      sections: [{ text: `word${at}` }],
      metadata: {},
    }
    if (!sent.write(`${JSON.stringify({ document })}\n`)) await once(sent, 'drain')
  }
  sent.end()
  return last
}

async function assertThere({ api }: Server, count: number, isThere: (at: number) => boolean): Promise<void> {
  const metrics = String((await api('GET', '/metrics')).body)
  assert.equal(Number(/^pharos_index_documents (\d+)/m.exec(metrics)?.[1]), count)
  for (const at of numbers(100).map((it) => it * (DOCUMENTS / 100) + (it % 7))) {
    const { body } = await api('POST', '/search', { query: `word${at}`, num_hits: 1 })
    assert.equal((body as { total: number }).total, isThere(at) ? 1 : 0, `document ${at}`)
  }
}
