// The program dies at each named step on a document's way from acceptance to the index.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chooseSeed, seeded } from '../random.ts'
import { launch } from '../server.ts'
import { assertSound, check } from './checker.ts'
import type { Attempt } from './history.ts'
import { runWorkload } from './workload.ts'

const STEPS = ['accepted', 'chunked', 'indexed-not-marked', 'marked']
const PASSINGS = [1, 25]

for (const step of STEPS) {
  test(`killed at "${step}", it holds what it acknowledged`, async (t) => {
    const random = seeded(chooseSeed((line) => t.diagnostic(line)))
    const dataDir = await mkdtemp(join(tmpdir(), 'pharos-failpoint-'))
    const history: Attempt[] = []
    try {
      for (const passing of PASSINGS) {
        const server = await launch({ dataDir, env: { FAILPOINT: `${step}:${passing}` } })
        await runWorkload({ api: server.api, history, random, attempts: 2_000 })
        const { code, signal } = await server.exited
        assert.ok(signal === 'SIGKILL' || code === 137, `it ended with ${signal ?? code}, not at the step`)
        const again = await launch({ dataDir })
        const faults = await check({ api: again.api, history }).finally(() => again.kill())
        await assertSound(faults, history, `killed at passing ${passing} of ${step}`)
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
}
