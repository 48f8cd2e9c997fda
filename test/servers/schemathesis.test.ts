// Every operation of the published description, with made-up requests of every kind, asked by every role.
import { test } from 'node:test'
import { needs } from '../needs.ts'
import { allSucceeded, fuzz, ROLES } from './schemathesis.ts'
import { onPostgres } from './start-postgres.ts'

/** Made up for each operation; the long form has more. */
const CASES = 12
/** Who may not do much is mostly refused: that is soon seen. */
const FEW_CASES = 4
const TIMEOUT_MS = 1_800_000

for (const role of ROLES) {
  test(`${role}: what is published holds`, { ...needs('schemathesis'), timeout: TIMEOUT_MS }, async (t) => {
    const cases = role === 'admin' ? CASES : FEW_CASES
    const answers = await fuzz(t, { role, cases, timeoutMs: TIMEOUT_MS })
    if (role === 'admin') await allSucceeded(answers)
  })
}

await onPostgres((postgres) => {
  test('over PostgreSQL what is published holds', { ...needs('schemathesis'), timeout: TIMEOUT_MS }, async (t) => {
    const env = { DATABASE_URL: await postgres.createDatabase() }
    await allSucceeded(await fuzz(t, { role: 'admin', cases: CASES, env, timeoutMs: TIMEOUT_MS }))
  })
})
