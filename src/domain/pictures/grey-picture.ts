// A picture in shades of grey, and how it is made smaller.

/** One byte a pixel, row by row, 0 is black. */
export interface GreyPicture {
  width: number
  height: number
  pixels: Uint8Array
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
