// The program dies at steps of a key rotation and at random times, repeatedly on one data folder. Every secret stays
// readable, and the rotation completes.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../http.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Server, startServer, waitFor } from '../server.ts'

/** Three batches, an empty batch that ends them, and an empty one for the tools. */
const SECRETS = 70
interface Keys {
  keys: { kid: string; is_newest: boolean; secrets: number }[]
  is_rotating: boolean
  unreadable: number
}

const tokenOf = (at: number) => `${String(at).padStart(4, '0')}-the-token-of-${String(at).padStart(4, '0')}`
const maskOf = (at: number) => `${String(at).padStart(4, '0')}...${String(at).padStart(4, '0')}`

async function ok<T>(asked: ReturnType<Client>): Promise<T> {
  const { status, body } = await asked
  assert.equal(status, 200, JSON.stringify(body))
  return body as T
}

async function storeSecrets({ api }: Server): Promise<void> {
  for (let at = 0; at < SECRETS; at++) {
    const credential = { credential_json: { token: tokenOf(at) }, admin_public: true, source: 'zendesk' }
    await ok(api('POST', '/manage/credential', credential))
  }
}

async function assertReadable({ api }: Server, when: string): Promise<void> {
  const all = await ok<{ credential_json: { token: string } }[]>(api('GET', '/manage/credential'))
  const tokens = all.slice(1).map((it) => it.credential_json.token)
  assert.deepEqual(
    tokens,
    Array.from({ length: SECRETS }, (_, at) => maskOf(at)),
    when,
  )
}

const settled = ({ api }: Server) =>
  waitFor(
    async () => {
      const state = await ok<Keys>(api('GET', '/admin/secret-key'))
      return !state.is_rotating && state
    },
    'the rotation to end',
    60_000,
  )

/** Rotates and removes old keys, as far as the program survives. */
async function rotateAndRemove(server: Server): Promise<void> {
  await server.api('POST', '/admin/secret-key/rotate')
  const { keys } = await settled(server)
  for (const { kid } of keys.filter((it) => !it.is_newest)) await server.api('DELETE', `/admin/secret-key/${kid}`)
}

/** Only requests that the end of the program interrupts may fail. */
async function untilKilled(server: Server, work: Promise<void>): Promise<void> {
  let fault: unknown
  const worked = work.catch((error: unknown) => {
    fault = error
  })
  const { signal, code } = await server.exited
  await worked
  assert.ok(signal === 'SIGKILL' || code === 137, `it ended with ${signal ?? code}: ${fault}\n${server.output()}`)
}

export async function killWhileRotating(
  t: TestContext,
  { steps, kills }: { steps: readonly string[]; kills: number },
): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-rotation-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  let server = await startServer({ dataDir })
  await storeSecrets(server)
  let between = 0
  const comeBack = async (when: string) => {
    server = await startServer({ dataDir })
    const { keys } = await ok<Keys>(server.api('GET', '/admin/secret-key'))
    if (keys.filter((it) => it.secrets > 0).length > 1) between++
    await assertReadable(server, when)
    const { keys: after, unreadable } = await settled(server)
    assert.deepEqual([unreadable, after.find((it) => it.is_newest)?.secrets], [0, SECRETS], when)
    await assertReadable(server, `${when}, after the rotation`)
  }
  for (const FAILPOINT of steps) {
    await server.kill()
    server = await startServer({ dataDir, env: { FAILPOINT } })
    await untilKilled(server, rotateAndRemove(server))
    await comeBack(`killed at ${FAILPOINT}`)
  }
  for (let kill = 0; kill < kills; kill++) {
    const work = rotateAndRemove(server)
    await delay(random() * 60)
    await Promise.all([server.kill(), untilKilled(server, work)])
    await comeBack(`killed at random, ${kill}`)
  }
  await server.kill()
  assert.ok(between > 0, 'some kill found secrets under two keys')
  const lines = (await readFile(join(dataDir, 'secret-key'), 'utf8')).trim().split('\n')
  t.diagnostic(`${between} kills between two keys; ${lines.length} keys at the end`)
}
