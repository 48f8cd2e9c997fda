// Cuts a box out of the picture, upright and with the height that the recognising model reads.
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
import { downOf, type TextBox } from './text-box.ts'

export const LINE_HEIGHT = 48
const MAX_LINE_WIDTH = 3_200
/** The model has seen no narrower pictures; shorter lines are followed by grey. */
const MIN_LINE_WIDTH = 320
const CHANNELS = 3
/** Points in each direction whose mean is one pixel of a line that is made smaller. */
const MAX_POINTS = 4

/** The pixels of the line as the model expects them: three equal channels, -1 is black and 1 is white. */
export function cutLine(picture: GreyPicture, box: TextBox): { values: Float32Array; width: number } {
  const scale = LINE_HEIGHT / box.height
  const inked = Math.min(MAX_LINE_WIDTH, Math.max(8, Math.round(box.width * scale)))
  const width = Math.max(MIN_LINE_WIDTH, inked)
  const size = LINE_HEIGHT * width
  const values = new Float32Array(CHANNELS * size)
  const points = Math.min(MAX_POINTS, Math.max(1, Math.round(box.height / LINE_HEIGHT)))
  for (let y = 0; y < LINE_HEIGHT; y++)
    for (let x = 0; x < inked; x++) {
      let sum = 0
      for (let point = 0; point < points * points; point++) {
        const across = (x + ((point % points) + 0.5) / points) / inked - 0.5
        const down = (y + (Math.floor(point / points) + 0.5) / points) / LINE_HEIGHT - 0.5
        sum += brightnessIn(picture, box, across * box.width, down * box.height)
      }
      values[y * width + x] = sum / (points * points) / 127.5 - 1
    }
  values.copyWithin(size, 0, size)
  values.copyWithin(2 * size, 0, size)
  return { values, width }
}

/** At this distance from the centre of the box, between the four nearest pixels. */
function brightnessIn(picture: GreyPicture, box: TextBox, across: number, down: number): number {
  const direction = downOf(box)
  const x = box.x + across * box.right.x + down * direction.x - 0.5
  const y = box.y + across * box.right.y + down * direction.y - 0.5
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [shareX, shareY] = [x - left, y - top]
  const upper = pixelAt(picture, left, top) * (1 - shareX) + pixelAt(picture, left + 1, top) * shareX
  const lower = pixelAt(picture, left, top + 1) * (1 - shareX) + pixelAt(picture, left + 1, top + 1) * shareX
  return upper * (1 - shareY) + lower * shareY
}

/** Beyond the edge, the nearest pixel. */
function pixelAt({ width, height, pixels }: GreyPicture, x: number, y: number): number {
  const column = Math.min(width - 1, Math.max(0, x))
  const row = Math.min(height - 1, Math.max(0, y))
  return pixels[row * width + column] ?? 0
}
