import { test } from 'node:test'
import { fuzzRawHttp } from './raw-http.ts'

test('5,000 requests gone wrong', (t) => fuzzRawHttp(t, 5_000))
