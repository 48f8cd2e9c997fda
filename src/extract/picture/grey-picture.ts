// A picture in shades of grey, and the two changes that make it ready for reading: its size and its orientation.

/** One byte a pixel, row by row, 0 is black. */
export interface GreyPicture {
  width: number
  height: number
  pixels: Uint8Array
}

/** `reason` is a sentence that says why there are no pixels. */
export type PictureResult = GreyPicture | { reason: string }

/** `limit` is `time`, `memory` or `inputBytes`. */
export function reasonForLimit(limit: string): string {
  if (limit === 'time') return 'The picture took too long to read.'
  return limit === 'inputBytes' ? 'The file is larger than the limit.' : 'The picture needs more memory than the limit.'
}

/** A result is at most a sheet of A4 at 400 dpi. */
export const MAX_RESULT_PIXELS = 16_000_000
/** A larger picture is not decoded: in colour it needs half of the memory of a reader process. */
export const MAX_SOURCE_PIXELS = 40_000_000

/** As TIFF and EXIF number it: 1 is upright, 6 needs a quarter turn clockwise, even numbers up to 4 are mirrored. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** Null if the number is no orientation. */
export const toOrientation = (value: number): Orientation | null => ORIENTATIONS.find((it) => it === value) ?? null
const ORIENTATIONS: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8]

/** Turns and mirrors the pixels, so that the picture is upright. */
export function turnUpright(picture: GreyPicture, orientation: Orientation): GreyPicture {
  if (orientation === 1) return picture
  const { width, height, pixels } = picture
  const isSideways = orientation >= 5
  const turned = new Uint8Array(width * height)
  const [turnedWidth, turnedHeight] = isSideways ? [height, width] : [width, height]
  // The first stored row and column are at these sides of the upright picture.
  const isFromRight = [2, 3, 6, 7].includes(orientation)
  const isFromBottom = [3, 4, 7, 8].includes(orientation)
  for (let y = 0, to = 0; y < turnedHeight; y++) {
    const down = isFromBottom ? turnedHeight - 1 - y : y
    for (let x = 0; x < turnedWidth; x++, to++) {
      const across = isFromRight ? turnedWidth - 1 - x : x
      turned[to] = pixels[isSideways ? across * width + down : down * width + across] ?? 0
    }
  }
  return { width: turnedWidth, height: turnedHeight, pixels: turned }
}

/** The size with the same proportions and at most this many pixels. Never larger than before. */
export function fitSize(
  { width, height }: { width: number; height: number },
  maxPixels: number,
): { width: number; height: number } {
  const scale = Math.min(1, Math.sqrt(maxPixels / (width * height)))
  if (scale === 1) return { width, height }
  // A line of one pixel cannot become thinner, so it becomes shorter.
  const fit = (length: number, longest: number) => Math.max(1, Math.floor(Math.min(length * scale, longest)))
  const fittedWidth = fit(width, maxPixels / fit(height, maxPixels))
  return { width: fittedWidth, height: fit(height, maxPixels / fittedWidth) }
}

/** Each new pixel is the average of the area that it covers, so that thin strokes stay visible. */
export function shrink(picture: GreyPicture, size: { width: number; height: number }): GreyPicture {
  if (size.width >= picture.width && size.height >= picture.height) return picture
  const { width, height } = size
  const across = coverages(picture.width, width)
  const pixels = new Uint8Array(width * height)
  const sums = new Float64Array(width)
  const area = (picture.width / width) * (picture.height / height)
  const step = picture.height / height
  for (let y = 0; y < height; y++) {
    sums.fill(0)
    const [top, bottom] = [y * step, Math.min((y + 1) * step, picture.height)]
    for (let row = Math.floor(top); row < bottom; row++)
      addRow(sums, picture, row, across, Math.min(row + 1, bottom) - Math.max(row, top))
    for (let x = 0; x < width; x++) pixels[y * width + x] = Math.round((sums[x] ?? 0) / area)
  }
  return { width, height, pixels }
}

/** Each old column begins in a new one, with this share of its width. The rest is in the next one. */
interface Coverages {
  first: Uint32Array
  share: Float64Array
}

function coverages(from: number, to: number): Coverages {
  const first = new Uint32Array(from)
  const share = new Float64Array(from)
  const scale = to / from
  for (let at = 0; at < from; at++) {
    const begin = Math.min(to - 1, Math.floor(at * scale))
    first[at] = begin
    share[at] = begin === to - 1 ? 1 : Math.min(1, (begin + 1) / scale - at)
  }
  return { first, share }
}

function addRow(
  sums: Float64Array,
  { width, pixels }: GreyPicture,
  row: number,
  { first, share }: Coverages,
  weight: number,
): void {
  for (let at = 0, from = row * width; at < width; at++, from++) {
    const value = (pixels[from] ?? 0) * weight
    const column = first[at] ?? 0
    const part = value * (share[at] ?? 0)
    sums[column] = (sums[column] ?? 0) + part
    if (part < value) sums[column + 1] = (sums[column + 1] ?? 0) + value - part
  }
}
