// A thread of the program ends during work, like one that runs out of memory. No accepted document is lost, and the
// program continues or ends at once with a message; it never hangs.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { runWorkload } from '../crash/workload.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Exit, startServer, waitFor } from '../server.ts'

const PRELOAD = `--import=${pathToFileURL(join(import.meta.dirname, 'end-thread.mjs'))}`
const IO_ERROR = 74

for (const [file, isFatal] of [
  ['sqlite/writer-thread', true],
  ['embedded/writer', true],
  ['embedded/reader', true],
  ['embedded/builder', false],
  ['watchdog-thread', false],
] as const) {
  test(`${file} ends under load: the program ${isFatal ? 'reports it and ends' : 'continues'}, and has what it accepted`, async (t) => {
    const random = seeded(chooseSeed((line) => t.diagnostic(line)))
    const dataDir = await mkdtemp(join(tmpdir(), 'pharos-threads-'))
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const server = await startServer({ dataDir, env: { NODE_OPTIONS: PRELOAD, END_THREAD: file } })
    let exit: Exit | undefined
    void server.exited.then((it) => {
      exit = it
    })
    const history: Attempt[] = []
    const stop = new AbortController()
    const load = runWorkload({ api: server.api, history, random, signal: stop.signal })
    await waitFor(() => history.length > 100, 'some attempts')
    process.kill(server.pid, 'SIGUSR2')
    const enough = history.length + 200
    await waitFor(
      () => exit !== undefined || history.length > enough,
      `the program to end or to continue\n${server.output().slice(-2_000)}`,
    )
    stop.abort()
    await load
    assert.equal(exit !== undefined, isFatal, server.output().slice(-2_000))
    if (!isFatal) return assertSound(await findBrokenPromises({ api: server.api, history }), history, `without ${file}`)
    assert.equal(exit?.code, IO_ERROR, server.output().slice(-2_000))
    assert.match(server.output(), /"level":60.*data can no longer be written safely: stopping/)
    const next = await startServer({ dataDir })
    await assertSound(await findBrokenPromises({ api: next.api, history }), history, `after ${file} ended`)
  })
}
