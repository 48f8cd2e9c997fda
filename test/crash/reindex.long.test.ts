import { test } from 'node:test'
import { killWhileReindexing, STEPS } from './reindex.ts'

for (const it of STEPS) {
  test(`killed at "${it[0]}", everything is found, and one index is left`, (t) => killWhileReindexing(t, it))
}
