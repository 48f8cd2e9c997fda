// Generated requests for every operation of the published description, by every role.
import { describe, test } from 'node:test'
import { needs } from '../needs.ts'
import { allSucceeded, fuzz, ROLES } from './schemathesis.ts'
import { onPostgres } from './start-postgres.ts'

/** Requests per operation; the long test has more. */
const CASES = 4
/** A limited role is mostly refused, and another database has the same limits, so few cases are enough. */
const FEW = { cases: 2, phases: 'examples,fuzzing' }
const TIMEOUT_MS = 1_800_000

// In parallel, because schemathesis has one thread and the program another.
describe('schemathesis', { concurrency: 2 }, () => {
  for (const role of ROLES) {
    test(`${role}: responses match the published description`, {
      ...needs('schemathesis'),
      timeout: TIMEOUT_MS,
    }, async (t) => {
      const extent = role === 'admin' ? { cases: CASES } : FEW
      const answers = await fuzz(t, { role, ...extent, timeoutMs: TIMEOUT_MS })
      if (role === 'admin') await allSucceeded(answers)
    })
  }
})

await onPostgres((postgres) => {
  test('on PostgreSQL responses match the published description', {
    ...needs('schemathesis'),
    timeout: TIMEOUT_MS,
  }, async (t) => {
    const env = { DATABASE_URL: await postgres.createDatabase() }
    await fuzz(t, { role: 'admin', ...FEW, env, timeoutMs: TIMEOUT_MS })
  })
})
