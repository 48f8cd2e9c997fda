import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shrinkPicture } from './picture.ts'

test('each new pixel is the mean of those it covers', () => {
  const picture = { width: 4, height: 2, pixels: Uint8Array.of(0, 100, 10, 30, 100, 200, 50, 70) }
  assert.deepEqual(shrinkPicture(picture, { width: 2, height: 1 }).pixels, Uint8Array.of(100, 40))
})

test('a pixel that two new ones share counts for both', () => {
  const picture = { width: 3, height: 1, pixels: Uint8Array.of(0, 90, 240) }
  assert.deepEqual(shrinkPicture(picture, { width: 2, height: 1 }).pixels, Uint8Array.of(30, 190))
})

test('one grey stays the same at every size', () => {
  const picture = { width: 97, height: 31, pixels: new Uint8Array(97 * 31).fill(201) }
  for (const [width, height] of [
    [97, 31],
    [64, 31],
    [7, 3],
    [1, 1],
  ] as const)
    assert.deepEqual(shrinkPicture(picture, { width, height }).pixels, new Uint8Array(width * height).fill(201))
})
