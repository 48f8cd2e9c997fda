// The size and the orientation that make a picture ready for reading, and its limits.
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'

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
