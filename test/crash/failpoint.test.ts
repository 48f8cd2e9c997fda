import { test } from 'node:test'
import { killAtStep } from './failpoint.ts'

/** Early and late in turn; failpoint.long.test.ts covers both for each step. */
const STEPS: [step: string, passing: number][] = [
  ['accepted', 2],
  ['chunked', 25],
  ['indexed-not-marked', 2],
  ['marked', 25],
]

for (const [step, passing] of STEPS) {
  test(`killed at "${step}", it holds what it acknowledged`, (t) => killAtStep(t, step, [passing]))
}
