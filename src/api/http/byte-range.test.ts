import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseByteRange } from './byte-range.ts'

for (const [header, size, expected] of [
  [undefined, 10, 'whole'],
  ['bytes=0-3', 10, { start: 0, end: 3 }],
  ['bytes=4-', 10, { start: 4, end: 9 }],
  ['bytes=4-99', 10, { start: 4, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=9-9', 10, { start: 9, end: 9 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=5-4', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=0-1,3-4', 10, 'whole'],
  ['lines=0-1', 10, 'whole'],
  ['bytes=1e3-', 10, 'whole'],
  [`bytes=${'9'.repeat(40)}-`, 10, 'whole'],
] as const) {
  test(`${header?.slice(0, 20)} of ${size} bytes`, () => assert.deepEqual(parseByteRange(header, size), expected))
}
