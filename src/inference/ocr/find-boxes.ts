// Finds the boxes around text in the map that the detecting model makes.
import { minimumRectangle } from './minimum-rectangle.ts'
import { downOf, type TextBox } from './text-box.ts'

/** For each pixel how likely it belongs to text, 0 to 1, row by row. */
export interface ProbabilityMap {
  width: number
  height: number
  values: Float32Array
}

/** The values of the authors of the model; the model marks only the middle of a line. */
const MIN_PROBABILITY = 0.3
const MIN_MEAN = 0.5
const GROWTH = 1.6
const MIN_SIDE = 3
/** A page of small print has about 500 lines and words. */
const MAX_BOXES = 1_000

/** Connected parts of the map, as rectangles that are grown to the size of the letters. The largest come first. */
export function findBoxes(map: ProbabilityMap): TextBox[] {
  const boxes: TextBox[] = []
  for (const points of outlines(map)) {
    const box = minimumRectangle(points)
    if (Math.min(box.width, box.height) < MIN_SIDE || meanWithin(map, box) < MIN_MEAN) continue
    const growth = (GROWTH * box.width * box.height) / (box.width + box.height)
    boxes.push({ ...box, width: box.width + growth, height: box.height + growth })
  }
  return boxes.sort((a, b) => b.width * b.height - a.width * a.height).slice(0, MAX_BOXES)
}

/** The first and last pixel of each row of each connected part, from top to bottom, as x and y in turn. */
function* outlines(map: ProbabilityMap): Generator<number[]> {
  const { width, values } = map
  const isOpen = Uint8Array.from(values, (it) => (it > MIN_PROBABILITY ? 1 : 0))
  const queue = new Int32Array(values.length)
  for (let start = 0; start < isOpen.length; start++) {
    if (isOpen[start] !== 1) continue
    const count = collectPart(isOpen, width, queue, start)
    if (count >= MIN_SIDE * MIN_SIDE) yield outlineOf(queue.subarray(0, count), width)
  }
}

/** Writes the places of the part into the queue, closes them, and returns their number. */
function collectPart(isOpen: Uint8Array, width: number, queue: Int32Array, start: number): number {
  let count = 1
  queue[0] = start
  isOpen[start] = 0
  for (let next = 0; next < count; next++) {
    const at = queue[next] ?? 0
    const x = at % width
    for (let row = at - width; row <= at + width; row += width)
      for (let place = x > 0 ? row - 1 : row; place <= (x < width - 1 ? row + 1 : row); place++) {
        // Places above the first and below the last row are undefined.
        if (isOpen[place] !== 1) continue
        isOpen[place] = 0
        queue[count++] = place
      }
  }
  return count
}

function outlineOf(places: Int32Array, width: number): number[] {
  const rows = new Map<number, { first: number; last: number }>()
  for (const place of places) {
    const y = Math.floor(place / width)
    const x = place % width
    const row = rows.get(y)
    if (row === undefined) rows.set(y, { first: x, last: x })
    else if (x < row.first) row.first = x
    else if (x > row.last) row.last = x
  }
  return [...rows].sort(([a], [b]) => a - b).flatMap(([y, { first, last }]) => [first, y, last, y])
}

function meanWithin({ width, height, values }: ProbabilityMap, box: TextBox): number {
  const { right } = box
  const down = downOf(box)
  const reachX = (Math.abs(right.x) * box.width + Math.abs(down.x) * box.height) / 2
  const reachY = (Math.abs(right.y) * box.width + Math.abs(down.y) * box.height) / 2
  let sum = 0
  let count = 0
  for (let y = Math.max(0, Math.floor(box.y - reachY)); y < Math.min(height, box.y + reachY); y++)
    for (let x = Math.max(0, Math.floor(box.x - reachX)); x < Math.min(width, box.x + reachX); x++) {
      const [dx, dy] = [x + 0.5 - box.x, y + 0.5 - box.y]
      if (Math.abs(dx * right.x + dy * right.y) > box.width / 2) continue
      if (Math.abs(dx * down.x + dy * down.y) > box.height / 2) continue
      sum += values[y * width + x] ?? 0
      count++
    }
  return count === 0 ? 0 : sum / count
}
