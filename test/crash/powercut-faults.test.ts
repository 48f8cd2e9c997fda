import { test } from 'node:test'
import { needs } from '../needs.ts'
import { failSyncs, mutantIsFound } from './powercut-cases.ts'

test('a sync that fails ends the program, and what it was for is not acknowledged', needs('gcc'), (t) =>
  failSyncs(t, [25, 40]),
)

test('so does one that fails while the log is moved into the database', needs('gcc'), (t) =>
  failSyncs(t, ['4:pharos.db']),
)

test('so does one of the first start, while the new database is closed', needs('gcc'), (t) =>
  failSyncs(t, [11, 12, 13]),
)

for (const mutant of ['no-wal-sync', 'no-sync'] as const) {
  test(`the checks find a program that forgets to sync: ${mutant}`, needs('gcc'), (t) => mutantIsFound(t, mutant))
}
