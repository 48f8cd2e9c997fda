import { test } from 'node:test'
import { killAtRandom } from './kill.ts'

test('3 random kills under eight clients: nothing lost, duplicated or invented', (t) => killAtRandom(t, 3))
