import { test } from 'node:test'
import { killWhileReindexing, STEPS } from './reindex.ts'

/** One step of each phase; reindex.long.test.ts covers all steps. */
const SOME = ['generation-made:1', 'reindex-step:4', 'switch-written:1', 'drop-written:1']

for (const it of STEPS.filter(([step]) => SOME.includes(step))) {
  test(`killed at "${it[0]}", everything is found, and one index is left`, (t) => killWhileReindexing(t, it))
}
