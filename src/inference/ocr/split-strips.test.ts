import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitStrips } from './split-strips.ts'

const pictureOf = (width: number, height: number, at: (x: number, y: number) => number) => ({
  width,
  height,
  pixels: Uint8Array.from({ length: width * height }, (_, place) => at(place % width, Math.floor(place / width))),
})
const stripes = (x: number, y: number) => (y % 10 === 0 ? 255 : x % 2 === 0 ? 0 : 255)

test('a page is one strip, however large it is', () => {
  const page = pictureOf(100, 140, stripes)
  assert.deepEqual(splitStrips(page, 1_000), [{ ...page, top: 0 }])
})

test('a long picture of few pixels is one strip', () => {
  assert.equal(splitStrips(pictureOf(10, 200, stripes), 2_000).length, 1)
})

test('a long picture is cut between its lines, and nothing is lost', () => {
  const picture = pictureOf(20, 214, stripes)
  const strips = splitStrips(picture, 900)
  assert.deepEqual(
    strips.map((it) => [it.top, it.height]),
    [
      [0, 40],
      [40, 40],
      [80, 40],
      [120, 40],
      [160, 40],
      [200, 14],
    ],
  )
  assert.deepEqual(Buffer.concat(strips.map((it) => it.pixels)), Buffer.from(picture.pixels))
})

test('a picture of one grey is cut where the strips are full', () => {
  const strips = splitStrips(
    pictureOf(20, 100, () => 9),
    900,
  )
  assert.deepEqual(
    strips.map((it) => it.height),
    [44, 44, 12],
  )
})
