import { test } from 'node:test'
import { killWhileReading } from './connector.ts'
import { PLAYED } from './sources.ts'

const KILLS = 2
const timeout = 600_000

for (const [name, open] of Object.entries(PLAYED)) {
  test(`${name}: killed in the middle of a run it goes on, and reads the same`, { timeout }, async (t) =>
    killWhileReading(t, KILLS, await open(130 * (KILLS + 1))),
  )
}
