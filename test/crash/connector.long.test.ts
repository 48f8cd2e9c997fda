import { test } from 'node:test'
import { killWhileReading } from './connector.ts'
import { SIMULATED_SOURCES } from './simulated-sources.ts'

const KILLS = 20
const timeout = 3_600_000

for (const [name, open] of Object.entries(SIMULATED_SOURCES)) {
  test(`${name}: killed twenty times in one run, it reads the same documents`, { timeout }, async (t) =>
    killWhileReading(t, KILLS, await open(130 * (KILLS + 1))),
  )
}
