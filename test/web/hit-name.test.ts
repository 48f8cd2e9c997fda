import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hitName } from '../../web/src/pages/search/hit-name.ts'

for (const [title, semantic_identifier, name] of [
  ['Leave | Handbook', 'Leave', 'Leave'],
  ['Handbook: Leave', 'Leave', 'Leave'],
  ['Leave', 'Leave', 'Leave'],
  ['Ferries to the islands', 'ferries.pdf', 'Ferries to the islands'],
  ['Leave', '', 'Leave'],
] as const) {
  test(`"${title}" of "${semantic_identifier}" is shown as "${name}"`, () => {
    assert.equal(hitName({ title, semantic_identifier }), name)
  })
}
