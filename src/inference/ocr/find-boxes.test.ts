import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBoxes } from './find-boxes.ts'

/** A map whose values are `value` where the test is true. */
function mapOf(width: number, height: number, isText: (x: number, y: number) => boolean, value = 1) {
  const values = Float32Array.from({ length: width * height }, (_, at) =>
    isText(at % width, Math.floor(at / width)) ? value : 0,
  )
  return { width, height, values }
}

test('a rectangle becomes a box that is grown on each side', () => {
  const [box, ...others] = findBoxes(mapOf(100, 40, (x, y) => x >= 20 && x < 80 && y >= 10 && y < 20))
  assert.equal(others.length, 0)
  const growth = (1.6 * 60 * 10) / 70
  assert.deepEqual(box, { x: 50, y: 15, width: 60 + growth, height: 10 + growth, right: { x: 1, y: 0 } })
})

test('a line that slopes becomes a box that slopes', () => {
  const slope = Math.tan(0.1)
  const [box] = findBoxes(mapOf(200, 60, (x, y) => x > 20 && x < 180 && Math.abs(y - 30 - (x - 100) * slope) < 5))
  assert.ok(box !== undefined)
  assert.ok(Math.abs(Math.atan2(box.right.y, box.right.x) - 0.1) < 0.02)
  assert.ok(Math.abs(box.x - 100.5) < 2 && Math.abs(box.y - 30.5) < 2)
  assert.ok(box.height < 30, `${box.height}`)
})

test('parts that touch at a corner are one box, and others are not', () => {
  const isText = (x: number, y: number) => (x < 20 && y < 10) || (x >= 20 && x < 40 && y >= 10 && y < 20)
  assert.equal(findBoxes(mapOf(64, 32, isText)).length, 1)
  assert.equal(findBoxes(mapOf(64, 32, (x, y) => isText(x, y) && x !== 20)).length, 2)
})

test('parts at the left and right edge are not connected', () => {
  assert.equal(findBoxes(mapOf(40, 40, (x, y) => y > 10 && y < 20 && (x < 10 || x >= 30))).length, 2)
})

test('faint parts and specks are no boxes', () => {
  assert.deepEqual(findBoxes(mapOf(64, 32, (x, y) => x < 20 && y < 10, 0.4)), [])
  assert.deepEqual(findBoxes(mapOf(64, 32, (x, y) => x < 2 && y < 20)), [])
})

test('no more than a thousand boxes are found, the largest ones', () => {
  const boxes = findBoxes(mapOf(400, 200, (x, y) => (x % 8 < 4 && y % 8 < 4) || y < 4))
  assert.equal(boxes.length, 1_000)
  assert.ok(boxes[0] !== undefined && boxes[0].width > 400)
})
