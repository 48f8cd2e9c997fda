import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDescriptors, connectionLimit, readDescriptors } from './file-descriptors.ts'

const cases: [limit: number, open: number, connections: number][] = [
  [64, 50, 4],
  [128, 50, 14],
  [256, 50, 142],
  [1_024, 50, 718],
  [20_000, 50, 18_926],
  [1_048_576, 50, 1_047_502],
]
for (const [limit, open, connections] of cases) {
  test(`a limit of ${limit} descriptors with ${open} open leaves ${connections} for connections`, () =>
    assert.equal(connectionLimit({ limit, open }), connections))
}

test('without a descriptor limit there is no connection limit', () => assert.equal(connectionLimit(null), null))

test('the limit of this process can be read', { skip: process.platform === 'win32' }, () => {
  const { limit, open } = readDescriptors()!
  assert.ok(limit > open && open > 2, `${open} of ${limit}`)
  checkDescriptors()
})
