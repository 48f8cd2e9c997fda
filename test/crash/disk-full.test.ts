// A disk that fills up: a small tmpfs in a mount namespace of the program, which needs no privileges.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Answer } from '../http.ts'
import { chooseSeed, seeded } from '../random.ts'
import { launch, type Server, settled, waitFor } from '../server.ts'
import { assertSound, findBrokenPromises } from './checker.ts'
import type { Attempt } from './history.ts'
import { newAttempt, performAttempt } from './workload.ts'

const DISK = '16m'
const MOUNT = `mount -t tmpfs -o size=${DISK},mode=700 none "$0" && exec "$@"`
const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0
const namespaces = canMount ? {} : { skip: 'needs user namespaces that may mount a tmpfs (unshare -Urm)' }

test('on a full disk writes answer 503, searches continue, and freeing space is enough', namespaces, async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-full-'))
  const server = await launch({
    dataDir,
    env: { MIN_FREE_DISK_MB: '0' },
    launcher: ['unshare', '-Urm', 'sh', '-c', MOUNT, dataDir],
  })
  t.after(async () => {
    await server.kill()
    await rm(dataDir, { recursive: true, force: true })
  })
  const history: Attempt[] = []
  const push = async () => {
    const attempt = newAttempt(`full/${history.length}`, history.length, random)
    history.push(attempt)
    assert.ok(await performAttempt(server.api, attempt), `the program is gone:\n${server.output()}`)
    return attempt.status
  }
  for (let document = 0; document < 50; document++) assert.equal(await push(), 200)
  await settled(server)

  const ballast = await fill(server)
  const refusals = await pushUntilRefused(push)
  const refused = await ingest(server)
  assert.equal(refused.status, 503)
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  const found = await server.api('POST', '/search', { query: history[0]!.token, num_hits: 10 })
  assert.equal((found.body as { total: number }).total, 1)

  await rm(ballast)
  await waitFor(async () => (await push()) === 200, 'writes to be accepted again')
  await assertSound(await findBrokenPromises({ api: server.api, history }), history, 'on a disk that was full')
  const kept = history.filter((it) => it.outcome === 'acknowledged').length
  t.diagnostic(`${kept} documents kept, ${refusals} accepted after the disk was full`)
})

/** Fills the remaining space, in the program's view of the folder. */
async function fill({ pid, dataDir }: Server): Promise<string> {
  const path = join(`/proc/${pid}/root`, dataDir, 'ballast')
  await writeFile(path, '')
  let size = 0
  for (const step of [1 << 20, 1 << 16, 1 << 12]) {
    for (;;) {
      const isFull = await writeFile(path, Buffer.alloc(step), { flag: 'a' }).then(
        () => false,
        () => true,
      )
      if (isFull) break
      size += step
    }
    await truncate(path, size)
  }
  return path
}

/** Allocated space may still be written to, so a few more documents fit. */
async function pushUntilRefused(push: () => Promise<number | null>): Promise<number> {
  for (let taken = 0; taken < 2_000; taken++) {
    const status = await push()
    if (status === 503) return taken
    assert.equal(status, 200)
  }
  throw new Error('2,000 documents fit on a full disk')
}

const ingest = ({ api }: Server): Promise<Answer> =>
  api('POST', '/service-api/ingestion', {
    document: {
      id: 'too-much',
      semantic_identifier: 'Too much',
      sections: [{ text: 'word '.repeat(10_000) }],
      metadata: {},
    },
  })
