import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { joinContentHash, splitContentHash } from '../segment/content-hash.ts'
import { NO_SLOT } from '../segment/live-segment.ts'
import { ContentHashTable } from './content-hash-table.ts'

test('splitting and joining a content hash gives the same hash', () => {
  for (const contentHash of ['0123456789abcdef', '0000000000000001', 'ffffffffffffffff', '8000000000000000']) {
    assert.equal(joinContentHash(...splitContentHash(contentHash)), contentHash)
  }
  assert.deepEqual(splitContentHash(undefined), [0, 0])
})

test('a table returns each slot of a hash once, and the rest as remaining', () => {
  // Few distinct values, so that hashes collide in the table and repeat.
  const word = fc.constantFrom(0, 1, 2, 7, 0xffffffff)
  const hashes = fc.array(fc.tuple(word, word), { maxLength: 40 })
  fc.assert(
    fc.property(hashes, hashes, (added, asked) => {
      const table = new ContentHashTable(added.length)
      for (const [slot, [high, low]] of added.entries()) table.add(high, low, slot)
      const left = new Set(added.keys())
      for (const [high, low] of asked) {
        const slot = table.take(high, low)
        if (slot === NO_SLOT) assert.ok(![...left].some((it) => added[it]![0] === high && added[it]![1] === low))
        else assert.deepEqual([added[slot], left.delete(slot)], [[high, low], true])
      }
      assert.deepEqual([table.size, new Set(table.remaining())], [left.size, left])
    }),
  )
})
