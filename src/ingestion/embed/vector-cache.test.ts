import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '../../../test/random.ts'
import { packedDimension, packVector, unpackVector } from './vector-cache.ts'

const random = seeded(7)
function unit(values: number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (it) => it / length)
}
const dot = (one: Float32Array, other: Float32Array) => one.reduce((sum, it, at) => sum + it * other[at]!, 0)
const someVector = (dimension: number) => unit(Array.from({ length: dimension }, () => random() + random() - 1))

for (const dimension of [1, 2, 384, 1_536]) {
  test(`a vector of ${dimension} numbers is restored with little loss`, () => {
    for (let run = 0; run < 50; run++) {
      const vector = someVector(dimension)
      const kept = unpackVector(packVector(vector))
      assert.equal(packedDimension(packVector(vector)), dimension)
      assert.ok(Math.abs(dot(kept, kept) - 1) < 1e-6)
      assert.ok(dot(kept, vector) > 0.9999, String(dot(kept, vector)))
      const query = someVector(dimension)
      assert.ok(Math.abs(dot(kept, query) - dot(vector, query)) < 0.004)
    }
  })
}

test('packing a restored vector again loses nothing', () => {
  const once = unpackVector(packVector(someVector(384)))
  assert.ok(dot(unpackVector(packVector(once)), once) > 1 - 1e-6)
})

test('a vector of zeros does not become NaN', () => {
  assert.deepEqual([...unpackVector(packVector(new Float32Array(3)))], [0, 0, 0])
})
