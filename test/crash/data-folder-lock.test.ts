import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../random.ts'
import { launch, startServer } from '../server.ts'
import { runWorkload } from './workload.ts'

/** Exit code of a folder in use, from sysexits.h: try again later. */
const EX_TEMPFAIL = 75
/** With little memory the program collects garbage often, including anything it failed to retain. */
const MEMORY = { NODE_OPTIONS: '--max-old-space-size=80' }
const ATTEMPTS = 1_000

test('a data folder stays locked against a second program for the whole run of the first', async () => {
  const first = await startServer({ env: MEMORY })
  await runWorkload({ api: first.api, history: [], random: seeded(1), attempts: ATTEMPTS })
  const second = launch({ dataDir: first.dataDir })
  second.then(
    (it) => it.kill(),
    () => {},
  )
  await assert.rejects(second, new RegExp(`ended with ${EX_TEMPFAIL}\\n.*process ${first.pid}`, 's'))
})
