// The program dies at each named step between acceptance of a document and the index.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { type Exit, type Server, startServer, waitFor } from '../server.ts'
import { assertSound, findBrokenPromises } from './checker.ts'
import type { Attempt } from './history.ts'
import { runWorkload } from './workload.ts'

const ROUNDS = 20
const ATTEMPTS = 500

/** A busy machine batches many documents, so the number of attempts that reach a step this often is unknown. */
async function workUntilExit(server: Server, history: Attempt[], random: Random): Promise<Exit> {
  let exit: Exit | undefined
  server.exited.then((it) => {
    exit = it
  })
  for (let round = 0; exit === undefined && round < ROUNDS; round++) {
    await runWorkload({ api: server.api, history, random, attempts: ATTEMPTS })
  }
  return waitFor(() => exit, 'the program to die at the step')
}

/** The first write of each start is the link for the first administrator, which passes "accepted" too. */
export async function killAtStep(t: TestContext, step: string, passings: readonly number[]): Promise<void> {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-failpoint-'))
  const history: Attempt[] = []
  try {
    for (const passing of passings) {
      const server = await startServer({ dataDir, env: { FAILPOINT: `${step}:${passing}` } })
      const { code, signal } = await workUntilExit(server, history, random)
      assert.ok(signal === 'SIGKILL' || code === 137, `it ended with ${signal ?? code}, not at the step`)
      const again = await startServer({ dataDir })
      const faults = await findBrokenPromises({ api: again.api, history }).finally(() => again.kill())
      await assertSound(faults, history, `killed at passing ${passing} of ${step}`)
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
