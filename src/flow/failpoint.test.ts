import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFailpoint } from './failpoint.ts'

/** Returns after how many passes of `accepted` the process was killed; null if it was not. */
function passesUntilKilled(setting: string | null, times?: number): number | null {
  let isKilled = false
  const failpoint = createFailpoint(setting, () => {
    isKilled = true
  })
  for (let passes = 1; passes <= 10; passes++) {
    failpoint('flushed')
    failpoint('accepted', times)
    if (isKilled) return passes
  }
  return null
}

for (const [setting, times, expected] of [
  ['accepted:1', undefined, 1],
  ['accepted:3', undefined, 3],
  ['accepted:3', 2, 2],
  ['accepted', undefined, null],
  ['other:1', undefined, null],
  [null, undefined, null],
] as const) {
  test(`${setting} with ${times ?? 1} at once is reached at pass ${expected}`, () =>
    assert.equal(passesUntilKilled(setting, times), expected))
}
