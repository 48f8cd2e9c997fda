import { test } from 'node:test'
import { needs } from '../needs.ts'
import { cutEverywhere, cutFirstStart, failSyncs, mutantIsFound } from './powercut-cases.ts'

test('a power cut before any sync of a run of 100 attempts loses nothing acknowledged', needs('gcc'), (t) =>
  cutEverywhere(t, { attempts: 100, isThorough: false }),
)

test('a power cut during the very first start leaves nothing that the next start trips over', needs('gcc'), (t) =>
  cutFirstStart(t),
)

test('a sync that fails ends the program, and what it was for is not acknowledged', needs('gcc'), (t) =>
  failSyncs(t, [25, 40]),
)

for (const mutant of ['no-wal-sync', 'no-sync'] as const) {
  test(`the same checks find a program that forgets to sync: ${mutant}`, needs('gcc'), (t) => mutantIsFound(t, mutant))
}
