import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutLine, LINE_HEIGHT } from './cut-line.ts'
import { turnHalf, turnQuarter } from './text-box.ts'

/** Black at the left, white at the right; black above, white below in the lower half. */
const picture = { width: 480, height: 96, pixels: new Uint8Array(480 * 96).fill(255) }
for (let place = 0; place < picture.pixels.length; place++) if (place % 480 < 240) picture.pixels[place] = 0
const box = { x: 240, y: 48, width: 480, height: 96, right: { x: 1, y: 0 } }

test('a line is cut to the height of the model, in three equal channels', () => {
  const { values, width } = cutLine(picture, { ...box, height: 48 })
  assert.equal(width, 480)
  assert.equal(values.length, 3 * LINE_HEIGHT * width)
  assert.deepEqual([values[0], values[479], values[239], values[240]], [-1, 1, -1, 1])
  assert.deepEqual(values.subarray(0, LINE_HEIGHT * width), values.subarray(2 * LINE_HEIGHT * width))
})

test('a short line is followed by grey, and a very long one is pressed', () => {
  const short = cutLine(picture, box)
  assert.equal(short.width, 320)
  assert.deepEqual([short.values[239], short.values[240]], [1, 0])
  assert.equal(cutLine(picture, { ...box, height: 4 }).width, 3_200)
})

test('a box that is turned is read in its own direction', () => {
  const { values } = cutLine(picture, turnHalf({ ...box, height: 48 }))
  assert.deepEqual([values[0], values[479]], [1, -1])
  const upright = turnQuarter({ ...box, width: 96, height: 480, x: 240 })
  // It reads downwards, so the right half of the picture is at the top.
  const down = cutLine(picture, { ...upright, height: 480, width: 96 })
  assert.deepEqual([down.values[0], down.values[(LINE_HEIGHT - 1) * down.width]], [1, -1])
})
