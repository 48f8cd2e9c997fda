import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createHousekeeping } from './housekeeping.ts'

const ignore = () => {}
const quiet = { debug: ignore, info: ignore, warn: ignore, error: ignore }

test('closing waits for the running jobs, even if another one has failed', async () => {
  const started = Promise.withResolvers<void>()
  const work = Promise.withResolvers<void>()
  let hasEnded = false
  const housekeeping = createHousekeeping({ logger: quiet, intervalMs: 1 }, [
    () => Promise.reject(new Error('refused')),
    async () => {
      started.resolve()
      await work.promise
      hasEnded = true
    },
  ])
  await housekeeping.start?.()
  await started.promise
  const closed = Promise.resolve(housekeeping.close?.()).then(() => hasEnded)
  await nextTurn()
  work.resolve()
  assert.equal(await closed, true)
})

test('a failed job is logged, and all jobs run again', async () => {
  const errors: unknown[] = []
  const logger = { ...quiet, error: ({ err }: { err?: unknown }) => void errors.push(err) }
  const again = Promise.withResolvers<void>()
  const refused = new Error('refused')
  let rounds = 0
  const housekeeping = createHousekeeping({ logger, intervalMs: 1 }, [
    async () => {
      if (++rounds === 2) again.resolve()
    },
    async () => {
      if (rounds === 1) throw refused
    },
  ])
  await housekeeping.start?.()
  await again.promise
  await housekeeping.close?.()
  assert.deepEqual(errors, [refused])
})

test('closing before the first round runs no job', async () => {
  const housekeeping = createHousekeeping({ logger: quiet }, [() => assert.fail('too early')])
  await housekeeping.start?.()
  await housekeeping.close?.()
})
