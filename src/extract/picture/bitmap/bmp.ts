// Decodes BMP files: 1 to 32 bits a pixel, uncompressed or with run lengths. Transparency is not looked at.
import type { GreyPicture } from '../../../domain/pictures/grey-picture.ts'
import { ReadEnded } from '../../reader.ts'
import { MAX_SOURCE_PIXELS } from '../grey-picture.ts'
import type { PictureSize } from '../picture-format.ts'
import { greyOfColour } from '../shades.ts'

const FILE_HEADER = 14
/** The header of OS/2, and the shortest one of Windows. */
const [OLD_HEADER, HEADER] = [12, 40]
const [PLAIN, RUNS_OF_BYTES, RUNS_OF_NIBBLES, MASKS, MASKS_WITH_ALPHA] = [0, 1, 2, 3, 6]

interface BmpHeader extends PictureSize {
  isTopDown: boolean
  depth: number
  compression: number
  /** The grey of each number of a pixel of up to 8 bits. */
  greys: Uint8Array
  /** Red, green and blue in a pixel of 16 or 32 bits. */
  masks: readonly number[]
  /** Where the pixels begin. */
  from: number
}

/** Rows that are missing are white. Throws `ReadEnded` if nothing is readable or the picture is too large. */
export function decodeBmp(bytes: Buffer): GreyPicture {
  const header = readHeader(bytes)
  const { width, height, compression, depth } = header
  if (width * height > MAX_SOURCE_PIXELS)
    throw new ReadEnded('limit', `The picture has ${width} x ${height} pixels, more than the limit.`)
  const pixels = new Uint8Array(width * height).fill(255)
  const isRuns = compression === RUNS_OF_BYTES || compression === RUNS_OF_NIBBLES
  if (isRuns) writeRuns(bytes, header, pixels)
  else writeRows(bytes, header, pixels, depth <= 8 ? indexedReader(header) : colourReader(header))
  return { width, height, pixels }
}

/** In pixels. Null if the header is cut off. */
export function readBmpSize(bytes: Buffer): PictureSize | null {
  if (bytes.length < FILE_HEADER + OLD_HEADER) return null
  if (bytes.readUInt32LE(FILE_HEADER) === OLD_HEADER)
    return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
  return bytes.length < FILE_HEADER + HEADER
    ? null
    : { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) }
}

function readHeader(bytes: Buffer): BmpHeader {
  const size = readBmpSize(bytes)
  if (size === null) throw unreadable()
  const headerBytes = bytes.readUInt32LE(FILE_HEADER)
  const isOld = headerBytes === OLD_HEADER
  const depth = bytes.readUInt16LE(isOld ? 24 : 28)
  const compression = isOld ? PLAIN : bytes.readUInt32LE(30)
  const hasMasks = compression === MASKS || compression === MASKS_WITH_ALPHA
  const isValid =
    size.width > 0 && size.height > 0 && (isOld || headerBytes >= HEADER) && isKnown(depth, compression, hasMasks)
  if (!isValid) throw unreadable()
  // Longer headers have the masks in them, at the same place.
  const masksBytes = hasMasks && headerBytes === HEADER ? (compression === MASKS ? 12 : 16) : 0
  if (hasMasks && bytes.length < FILE_HEADER + HEADER + 12) throw unreadable()
  return {
    ...size,
    isTopDown: !isOld && bytes.readInt32LE(22) < 0,
    depth,
    compression,
    greys: readGreys(bytes.subarray(FILE_HEADER + headerBytes + masksBytes), isOld ? 3 : 4),
    masks: hasMasks ? [0, 4, 8].map((it) => bytes.readUInt32LE(FILE_HEADER + HEADER + it)) : defaultMasks(depth),
    from: bytes.readUInt32LE(10),
  }
}

const unreadable = (): ReadEnded => new ReadEnded('damaged', 'The header of the BMP is not readable.')

function isKnown(depth: number, compression: number, hasMasks: boolean): boolean {
  if (compression === PLAIN) return [1, 4, 8, 16, 24, 32].includes(depth)
  if (compression === RUNS_OF_BYTES) return depth === 8
  return compression === RUNS_OF_NIBBLES ? depth === 4 : hasMasks && (depth === 16 || depth === 32)
}

const defaultMasks = (depth: number): readonly number[] =>
  depth === 16 ? [0x7c00, 0x3e0, 0x1f] : [0xff0000, 0xff00, 0xff]

/** A number without a colour is white. */
function readGreys(table: Buffer, entryBytes: number): Uint8Array {
  const greys = new Uint8Array(256).fill(255)
  for (let at = 0; at < 256 && (at + 1) * entryBytes <= table.length; at++) {
    const [blue = 0, green = 0, red = 0] = table.subarray(at * entryBytes, at * entryBytes + 3)
    greys[at] = greyOfColour(red, green, blue)
  }
  return greys
}

type GreyAt = (row: Buffer, x: number) => number

function indexedReader({ depth, greys }: BmpHeader): GreyAt {
  const perByte = 8 / depth
  const mask = (1 << depth) - 1
  return (row, x) => {
    const shift = 8 - depth * ((x % perByte) + 1)
    return greys[((row[Math.floor(x / perByte)] ?? 0) >> shift) & mask] ?? 255
  }
}

function colourReader({ depth, masks }: BmpHeader): GreyAt {
  if (depth === 24) return (row, x) => greyOfColour(row[x * 3 + 2] ?? 0, row[x * 3 + 1] ?? 0, row[x * 3] ?? 0)
  const [red, green, blue] = masks.map(sampleReader)
  const bytes = depth / 8
  return (row, x) => {
    const pixel = bytes === 2 ? row.readUInt16LE(x * 2) : row.readUInt32LE(x * 4)
    return greyOfColour(red?.(pixel) ?? 0, green?.(pixel) ?? 0, blue?.(pixel) ?? 0)
  }
}

/** Gives the bits of a mask as a number up to 255. */
function sampleReader(mask: number): (pixel: number) => number {
  if (mask === 0) return () => 0
  const shift = 31 - Math.clz32(mask & -mask)
  const highest = mask >>> shift
  return (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / highest)
}

function writeRows(
  bytes: Buffer,
  { width, height, depth, isTopDown, from }: BmpHeader,
  pixels: Uint8Array,
  greyAt: GreyAt,
): void {
  const rowBytes = Math.ceil((width * depth) / 32) * 4
  for (let y = 0; y < height; y++) {
    const at = from + y * rowBytes
    if (at + Math.ceil((width * depth) / 8) > bytes.length) return
    const row = bytes.subarray(at, at + rowBytes)
    const to = (isTopDown ? y : height - 1 - y) * width
    for (let x = 0; x < width; x++) pixels[to + x] = greyAt(row, x)
  }
}

/** Two bytes are a run, or with a zero the end of a row, the end, a move, or that many numbers as they are. */
function writeRuns(bytes: Buffer, { width, height, greys, compression, from }: BmpHeader, pixels: Uint8Array): void {
  const isNibbles = compression === RUNS_OF_NIBBLES
  let [x, y, at] = [0, 0, from]
  /** A run that leaves its row ends there, so that the time depends on the pixels and the bytes alone. */
  const put = (count: number, valueAt: (number: number) => number) => {
    const shown = Math.min(count, width - x)
    for (let number = 0; number < shown; number++)
      pixels[(height - 1 - y) * width + x + number] = greys[valueAt(number)] ?? 255
    x += count
  }
  const nibble = (byte: number, number: number) => (number % 2 === 0 ? byte >> 4 : byte & 15)
  while (at + 2 <= bytes.length && y < height) {
    const [count = 0, value = 0] = bytes.subarray(at, at + 2)
    at += 2
    if (count > 0) put(count, (number) => (isNibbles ? nibble(value, number) : value))
    else if (value === 1) return
    else if (value === 0) [x, y] = [0, y + 1]
    else if (value === 2) {
      x += bytes[at] ?? 0
      y += bytes[at + 1] ?? 0
      at += 2
    } else {
      const length = isNibbles ? Math.ceil(value / 2) : value
      const first = at
      put(value, (number) =>
        isNibbles ? nibble(bytes[first + (number >> 1)] ?? 0, number) : (bytes[first + number] ?? 0),
      )
      at += length + (length % 2)
    }
  }
}
