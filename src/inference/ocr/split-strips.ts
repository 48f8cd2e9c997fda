// A long picture, such as that of a whole web page, is looked at in strips: made smaller as a whole, its letters would vanish.
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'

export interface Strip extends GreyPicture {
  /** Its first row in the picture. */
  top: number
}

/** Pages and their photographs are not as long, in widths. */
const LONG = 2.5
/** A strip ends in its last quarter, at the row where the picture changes least: between lines, if there is a place. */
const SEARCHED_SHARE = 0.25

/** The whole picture if it is not long or has at most `pixels` pixels; otherwise strips of about as many, at least square. */
export function splitStrips(picture: GreyPicture, pixels: number): Strip[] {
  const { width, height } = picture
  const rows = Math.max(width, Math.floor(pixels / width))
  if (height <= LONG * width || height <= rows) return [{ ...picture, top: 0 }]
  const strips: Strip[] = []
  for (let top = 0; top < height; ) {
    const end = height - top <= rows ? height : findCut(picture, top + rows * (1 - SEARCHED_SHARE), top + rows)
    strips.push({ width, height: end - top, pixels: picture.pixels.subarray(top * width, end * width), top })
    top = end
  }
  return strips
}

/** The row from the first one to the one before the last one whose lightest and darkest pixel differ least. */
function findCut({ width, pixels }: GreyPicture, from: number, to: number): number {
  let best = to
  let least = Number.POSITIVE_INFINITY
  for (let row = to - 1; row >= Math.ceil(from); row--) {
    const contrast = contrastOf(pixels.subarray(row * width, (row + 1) * width))
    if (contrast >= least) continue
    least = contrast
    best = row
  }
  return best
}

function contrastOf(row: Uint8Array): number {
  let [darkest, lightest] = [255, 0]
  for (const it of row) {
    if (it < darkest) darkest = it
    if (it > lightest) lightest = it
  }
  return lightest - darkest
}
