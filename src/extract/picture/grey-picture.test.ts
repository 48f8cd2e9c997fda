import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitSize, type GreyPicture, shrink, toOrientation, turnUpright } from './grey-picture.ts'

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

test('a thin line stays visible when a picture shrinks', () => {
  const pixels = new Uint8Array(90 * 90).fill(255)
  for (let y = 0; y < 90; y++) pixels[y * 90 + 44] = 0
  const { pixels: small } = shrink({ width: 90, height: 90, pixels }, { width: 30, height: 30 })
  assert.deepEqual([small[14], small[13], small[15]], [170, 255, 255])
})

test('a shrunk picture is as bright as before', () => {
  const side = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(side, side, side, side, fc.nat(), (width, height, toWidth, toHeight, seed) => {
      const pixels = Uint8Array.from({ length: width * height }, (_, at) => (at * at + seed) % 256)
      const size = { width: Math.min(width, toWidth), height: Math.min(height, toHeight) }
      const small = shrink({ width, height, pixels }, size)
      const brightness = (it: GreyPicture) => it.pixels.reduce((sum, value) => sum + value, 0) / it.pixels.length
      assert.equal(small.pixels.length, size.width * size.height)
      assert.ok(Math.abs(brightness(small) - brightness({ width, height, pixels })) <= 0.500_001)
    }),
  )
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
