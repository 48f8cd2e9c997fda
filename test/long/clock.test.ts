// The clock jumps forwards and backwards under load: accepted documents are found soon, and none is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, findBrokenPromises } from '../crash/checker.ts'
import type { Attempt } from '../crash/history.ts'
import { runWorkload } from '../crash/workload.ts'
import { needs } from '../needs.ts'
import { chooseSeed, seeded } from '../random.ts'
import { settled, startServer, waitFor } from '../server.ts'
import { openFaultInjector } from './fault-injector.ts'

const HOUR = 3_600
const JUMPS = [HOUR, -HOUR, 24 * HOUR, -24 * HOUR, 10 * 365 * 24 * HOUR, -20 * 365 * 24 * HOUR, 0]

test('clock jumps of an hour, a day and ten years do no harm', needs('gcc'), async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const faults = await openFaultInjector()
  const server = await startServer({ env: faults.env })
  const history: Attempt[] = []
  for (const seconds of JUMPS) {
    const stop = new AbortController()
    const load = runWorkload({ api: server.api, history, random, signal: stop.signal })
    const [before, enough] = [history.length, history.length + 150]
    await waitFor(() => history.length > before + 50, 'some attempts')
    faults.jump(seconds)
    await waitFor(() => history.length > enough, 'attempts after the jump')
    stop.abort()
    await load
    await settled(server)
    assert.equal((await server.api('GET', '/health/ready')).status, 200)
    assert.ok((await server.api('GET', '/me')).status === 200)
  }
  await assertSound(await findBrokenPromises({ api: server.api, history }), history, 'after the jumps')
  assert.doesNotMatch(server.output(), /"level":[56]0/)
})
