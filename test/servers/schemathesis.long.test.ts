import { test } from 'node:test'
import { needs } from '../needs.ts'
import { allSucceeded, fuzz } from './schemathesis.ts'

const CASES = Number(process.env.CASES ?? 500)
const TIMEOUT_MS = 3_600_000

test(`${CASES} cases for each operation`, { ...needs('schemathesis'), timeout: TIMEOUT_MS }, async (t) => {
  await allSucceeded(await fuzz(t, { role: 'admin', cases: CASES, timeoutMs: TIMEOUT_MS }))
})
