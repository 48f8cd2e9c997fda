import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForRecent } from './asks-for-recent.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')

for (const query of [
  'Latest release notes',
  'incidents this week',
  'roadmap 2026',
  'die neuesten Preise',
  'letzten Monat',
])
  test(`"${query}" asks for something recent`, () => assert.equal(asksForRecent(query, NOW), true))

for (const query of ['release notes', 'this page', 'budget 2019', 'current of a week', 'x'.repeat(1_000), ''])
  test(`"${query.slice(0, 20)}" does not ask for something recent`, () =>
    assert.equal(asksForRecent(query, NOW), false))
