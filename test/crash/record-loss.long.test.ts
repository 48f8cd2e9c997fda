import { test } from 'node:test'
import { cuts, gone, loseDatabase, loseLog, restoreOverLoss } from './record-loss-cases.ts'

for (const [name, harm] of gone) {
  test(`a database that was ${name} is a new service once an operator says so`, () => loseDatabase(harm, true))
}

for (const [name, harm] of cuts) {
  test(`a log that was ${name} after a kill: 503 stays until the loss is accepted`, (t) => loseLog(t, harm, true))
}

test('no alarm after a restore that was killed at any step', () =>
  restoreOverLoss(['restore-aside:1', 'restore-switching:1', 'restore-switched:1']))
