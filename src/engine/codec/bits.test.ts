import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bitWidth, createBitSet, hasBit, pack, packedLength, setBitRange, unpack } from './bits.ts'

test('packed values are restored for any width and neighbours', () => {
  const values = fc
    .integer({ min: 0, max: 32 })
    .chain((bits) => fc.array(fc.integer({ min: 0, max: bits === 0 ? 0 : 2 ** bits - 1 }), { maxLength: 128 }))
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 3 }), (numbers, at) => {
      const bits = numbers.reduce((most, it) => Math.max(most, bitWidth(it)), 0)
      const words = new Uint32Array(at + packedLength(numbers.length, bits) + 1).fill(0xffffffff)
      pack(Uint32Array.from(numbers), numbers.length, bits, words, at)
      assert.equal(words.at(-1), 0xffffffff)
      const out = new Uint32Array(128)
      unpack(words, at, bits, numbers.length, out)
      assert.deepEqual([...out.subarray(0, numbers.length)], numbers)
    }),
  )
})

test('setting a range sets its bits and no others', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 199 }), fc.integer({ min: 1, max: 200 }))
  fc.assert(
    fc.property(range, ([from, length]) => {
      const until = Math.min(200, from + length)
      const bits = createBitSet(200)
      setBitRange(bits, from, until)
      for (let at = 0; at < 200; at++) assert.equal(hasBit(bits, at), at >= from && at < until)
    }),
  )
})
