import { test } from 'node:test'
import { killAtRandom } from './kill.ts'

const timeout = 3_600_000

test('200 random kills under eight clients: nothing lost, duplicated or invented', { timeout }, (t) =>
  killAtRandom(t, 200),
)
