import { test } from 'node:test'
import { fuzzRawHttp } from './raw-http.ts'

test('100,000 malformed requests', { timeout: 3_600_000 }, (t) => fuzzRawHttp(t, 100_000))
