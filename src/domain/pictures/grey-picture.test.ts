import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type GreyPicture, shrink } from './grey-picture.ts'

test('each new pixel is the mean of those it covers', () => {
  const picture = { width: 4, height: 2, pixels: Uint8Array.of(0, 100, 10, 30, 100, 200, 50, 70) }
  assert.deepEqual(shrink(picture, { width: 2, height: 1 }).pixels, Uint8Array.of(100, 40))
})

test('a pixel that two new ones share counts for both', () => {
  const picture = { width: 3, height: 1, pixels: Uint8Array.of(0, 90, 240) }
  assert.deepEqual(shrink(picture, { width: 2, height: 1 }).pixels, Uint8Array.of(30, 190))
})

test('one grey stays the same at every size', () => {
  const picture = { width: 97, height: 31, pixels: new Uint8Array(97 * 31).fill(201) }
  for (const [width, height] of [
    [97, 31],
    [64, 31],
    [7, 3],
    [1, 1],
  ] as const)
    assert.deepEqual(shrink(picture, { width, height }).pixels, new Uint8Array(width * height).fill(201))
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
