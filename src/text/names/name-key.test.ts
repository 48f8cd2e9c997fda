import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameKey } from './name-key.ts'

const SAME: [string, string][] = [
  ['Window functions', 'window function'],
  ['os.path.join()', 'os.path.join'],
  ['event loop', 'Event Loops'],
  ['\\copy', 'COPY'],
  ['Über uns', 'über   uns!'],
  ['to be', 'To be'],
]

for (const [one, other] of SAME) {
  test(`"${one}" and "${other}" are one name`, () => {
    assert.notEqual(nameKey(one), '')
    assert.equal(nameKey(one), nameKey(other))
  })
}

const DIFFERENT: [string, string][] = [
  ['pg_stat_activity', 'pg_stat_replication'],
  ['window functions', 'functions'],
  ['os.path', 'os.path.join'],
  ['to be', 'is'],
]

for (const [one, other] of DIFFERENT) {
  test(`"${one}" and "${other}" are two names`, () => assert.notEqual(nameKey(one), nameKey(other)))
}

test('a text without words has no key', () => assert.equal(nameKey(' – » '), ''))
