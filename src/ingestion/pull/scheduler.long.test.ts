import { test } from 'node:test'
import { simulateNinetyDays } from '../../../test/connectors/ninety-days.ts'

for (const round of [1, 2]) {
  test(`ninety days of many schedules, ${round}`, (t) =>
    simulateNinetyDays(t, [12 * 3_600, 24 * 3_600, 3 * 86_400, 7 * 86_400, null]))
}
