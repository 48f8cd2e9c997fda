import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, daysBefore, endOfDay } from './date-time.ts'

const CASES: [time: string, days: number, end: string][] = [
  ['2026-03-01T00:00:00.000Z', 1, '2026-03-02T23:59:59.999Z'],
  ['2026-03-01T23:59:59.999Z', 1, '2026-03-02T23:59:59.999Z'],
  ['2026-02-28T12:00:00.000Z', 1, '2026-03-01T23:59:59.999Z'],
  ['2026-01-01T12:00:00.000Z', 365, '2027-01-01T23:59:59.999Z'],
  ['2026-01-01T12:00:00.000Z', 0, '2026-01-01T23:59:59.999Z'],
]
for (const [time, days, end] of CASES) {
  test(`the end of the day ${days} days after ${time} is ${end}`, () => {
    assert.equal(new Date(endOfDay(Date.parse(time), days)).toISOString(), end)
  })
}

test('a time some days ago is a whole number, also for a fraction of days', () => {
  assert.equal(daysBefore(2 * DAY_MS, 1), DAY_MS)
  assert.equal(daysBefore(2 * DAY_MS, 1 / 7), 160_457_142)
})
