// A grey picture, and how it is made smaller.

/** One byte a pixel, row by row, 0 is black. */
export interface GreyPicture {
  width: number
  height: number
  pixels: Uint8Array
}

/** The mean of the pixels that fall on each new pixel. The new sides are not larger than the old ones. */
export function shrinkPicture(picture: GreyPicture, size: { width: number; height: number }): GreyPicture {
  const { width, height } = size
  if (width === picture.width && height === picture.height) return picture
  const columns = shareOut(picture.width, width)
  const rows = shareOut(picture.height, height)
  const sums = new Float32Array(width * height)
  // A source row falls on one or two new rows, and a source column on one or two new columns.
  const line = new Float32Array(width + 1)
  for (let y = 0; y < picture.height; y++) {
    line.fill(0)
    for (let x = 0; x < picture.width; x++) {
      const at = columns.first[x] ?? 0
      const value = picture.pixels[y * picture.width + x] ?? 0
      line[at] = (line[at] ?? 0) + value * (columns.share[x] ?? 0)
      line[at + 1] = (line[at + 1] ?? 0) + value * (columns.rest[x] ?? 0)
    }
    const top = (rows.first[y] ?? 0) * width
    addLine(sums, top, line, rows.share[y] ?? 0)
    addLine(sums, top + width, line, rows.rest[y] ?? 0)
  }
  return { width, height, pixels: Uint8Array.from(sums, Math.round) }
}

function addLine(sums: Float32Array, start: number, line: Float32Array, weight: number): void {
  if (weight === 0 || start >= sums.length) return
  for (let x = 0; x < line.length - 1; x++) sums[start + x] = (sums[start + x] ?? 0) + (line[x] ?? 0) * weight
}

/** For each source position the first new position it falls on, its weight there, and its weight in the next one. */
function shareOut(from: number, to: number): { first: Int32Array; share: Float32Array; rest: Float32Array } {
  const scale = to / from
  const first = Int32Array.from({ length: from }, (_, at) => Math.min(to - 1, Math.floor(at * scale)))
  const share = Float32Array.from(first, (it, at) => Math.min(scale, it + 1 - at * scale))
  const rest = Float32Array.from(first, (it, at) => (it + 1 < to ? scale - (share[at] ?? 0) : 0))
  return { first, share, rest }
}
