import assert from 'node:assert/strict'
import { test } from 'node:test'
import { egressProfileOf } from './connector.ts'

test('a definition without an egress profile is restricted to the public internet', () => {
  assert.equal(egressProfileOf({}), 'public-only')
})
