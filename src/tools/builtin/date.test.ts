import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredTool } from '../../store/tools/tools.ts'
import type { ToolRun } from '../tool.ts'
import { dateTool } from './date.ts'

const NOW = Date.parse('2026-11-21T23:30:00Z')
const run = {} as ToolRun // It looks at none of it.
const ask = (args: Record<string, unknown>) =>
  dateTool.createCallable({ now: () => NOW }, {} as StoredTool).call(args, run)

const ANSWERS: [args: Record<string, unknown>, text: string][] = [
  [{}, 'Saturday, 2026-11-21, week 47, 23:30 UTC'],
  [{ time_zone: 'Europe/Berlin' }, 'Sunday, 2026-11-22, week 47, 00:30 Europe/Berlin (UTC+01:00)'],
  [{ question: 'weekday', date: '2000-02-29' }, 'Tuesday, 2000-02-29, week 9'],
  [{ question: 'weekday' }, 'Saturday, 2026-11-21, week 47'],
  [{ question: 'weekday', date: '2027-01-01' }, 'Friday, 2027-01-01, week 53'],
  [
    { question: 'difference', date: '2026-11-21', until: '2026-12-24' },
    '33 days from Saturday, 2026-11-21, week 47 to Thursday, 2026-12-24, week 52: 24 of them from Monday to Friday',
  ],
  [
    { question: 'difference', date: '2026-11-23', until: '2026-11-20' },
    '-3 days from Monday, 2026-11-23, week 48 to Friday, 2026-11-20, week 47: -1 of them from Monday to Friday',
  ],
  [{ question: 'add', date: '2024-01-31', months: 1 }, 'Thursday, 2024-02-29, week 9'],
  [{ question: 'add', date: '2024-02-29', months: 12 }, 'Friday, 2025-02-28, week 9'],
  [{ question: 'add', date: '2026-11-21', days: '-21' }, 'Saturday, 2026-10-31, week 44'],
  [{ question: 'add', date: '2026-03-31T23:00:00-05:00', days: 1 }, 'Thursday, 2026-04-02, week 14'],
]
for (const [args, text] of ANSWERS) {
  test(`${JSON.stringify(args)}: ${text}`, async () => {
    assert.deepEqual(await ask(args), { text, passages: [], isError: false })
  })
}

const FAULTS: [args: Record<string, unknown>, said: RegExp][] = [
  [{ time_zone: 'Mars/Base' }, /"Mars\/Base" is not a time zone/],
  [{ question: 'weekday', date: 'next Tuesday' }, /"next Tuesday" is not a date/],
  [{ question: 'difference', until: '2026-02-30' }, /"2026-02-30" is not a date/],
  [{ question: 'add', date: '9999-12-31', days: 1 }, /outside/],
  [{ question: 'add', days: 5e9 }, /"days" is invalid/],
  [{ question: 'moon' }, /"question" is invalid/],
]
for (const [args, said] of FAULTS) {
  test(`${JSON.stringify(args)} is an error`, async () => {
    const result = await ask(args)
    assert.equal(result.isError, true)
    assert.match(result.text, said)
  })
}
