import { test } from 'node:test'
import { killAtStep } from './failpoint.ts'

const STEPS = ['accepted', 'chunked', 'indexed-not-marked', 'marked']
/** The later ones start with what the earlier kills left. */
const PASSINGS = [2, 25, 3, 10]

for (const step of STEPS) {
  test(`killed at "${step}" again and again, it holds what it acknowledged`, (t) => killAtStep(t, step, PASSINGS))
}
