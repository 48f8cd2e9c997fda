// The program dies at each step of building a new index next to the current one.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Server, settled, startServer, waitFor } from '../server.ts'

const DOCUMENTS = 200
/** The index that serves after the next start (1 is the old, 2 the new one), and whether building continues. */
export const STEPS: [step: string, request: 'POST' | 'DELETE', generation: number][] = [
  ['generation-named:1', 'POST', 2],
  ['generation-made:1', 'POST', 2],
  ['reindex-step:1', 'POST', 2],
  ['reindex-step:4', 'POST', 2],
  ['switch-flushed:1', 'POST', 2],
  ['switch-written:1', 'POST', 2],
  ['switch-done:1', 'POST', 2],
  ['drop-written:1', 'DELETE', 1],
]

interface Status {
  status: string
  generation: number
}

const status = async ({ api }: Server) => (await api('GET', '/admin/reindex')).body as Status

async function fill(server: Server): Promise<void> {
  const push = async (at: number) => {
    const document = { id: `d${at}`, semantic_identifier: `d${at}`, sections: [{ text: 'heliotrope' }], metadata: {} }
    assert.equal((await server.api('POST', '/service-api/ingestion', { document })).status, 200)
  }
  await Promise.all(Array.from({ length: DOCUMENTS }, (_, at) => push(at)))
  await settled(server)
}

const total = async ({ api }: Server): Promise<number> =>
  ((await api('POST', '/search', { query: 'heliotrope' })).body as { total: number }).total

export async function killWhileReindexing(
  t: TestContext,
  [step, request, generation]: (typeof STEPS)[number],
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-reindex-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const interrupted = await startServer({ dataDir, env: { FAILPOINT: step } })
  await fill(interrupted)
  // The answer may be lost with the program.
  await interrupted.api('POST', '/admin/reindex').catch(() => {})
  if (request === 'DELETE') await interrupted.api('DELETE', '/admin/reindex').catch(() => {})
  const { code, signal } = await interrupted.exited
  assert.ok(signal === 'SIGKILL' || code === 137, `it ended with ${signal ?? code}, not at the step`)

  const server = await startServer({ dataDir })
  // Data that was only in memory comes again from the record.
  await settled(server)
  assert.equal(await total(server), DOCUMENTS)
  await waitFor(async () => (await status(server)).status === 'idle', 'the new index', 60_000)
  assert.equal((await status(server)).generation, generation)
  assert.equal(await total(server), DOCUMENTS)
  await server.stop()
  const { serving } = JSON.parse(await readFile(join(dataDir, 'index/generations.json'), 'utf8'))
  assert.equal(serving, generation)
  assert.deepEqual((await readdir(join(dataDir, 'index'))).sort(), [String(generation), 'generations.json'])
}
