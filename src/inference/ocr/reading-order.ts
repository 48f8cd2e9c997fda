// Puts the boxes of a page into the order in which a person reads them.
import { downOf, type TextBox } from './text-box.ts'

/** A box on a page whose lines are level. */
interface Placed<T> {
  item: T
  left: number
  right: number
  middle: number
  height: number
}

/** Columns have at least this many lines beside each other. */
const MIN_COLUMN_LINES = 4
/** Boxes across the columns, such as headings. */
const MAX_CROSSING_SHARE = 0.2
/** Lines of text fill their column; cells of a table do not, and are read row by row. */
const MIN_FILLED_SHARE = 0.6
/** Lines of a column are this much wider than high. */
const MIN_COLUMN_WIDTH = 6
/** Between columns, in heights of a line. */
const MIN_GUTTER = 0.6
/** Between blocks, from middle to middle, in heights of a line. */
const BLOCK_DISTANCE = 2

/** Blocks of lines of items: lines from top to bottom, items of a line from left to right, columns one after another. */
export function orderBoxes<T extends { box: TextBox }>(items: readonly T[]): T[][][] {
  if (items.length === 0) return []
  const right = pageDirection(items)
  const down = downOf({ right })
  const placed = items.map((item): Placed<T> => {
    const { box } = item
    const across = box.x * right.x + box.y * right.y
    const alongside = Math.abs(box.right.x * right.x + box.right.y * right.y)
    // A box at a right angle to the page is as wide as it is high.
    const isLevel = alongside > Math.SQRT1_2
    const width = isLevel ? box.width : box.height
    return {
      item,
      left: across - width / 2,
      right: across + width / 2,
      middle: box.x * down.x + box.y * down.y,
      height: isLevel ? box.height : box.width,
    }
  })
  return orderPlaced(placed).map((block) => block.map((line) => line.map((it) => it.item)))
}

/** The median direction of the boxes that point as most of the text does. */
function pageDirection(items: readonly { box: TextBox }[]): { x: number; y: number } {
  const quarters = Map.groupBy(items, ({ box }) => Math.round(Math.atan2(box.right.y, box.right.x) / (Math.PI / 2)))
  const lengthOf = (group: readonly { box: TextBox }[]) => group.reduce((sum, { box }) => sum + box.width, 0)
  const main = [...quarters.values()].sort((a, b) => lengthOf(b) - lengthOf(a))[0] ?? []
  // Long boxes know the direction best.
  const longest = main.toSorted((a, b) => b.box.width - a.box.width).slice(0, 15)
  const [first] = longest
  if (first === undefined) return { x: 1, y: 0 }
  const { right } = first.box
  const down = downOf(first.box)
  const slopes = longest.map(({ box }) =>
    Math.atan2(box.right.x * down.x + box.right.y * down.y, box.right.x * right.x + box.right.y * right.y),
  )
  const slope = slopes.sort((a, b) => a - b)[slopes.length >> 1] ?? 0
  const [cos, sin] = [Math.cos(slope), Math.sin(slope)]
  return { x: right.x * cos + down.x * sin, y: right.y * cos + down.y * sin }
}

function orderPlaced<T>(boxes: readonly Placed<T>[]): Placed<T>[][][] {
  const gutter = findGutter(boxes)
  if (gutter === null) return splitBlocks(groupLines(boxes))
  const isCrossing = (it: Placed<T>) => it.left < gutter && it.right > gutter
  const crossing = groupLines(boxes.filter(isCrossing))
  const blocks: Placed<T>[][][] = []
  let above = Number.NEGATIVE_INFINITY
  for (const line of [...crossing, null]) {
    const below = line === null ? Number.POSITIVE_INFINITY : middleOf(line)
    const band = boxes.filter((it) => !isCrossing(it) && it.middle > above && it.middle <= below)
    blocks.push(...orderPlaced(band.filter((it) => it.right <= gutter)))
    blocks.push(...orderPlaced(band.filter((it) => it.left >= gutter)))
    if (line !== null) blocks.push([line])
    above = below
  }
  return blocks
}

/** The middle of the widest empty space between two columns of text, or null. */
function findGutter<T>(boxes: readonly Placed<T>[]): number | null {
  let best: { at: number; width: number } | null = null
  for (const { right: edge } of boxes) {
    const at = edge + 0.01
    const left = boxes.filter((it) => it.right <= at)
    const right = boxes.filter((it) => it.left >= at)
    const width = Math.min(...right.map((it) => it.left)) - edge
    const isWider = best === null || width > best.width
    if (!isWider || left.length + right.length < boxes.length * (1 - MAX_CROSSING_SHARE)) continue
    if (areColumns(left, right, width)) best = { at: edge + width / 2, width }
  }
  return best?.at ?? null
}

function areColumns<T>(left: readonly Placed<T>[], right: readonly Placed<T>[], gutter: number): boolean {
  if (left.length < MIN_COLUMN_LINES || right.length < MIN_COLUMN_LINES) return false
  if (gutter < MIN_GUTTER * median([...left, ...right].map((it) => it.height))) return false
  const [top, bottom] = [Math.max(firstOf(left), firstOf(right)), Math.min(lastOf(left), lastOf(right))]
  const shared = Math.min(lastOf(left) - firstOf(left), lastOf(right) - firstOf(right))
  return bottom - top >= shared / 2 && fillsColumn(left) && fillsColumn(right)
}

function fillsColumn<T>(boxes: readonly Placed<T>[]): boolean {
  const widths = groupLines(boxes).map((line) => extentOf(line))
  const column = extentOf(boxes)
  const width = median(widths)
  return width >= column * MIN_FILLED_SHARE && width >= MIN_COLUMN_WIDTH * median(boxes.map((it) => it.height))
}

/** Boxes share a line if their middles are less than half of the lower box apart. */
function groupLines<T>(boxes: readonly Placed<T>[]): Placed<T>[][] {
  const lines: Placed<T>[][] = []
  for (const box of boxes.toSorted((a, b) => a.middle - b.middle)) {
    const line = lines.at(-1)
    const lowest = Math.min(box.height, ...(line ?? []).map((it) => it.height))
    if (line !== undefined && box.middle - middleOf(line) < lowest / 2) line.push(box)
    else lines.push([box])
  }
  return lines.map((line) => line.sort((a, b) => a.left - b.left))
}

function splitBlocks<T>(lines: readonly Placed<T>[][]): Placed<T>[][][] {
  const blocks: Placed<T>[][][] = []
  let previous: Placed<T>[] | undefined
  for (const line of lines) {
    const distance = previous === undefined ? Number.POSITIVE_INFINITY : middleOf(line) - middleOf(previous)
    if (distance > BLOCK_DISTANCE * Math.max(...line.map((it) => it.height))) blocks.push([line])
    else blocks.at(-1)?.push(line)
    previous = line
  }
  return blocks
}

const middleOf = <T>(line: readonly Placed<T>[]) => line.reduce((sum, it) => sum + it.middle, 0) / line.length
const firstOf = <T>(boxes: readonly Placed<T>[]) => Math.min(...boxes.map((it) => it.middle))
const lastOf = <T>(boxes: readonly Placed<T>[]) => Math.max(...boxes.map((it) => it.middle))
const extentOf = <T>(boxes: readonly Placed<T>[]) =>
  Math.max(...boxes.map((it) => it.right)) - Math.min(...boxes.map((it) => it.left))
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
