// kill -9 during a run, repeatedly: the run resumes at its last checkpoint and ends with the same documents.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../connectors/json-server.ts'
import { startWithConnectors } from '../connectors/setup.ts'
import { chooseSeed, seeded } from '../random.ts'
import { settled, waitFor } from '../server.ts'
import type { TrafficMeter } from './test-proxy.ts'

export interface KilledSource {
  source: string
  config: Json
  credential_json?: Json
  env?: Record<string, string>
  /**
   * Documents that one kill may cost: those since the last checkpoint, those in flight, and those that a start
   * requests.
   */
  atOnce: number
  /** Traffic of its server; when absent, the documents in the record. */
  flow?: TrafficMeter
}

type ServiceWithConnectors = Awaited<ReturnType<typeof startWithConnectors>>

/** Some kills hit a waiting program, others one that reads, writes or indexes. */
const AT_WORK_MS = 100
const LONG_MS = 1_000_000

export async function killWhileReading(t: TestContext, kills: number, source: KilledSource): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const { documents, read } = await readUndisturbed(source)
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-killed-'))
  after(() => rm(dataDir, { recursive: true, force: true }))
  const before = (await source.flow?.total()) ?? 0
  let program = await startWithConnectors(source.env, { dataDir })
  const pair = await runConnector(program, source)
  const flow = source.flow ?? meterRecordedDocuments(() => program, pair)
  for (let kill = 0; kill < kills; kill++) {
    const more = 1 + random.below(Math.floor(read / (kills + 1)))
    await flow.until((await flow.total()) + more)
    await delay(random() * AT_WORK_MS)
    await program.server.kill()
    flow.open()
    program = await startWithConnectors(source.env, { dataDir })
  }
  assert.deepEqual(await listDocumentIds(program, pair), documents)
  assert.equal((await program.attempts(pair)).length, 1)
  const again = Math.ceil((((await flow.total()) - before) / read - 1) * documents.length)
  await program.server.stop()
  t.diagnostic(`${kills} kills, ${documents.length} documents, as much as ${again} of them was read again`)
  assert.ok(again <= kills * source.atOnce, `${again} documents were read again after ${kills} kills`)
}

async function readUndisturbed(source: KilledSource): Promise<{ documents: string[]; read: number }> {
  const before = (await source.flow?.total()) ?? 0
  const program = await startWithConnectors(source.env)
  const documents = await listDocumentIds(program, await runConnector(program, source))
  await program.server.stop()
  return { documents, read: source.flow === undefined ? documents.length : (await source.flow.total()) - before }
}

async function runConnector(
  { ok, pull }: ServiceWithConnectors,
  { source, config, credential_json }: KilledSource,
): Promise<number> {
  const connector = { source, connector_specific_config: config, refresh_freq: null, prune_freq: null }
  if (credential_json === undefined) return pull('Killed', connector)
  const body = { credential_json, admin_public: true, source }
  return pull('Killed', connector, { credential: (await ok('POST', '/manage/credential', { body })).id })
}

/** Documents of a finished run that are all searchable. */
async function listDocumentIds(
  { server, attempts, documents }: ServiceWithConnectors,
  pair: number,
): Promise<string[]> {
  const end = async () => (await attempts(pair)).find((it) => it.time_finished !== null)
  const { status, error_msg, error_count } = await waitFor(end, 'the end of the run', LONG_MS)
  assert.deepEqual([status, error_msg, error_count], ['success', null, 0])
  await settled(server, LONG_MS)
  return (await documents(pair)).sort()
}

function meterRecordedDocuments(program: () => ServiceWithConnectors, pair: number): TrafficMeter {
  const total = async () => (await program().attempts(pair))[0]?.total_docs_indexed ?? 0
  return {
    total,
    until: async (wanted) =>
      void (await waitFor(async () => (await total()) >= wanted, `${wanted} documents`, LONG_MS)),
    open() {},
  }
}
