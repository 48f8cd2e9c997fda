import { test } from 'node:test'
import { killAtRandom } from './kill.ts'

test('5 random kills under eight clients: nothing lost, duplicated or invented', (t) => killAtRandom(t, 5))
