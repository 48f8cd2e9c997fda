import { test } from 'node:test'
import { killAtRandom } from './kill.ts'

test('8 random kills under eight clients: nothing lost, duplicated or invented', (t) => killAtRandom(t, 8))
