import { test } from 'node:test'
import { killAtRandom } from './kill.ts'

test('200 kills at random under eight clients: nothing lost, doubled or invented', (t) => killAtRandom(t, 200))
