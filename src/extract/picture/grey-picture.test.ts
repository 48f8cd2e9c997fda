import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
import { fitSize, toOrientation, turnUpright } from './grey-picture.ts'

const rowsOf = ({ width, height, pixels }: GreyPicture) =>
  Array.from({ length: height }, (_, y) => [...pixels.subarray(y * width, (y + 1) * width)])

for (const [number, upright] of [
  [
    1,
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ],
  [
    2,
    [
      [3, 2, 1],
      [6, 5, 4],
    ],
  ],
  [
    3,
    [
      [6, 5, 4],
      [3, 2, 1],
    ],
  ],
  [
    4,
    [
      [4, 5, 6],
      [1, 2, 3],
    ],
  ],
  [
    5,
    [
      [1, 4],
      [2, 5],
      [3, 6],
    ],
  ],
  [
    6,
    [
      [4, 1],
      [5, 2],
      [6, 3],
    ],
  ],
  [
    7,
    [
      [6, 3],
      [5, 2],
      [4, 1],
    ],
  ],
  [
    8,
    [
      [3, 6],
      [2, 5],
      [1, 4],
    ],
  ],
] as const)
  test(`a picture with orientation ${number} becomes upright`, () => {
    const picture = { width: 3, height: 2, pixels: Uint8Array.of(1, 2, 3, 4, 5, 6) }
    assert.deepEqual(rowsOf(turnUpright(picture, number)), upright)
  })

test('other numbers are no orientation', () => {
  assert.deepEqual([0, 9, 1.5, Number.NaN].map(toOrientation), [null, null, null, null])
})

test('a size is fitted into the number of pixels, in proportion', () => {
  assert.deepEqual(fitSize({ width: 100, height: 50 }, 5_000), { width: 100, height: 50 })
  assert.deepEqual(fitSize({ width: 200, height: 100 }, 5_000), { width: 100, height: 50 })
  const length = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(length, length, (width, height) => {
      const fitted = fitSize({ width, height }, 10_000)
      assert.ok(fitted.width >= 1 && fitted.height >= 1 && fitted.width * fitted.height <= 10_000)
    }),
  )
})
