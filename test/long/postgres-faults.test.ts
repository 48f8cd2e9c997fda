// PostgreSQL under load that becomes read-only, as in a failover to a standby, or whose disk fills up.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { runWorkload } from '../crash/workload.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Server, settled, startServer, waitFor } from '../server.ts'
import { onPostgres, type Postgres } from '../servers/start-postgres.ts'

/** The server runs as "nobody". */
const NOBODY = 65_534
const mayMount = process.getuid?.() === 0 && process.platform === 'linux'

await onPostgres((postgres) => {
  test('read-only three times under load: writes answer 503 meanwhile, and nothing accepted is lost', async (t) => {
    const url = await postgres.createDatabase()
    const name = new URL(url).pathname.slice(1)
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
    const { server, history, load, stop } = await startLoaded(t, url)
    for (let round = 0; round < 3; round++) {
      await postgres.query(`alter database ${name} set default_transaction_read_only = on`)
      await postgres.query(cut)
      await refusedOnce(server, history)
      await postgres.query(`alter database ${name} reset all`)
      await postgres.query(cut)
      const before = acknowledged(history)
      await waitFor(() => acknowledged(history) > before + 20, 'writes to be accepted again')
    }
    stop()
    await load
    assertStatuses(history)
    await assertSound(await findBrokenPromises({ api: server.api, history }), history, 'after read-only rounds')
  })

  test(
    'a full disk under load: writes answer 503, searches continue, and freeing space is enough',
    mayMount ? {} : { skip: 'needs the right to mount a tmpfs' },
    async (t) => {
      const url = await smallDatabase(postgres, 40)
      const { server, history, load, stop } = await startLoaded(t, url, { words: true })
      await refusedOnce(server, history)
      const found = await server.api('POST', '/search', { query: 'pharosdocument', num_hits: 1 })
      assert.equal(found.status, 200)
      grow(400)
      const before = acknowledged(history)
      await waitFor(() => acknowledged(history) > before + 20, 'writes to be accepted again', 120_000)
      stop()
      await load
      assertStatuses(history)
      await assertSound(await findBrokenPromises({ api: server.api, history }), history, 'after a full disk')
    },
  )
})

let disk = ''
const grow = (mb: number) => execFileSync('mount', ['-o', `remount,size=${mb}m`, disk])

/** A database on its own disk; the log of PostgreSQL lies elsewhere. */
async function smallDatabase(postgres: Postgres, mb: number): Promise<string> {
  disk = mkdtempSync(join(tmpdir(), 'pharos-tablespace-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mb}m`, 'none', disk])
  after(async () => {
    await postgres.kill()
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  })
  chownSync(disk, NOBODY, NOBODY)
  await postgres.query(`create tablespace small location '${disk}'`)
  await postgres.query('create database small tablespace small')
  return postgres.url.replace(/[^/]*$/, 'small')
}

async function startLoaded(t: TestContext, url: string, { words = false } = {}) {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const server = await startServer({ env: { DATABASE_URL: url } })
  const history: Attempt[] = []
  await runWorkload({ api: server.api, history, random, attempts: 100 })
  await settled(server)
  const stopping = new AbortController()
  const load = runWorkload({ api: server.api, history, random, signal: stopping.signal })
  const filling = words ? fillDisk(server, stopping.signal) : Promise.resolve()
  const stop = () => stopping.abort()
  return { server, history, load: Promise.all([load, filling]), stop }
}

/** Incompressible text in documents that nobody searches for. */
async function fillDisk({ api }: Server, signal: AbortSignal): Promise<void> {
  const random = seeded(1)
  const word = () => random.below(2 ** 31).toString(36)
  for (let at = 0; at < 200 && !signal.aborted; at++) {
    const text = Array.from({ length: 40_000 }, word).join(' ')
    const document = { id: `ballast/${at}`, semantic_identifier: 'Ballast', sections: [{ text }], metadata: {} }
    await api('POST', '/service-api/ingestion', { document }).catch(() => {})
  }
}

async function refusedOnce({ api }: Server, history: readonly Attempt[]): Promise<void> {
  const before = history.length
  await waitFor(() => history.slice(before).some((it) => it.status === 503), 'a refused write', 120_000)
  const ready = await waitFor(async () => {
    const answer = await api('GET', '/health/ready')
    return answer.status === 503 ? answer : undefined
  }, 'not to be ready')
  assert.ok(String((ready.body as { detail: string }).detail).length > 20)
  assert.match(String(ready.headers['retry-after']), /^\d+$/)
}

const acknowledged = (history: readonly Attempt[]) => history.filter((it) => it.outcome === 'acknowledged').length

function assertStatuses(history: readonly Attempt[]): void {
  const others = history.filter((it) => ![200, 404, 503].includes(it.status ?? 503))
  assert.deepEqual(
    others.map((it) => it.status),
    [],
  )
}
