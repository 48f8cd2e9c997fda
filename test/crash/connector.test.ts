import { test } from 'node:test'
import { killWhileReading } from './connector.ts'
import { SIMULATED_SOURCES } from './simulated-sources.ts'

/** A crawler, a file reader and a paged API; connector.long.test.ts covers all connectors. */
const KINDS = ['web', 'file', 'github']
const KILLS = 1

for (const name of KINDS) {
  test(`${name}: killed during a run it resumes and reads the same documents`, async (t) =>
    killWhileReading(t, KILLS, await SIMULATED_SOURCES[name]!(130 * (KILLS + 1))))
}
