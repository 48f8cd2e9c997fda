// A disk that returns EIO for reads, writes or syncs of one kind of file, under load. No accepted document is lost, and
// the program continues or ends with a message.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { runWorkload } from '../crash/workload.ts'
import { needs } from '../needs.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Exit, settled, startServer, waitFor } from '../server.ts'
import { openFaultInjector } from './fault-injector.ts'

const FAULTY_MS = 20_000
const CALLS = ['read', 'write', 'sync'] as const
const FILES = ['pharos.db-wal', 'pharos.db', '.seg', 'manifest']

for (const file of FILES)
  for (const call of CALLS) {
    test(`EIO at each ${call} of ${file}: nothing accepted is lost`, needs('gcc'), async (t) => {
      const random = seeded(chooseSeed((line) => t.diagnostic(line)))
      const faults = await openFaultInjector()
      const dataDir = await mkdtemp(join(tmpdir(), 'pharos-eio-'))
      t.after(() => rm(dataDir, { recursive: true, force: true }))
      const server = await startServer({ dataDir, env: faults.env })
      const history: Attempt[] = []
      await runWorkload({ api: server.api, history, random, attempts: 150 })
      await settled(server)

      let exit: Exit | undefined
      void server.exited.then((it) => {
        exit = it
      })
      faults.fail(call, file)
      const stop = new AbortController()
      const load = runWorkload({ api: server.api, history, random, signal: stop.signal })
      const end = performance.now() + FAULTY_MS
      await waitFor(async () => {
        if (exit === undefined) await server.api('POST', '/search', { query: 'pharosdocument' }).catch(() => {})
        return exit !== undefined || performance.now() > end
      }, 'some time on a faulty disk')
      stop.abort()
      faults.heal()
      await load
      t.diagnostic(exit === undefined ? 'it continued' : `it ended with ${exit.signal ?? exit.code}`)
      if (exit !== undefined) {
        assert.equal(exit.code, 74, server.output().slice(-3_000))
        assert.match(server.output(), /"level":60.*stopping/)
      } else await server.stop()
      const next = await startServer({ dataDir })
      await assertSound(
        await findBrokenPromises({ api: next.api, history }),
        history,
        `after EIO at each ${call} of ${file}`,
      )
    })
  }
