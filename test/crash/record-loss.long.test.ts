import { test } from 'node:test'
import { cuts, gone, loseDatabase, loseLog } from './record-loss-cases.ts'

for (const [name, harm] of gone) {
  test(`a database that was ${name} is a new service once an operator says so`, () => loseDatabase(harm, true))
}

for (const [name, harm] of cuts) {
  test(`a log that was ${name} after a kill: 503 stays until the loss is accepted`, (t) => loseLog(t, harm, true))
}
