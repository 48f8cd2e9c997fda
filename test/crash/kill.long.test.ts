import { test } from 'node:test'
import { killAtRandom } from './kill.ts'

const timeout = 3_600_000

test('200 kills at random under eight clients: nothing lost, doubled or invented', { timeout }, (t) =>
  killAtRandom(t, 200),
)
