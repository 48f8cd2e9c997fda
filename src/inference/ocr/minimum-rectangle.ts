import type { TextBox } from './text-box.ts'

interface Point {
  x: number
  y: number
}

/**
 * The smallest rectangle, which may be turned, around the pixels. They are given as x and y in turn, ordered by y, then x.
 * Its direction differs from the x axis by 45 degrees at most.
 */
export function minimumRectangle(pixels: readonly number[]): TextBox {
  const hull = convexHull(pixels)
  let best: TextBox | undefined
  for (const [at, from] of hull.entries()) {
    const to = hull[(at + 1) % hull.length] ?? from
    const box = rectangleAlong(hull, towardsRight({ x: to.x - from.x, y: to.y - from.y }))
    if (best === undefined || box.width * box.height < best.width * best.height) best = box
  }
  return best ?? { x: 0, y: 0, width: 0, height: 0, right: { x: 1, y: 0 } }
}

/** One of the four directions along the sides of a rectangle with this side. */
function towardsRight({ x, y }: Point): Point {
  const length = Math.hypot(x, y)
  if (length === 0) return { x: 1, y: 0 }
  const [dx, dy] = Math.abs(x) >= Math.abs(y) ? [x, y] : [y, -x]
  return { x: Math.abs(dx) / length, y: (dx < 0 ? -dy : dy) / length }
}

function rectangleAlong(hull: readonly Point[], right: Point): TextBox {
  const across = hull.map((it) => it.x * right.x + it.y * right.y)
  const down = hull.map((it) => it.y * right.x - it.x * right.y)
  const [left, end, top, bottom] = [Math.min(...across), Math.max(...across), Math.min(...down), Math.max(...down)]
  const [middleAcross, middleDown] = [(left + end) / 2, (top + bottom) / 2]
  return {
    // Points are the centres of pixels, so the rectangle is a pixel larger.
    x: middleAcross * right.x - middleDown * right.y + 0.5,
    y: middleAcross * right.y + middleDown * right.x + 0.5,
    width: end - left + 1,
    height: bottom - top + 1,
    right,
  }
}

/** Andrew's monotone chain: first the points along one side, then back along the other. */
function convexHull(pixels: readonly number[]): Point[] {
  const points: Point[] = []
  for (let at = 0; at + 1 < pixels.length; at += 2) points.push({ x: pixels[at] ?? 0, y: pixels[at + 1] ?? 0 })
  const there = chain(points)
  const back = chain(points.toReversed())
  return [...there.slice(0, -1), ...back.slice(0, -1)]
}

function chain(points: readonly Point[]): Point[] {
  const kept: Point[] = []
  for (const point of points) {
    while (kept.length >= 2 && !turnsOutwards(kept.at(-2), kept.at(-1), point)) kept.pop()
    kept.push(point)
  }
  return kept
}

function turnsOutwards(from: Point | undefined, by: Point | undefined, to: Point): boolean {
  if (from === undefined || by === undefined) return true
  return (by.x - from.x) * (to.y - from.y) - (by.y - from.y) * (to.x - from.x) > 0
}
