import { test } from 'node:test'
import { fuzzRawHttp } from './raw-http.ts'

test('5,000 malformed requests', (t) => fuzzRawHttp(t, 5_000))
