// kill -9 in the middle of a run, again and again: it goes on from its last checkpoint, and ends with the same documents.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../connectors/json-server.ts'
import { startPulling } from '../connectors/steps.ts'
import { chooseSeed, seeded } from '../random.ts'
import { settled, waitFor } from '../server.ts'
import type { Flow } from './passage.ts'

export interface KilledSource {
  source: string
  config: Json
  credential_json?: Json
  env?: Record<string, string>
  /** What one kill may cost, in documents: those since the last checkpoint, those under way, and what a start asks for. */
  atOnce: number
  /** What comes from its server. Left out: what is in the record. */
  flow?: Flow
}

type Program = Awaited<ReturnType<typeof startPulling>>

/** Sometimes it dies while it waits, and sometimes while it reads, writes or indexes what it has got. */
const AT_WORK_MS = 100
const LONG_MS = 1_000_000

export async function killWhileReading(t: TestContext, kills: number, source: KilledSource): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const { documents, read } = await readUndisturbed(source)
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-killed-'))
  after(() => rm(dataDir, { recursive: true, force: true }))
  const before = (await source.flow?.total()) ?? 0
  let program = await startPulling(source.env, { dataDir })
  const pair = await pull(program, source)
  const flow = source.flow ?? recorded(() => program, pair)
  for (let kill = 0; kill < kills; kill++) {
    const more = 1 + random.below(Math.floor(read / (kills + 1)))
    await flow.until((await flow.total()) + more)
    await delay(random() * AT_WORK_MS)
    await program.server.kill()
    flow.open()
    program = await startPulling(source.env, { dataDir })
  }
  assert.deepEqual(await documentsOf(program, pair), documents)
  assert.equal((await program.attempts(pair)).length, 1)
  const again = Math.ceil((((await flow.total()) - before) / read - 1) * documents.length)
  await program.server.stop()
  t.diagnostic(`${kills} kills, ${documents.length} documents, as much as ${again} of them was read again`)
  assert.ok(again <= kills * source.atOnce, `${again} documents were read again after ${kills} kills`)
}

async function readUndisturbed(source: KilledSource): Promise<{ documents: string[]; read: number }> {
  const before = (await source.flow?.total()) ?? 0
  const program = await startPulling(source.env)
  const documents = await documentsOf(program, await pull(program, source))
  await program.server.stop()
  return { documents, read: source.flow === undefined ? documents.length : (await source.flow.total()) - before }
}

async function pull({ ok, pull }: Program, { source, config, credential_json }: KilledSource): Promise<number> {
  const connector = { source, connector_specific_config: config, refresh_freq: null, prune_freq: null }
  if (credential_json === undefined) return pull('Killed', connector)
  const body = { credential_json, admin_public: true, source }
  return pull('Killed', connector, { credential: (await ok('POST', '/manage/credential', { body })).id })
}

/** Once the run has ended, and all of it can be found. */
async function documentsOf({ server, attempts, documents }: Program, pair: number): Promise<string[]> {
  const end = async () => (await attempts(pair)).find((it) => it.time_finished !== null)
  const { status, error_msg, error_count } = await waitFor(end, 'the end of the run', LONG_MS)
  assert.deepEqual([status, error_msg, error_count], ['success', null, 0])
  await settled(server, LONG_MS)
  return (await documents(pair)).sort()
}

function recorded(program: () => Program, pair: number): Flow {
  const total = async () => (await program().attempts(pair))[0]?.total_docs_indexed ?? 0
  return {
    total,
    until: async (wanted) =>
      void (await waitFor(async () => (await total()) >= wanted, `${wanted} documents`, LONG_MS)),
    open() {},
  }
}
