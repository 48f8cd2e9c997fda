// Reads the size of a picture from its first bytes, to tell pictures with room for text from signs and lines.
import { readBmpSize } from './bitmap/bmp.ts'
import { readGifSize } from './bitmap/gif.ts'
import { readJpegHeader } from './jpeg.ts'
import { type PictureSize, pictureFormatOf } from './picture-format.ts'
import { readDirectories } from './tiff-fields.ts'

/** A line of text has at least this size in a picture, in pixels. */
const MIN_WIDTH = 100
const MIN_HEIGHT = 50

/** False for pictures that `readPicture` does not read, and for those that are too small. */
export function hasRoomForText(bytes: Buffer): boolean {
  const size = readPictureSize(bytes)
  return size !== null && size.width >= MIN_WIDTH && size.height >= MIN_HEIGHT
}

const WIDTH_TAG = 256
const HEIGHT_TAG = 257

/** In pixels, as stored. Null if the kind is not known or the header is cut off. */
export function readPictureSize(bytes: Buffer): PictureSize | null {
  const format = pictureFormatOf(bytes)
  if (format === 'png')
    return bytes.length < 24 ? null : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (format === 'jpeg') return readJpegHeader(bytes)
  if (format === 'gif') return readGifSize(bytes)
  if (format === 'bmp') return readBmpSize(bytes)
  if (format !== 'tiff') return null
  const [directory] = readDirectories(bytes, 1)
  const [width, height] = [WIDTH_TAG, HEIGHT_TAG].map((tag) => directory?.numbers(tag, 1)[0])
  return width === undefined || height === undefined ? null : { width, height }
}
