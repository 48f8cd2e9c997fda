import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutNextRunTime } from '../../web/src/pages/connectors/status-reason.ts'

const AT = '2026-11-23T16:39:05.978Z'
const cases: [reason: string, time: string | null, shown: string][] = [
  [`Waiting for the next sync. Until ${AT}.`, AT, 'Waiting for the next sync.'],
  [`Waiting. Until ${AT}. 3 documents wait to be indexed.`, AT, 'Waiting. 3 documents wait to be indexed.'],
  ['Queued: all run slots are busy.', null, 'Queued: all run slots are busy.'],
]
for (const [reason, time, shown] of cases) {
  test(`"${reason}" is shown as "${shown}"`, () => assert.equal(withoutNextRunTime(reason, time), shown))
}
