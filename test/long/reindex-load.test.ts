// Builds a new index next to the current one, repeatedly, while clients write and a kill -9 interrupts.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { runWorkload } from '../crash/workload.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Server, startServer, waitFor } from '../server.ts'

const LONG_MS = 300_000

test('a reindex under load switches over with everything, even after a kill in the middle', {
  timeout: 900_000,
}, async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-reindex-load-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  let server = await startServer({ dataDir })
  const history: Attempt[] = []
  await runWorkload({ api: server.api, history, random, attempts: 1_500 })
  for (const isKilled of [false, true, false]) {
    const stop = new AbortController()
    const load = runWorkload({ api: server.api, history, random, signal: stop.signal })
    const { generation } = await reindexOf(server)
    const { status, body } = await server.api('POST', '/admin/reindex')
    assert.ok(status < 300, JSON.stringify(body))
    if (isKilled) {
      const enough = history.length + 30
      await waitFor(() => history.length > enough, 'some attempts')
      await server.kill()
      await load
      server = await startServer({ dataDir })
    }
    await waitFor(async () => (await reindexOf(server)).status === 'idle', 'the new index to serve', LONG_MS)
    assert.ok((await reindexOf(server)).generation > generation)
    stop.abort()
    await load
    await assertSound(await findBrokenPromises({ api: server.api, history }), history, 'after a reindex under load')
  }
  await server.stop()
})

const reindexOf = async ({ api }: Server) =>
  (await api('GET', '/admin/reindex')).body as { status: string; generation: number }
