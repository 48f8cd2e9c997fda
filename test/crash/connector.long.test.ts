import { test } from 'node:test'
import { killWhileReading } from './connector.ts'
import { PLAYED } from './sources.ts'

const KILLS = 20
const timeout = 3_600_000

for (const [name, open] of Object.entries(PLAYED)) {
  test(`${name}: killed twenty times in one run, it reads the same`, { timeout }, async (t) =>
    killWhileReading(t, KILLS, await open(130 * (KILLS + 1))),
  )
}
