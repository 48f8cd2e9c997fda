import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.UTC(2026, 0, 1)

for (const [header, expected] of [
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['Wed, 31 Dec 2025 23:59:51 GMT', 0],
  ['soon', null],
  ['1.5 s', null],
  ['9'.repeat(400), null],
  ['', null],
  [null, null],
  [undefined, null],
] as const) {
  test(`${JSON.stringify(header)?.slice(0, 40)} asks for ${expected} ms`, () =>
    assert.equal(parseRetryAfter(header, NOW), expected))
}
