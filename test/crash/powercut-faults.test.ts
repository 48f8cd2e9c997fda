import { test } from 'node:test'
import { needs } from '../needs.ts'
import { assertMutantFound, failSyncs } from './powercut-cases.ts'

test('a failed sync ends the program, and the write is not acknowledged', needs('gcc'), (t) => failSyncs(t, [25]))

test('a failed sync during a checkpoint ends the program as well', needs('gcc'), (t) => failSyncs(t, ['4:pharos.db']))

test('a failed sync during the first start, when the new database is closed, does so as well', needs('gcc'), (t) =>
  failSyncs(t, ['2:pharos.db']),
)

for (const mutant of ['no-wal-sync', 'no-sync'] as const) {
  test(`the checks detect a program that does not sync: ${mutant}`, needs('gcc'), (t) => assertMutantFound(t, mutant))
}
