import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MarkTable, markOfWords, wordsOfMark } from './marks.ts'
import { NO_SLOT } from './vector-rows.ts'

test('a mark is the same after a way through words', () => {
  for (const mark of ['0123456789abcdef', '0000000000000001', 'ffffffffffffffff', '8000000000000000']) {
    assert.equal(markOfWords(...wordsOfMark(mark)), mark)
  }
  assert.deepEqual(wordsOfMark(undefined), [0, 0])
})

test('a table gives each row of a mark once, and the others to nobody', () => {
  // Few values, so that marks share places and are there more than once.
  const word = fc.constantFrom(0, 1, 2, 7, 0xffffffff)
  const marks = fc.array(fc.tuple(word, word), { maxLength: 40 })
  fc.assert(
    fc.property(marks, marks, (added, asked) => {
      const table = new MarkTable(added.length)
      for (const [slot, [high, low]] of added.entries()) table.add(high, low, slot)
      const left = new Set(added.keys())
      for (const [high, low] of asked) {
        const slot = table.take(high, low)
        if (slot === NO_SLOT) assert.ok(![...left].some((it) => added[it]![0] === high && added[it]![1] === low))
        else assert.deepEqual([added[slot], left.delete(slot)], [[high, low], true])
      }
      assert.deepEqual([table.size, new Set(table.rest())], [left.size, left])
    }),
  )
})
