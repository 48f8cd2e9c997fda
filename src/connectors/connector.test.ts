import assert from 'node:assert/strict'
import { test } from 'node:test'
import { egressProfileOf } from './connector.ts'
import { connectors } from './load.ts'

test('a definition without an egress profile is restricted to the public internet', () => {
  assert.equal(egressProfileOf({}), 'public-only')
})

test('only connectors that call nothing but their configured address may leave the public internet', () => {
  const restricted = connectors.filter((it) => egressProfileOf(it) === 'public-only').map((it) => it.sources[0])
  assert.deepEqual(restricted, ['file', 'web'])
})
