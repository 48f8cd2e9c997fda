import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderBoxes } from './reading-order.ts'

interface Item {
  name: string
  box: { x: number; y: number; width: number; height: number; right: { x: number; y: number } }
}

/** The place is that of the left upper corner. */
const item = (name: string, left: number, top: number, width: number, height = 20): Item => ({
  name,
  box: { x: left + width / 2, y: top + height / 2, width, height, right: { x: 1, y: 0 } },
})
const order = (items: readonly Item[]) =>
  orderBoxes(items)
    .map((block) => block.map((line) => line.map((it) => it.name).join(' ')).join('\n'))
    .join('\n\n')

/** As on a page that is turned around its origin. */
const turned = ({ name, box }: Item, angle: number): Item => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [x, y] = [box.x * cos - box.y * sin, box.x * sin + box.y * cos]
  return { name, box: { ...box, x, y, right: { x: cos, y: sin } } }
}

const table = [0, 1, 2, 3, 4].flatMap((row) => [
  item(`cell${row}`, 0, row * 30, 60),
  item(`value${row}`, 300, row * 30 + 3, 40),
])
const TABLE = [0, 1, 2, 3, 4].map((row) => `cell${row} value${row}`).join('\n')

test('no boxes have no order', () => {
  assert.deepEqual(orderBoxes([]), [])
})

test('cells of a table are read row by row', () => {
  assert.equal(order(table.toReversed()), TABLE)
})

for (const angle of [0.07, -0.07, Math.PI / 2, Math.PI, -Math.PI / 2, Math.PI - 0.07])
  test(`a page that is turned by ${angle.toFixed(2)} is read in its own direction`, () => {
    assert.equal(order(table.map((it) => turned(it, angle))), TABLE)
  })

test('columns of text are read one after another, below and above headings', () => {
  const column = (name: string, left: number, top: number) =>
    [0, 1, 2, 3, 4].map((row) => item(`${name}${row}`, left, top + row * 30, row === 4 ? 90 : 290))
  const items = [
    item('title', 50, 0, 500),
    ...column('l', 0, 60),
    ...column('r', 320, 60),
    item('heading', 50, 240, 500),
    ...column('m', 0, 300),
    ...column('s', 320, 300),
  ]
  const lines = (name: string) => [0, 1, 2, 3, 4].map((row) => `${name}${row}`).join('\n')
  const expected = ['title', lines('l'), lines('r'), 'heading', lines('m'), lines('s')].join('\n\n')
  assert.equal(order(items), expected)
})

test('a wide distance begins a block', () => {
  assert.equal(order([item('a', 0, 0, 100), item('b', 0, 30, 100), item('c', 0, 90, 100)]), 'a\nb\n\nc')
})
