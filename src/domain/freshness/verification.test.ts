import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVerifiedUntil, verifiedState } from './verification.ts'

const at = (text: string) => Date.parse(text)
const NOW = at('2026-03-10T12:00:00Z')

const ENDS: [now: string, end: string][] = [
  ['2026-03-10T12:00:00Z', '2026-09-10T12:00:00.000Z'],
  ['2026-08-31T23:59:59Z', '2027-02-28T23:59:59.000Z'],
  ['2027-08-31T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2026-12-31T08:00:00Z', '2027-06-30T08:00:00.000Z'],
]
for (const [now, end] of ENDS) {
  test(`without a date, a verification of ${now.slice(0, 10)} ends six months later`, () =>
    assert.equal(new Date(checkVerifiedUntil(undefined, at(now))).toISOString(), end))
}

test('a verification ends in the future, and at most two years ahead', () => {
  const longest = at('2028-03-10T12:00:00Z')
  assert.equal(checkVerifiedUntil(longest, NOW), longest)
  assert.equal(checkVerifiedUntil(NOW + 1, NOW), NOW + 1)
  for (const sent of [NOW, NOW - 1, longest + 1])
    assert.throws(() => checkVerifiedUntil(sent, NOW), { code: 'INVALID_INPUT' })
})

test('a change after the verification counts more than its date', () => {
  const stated = { verified_at: NOW - 10, verified_until: NOW + 10, text_changed_at: null }
  assert.equal(verifiedState(stated, NOW), 'valid')
  assert.equal(verifiedState({ ...stated, text_changed_at: NOW - 10 }, NOW), 'valid')
  assert.equal(verifiedState({ ...stated, text_changed_at: NOW - 9 }, NOW), 'changed')
  assert.equal(verifiedState(stated, NOW + 10), 'expired')
  assert.equal(verifiedState({ ...stated, text_changed_at: NOW - 9 }, NOW + 10), 'changed')
})
