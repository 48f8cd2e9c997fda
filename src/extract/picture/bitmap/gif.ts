// Decodes the first picture of a GIF file. Transparent becomes white.
import type { GreyPicture } from '../../../domain/pictures/grey-picture.ts'
import { ReadEnded } from '../../reader.ts'
import { MAX_SOURCE_PIXELS } from '../grey-picture.ts'
import type { PictureSize } from '../picture-format.ts'
import { greyOfColour } from '../shades.ts'

const HEADER = 13
const [EXTENSION, PICTURE] = [0x21, 0x2c]
const GRAPHIC_CONTROL = 0xf9
/** Bits of the flags of the file and of a picture. */
const [HAS_TABLE, INTERLACED] = [0x80, 0x40]

/** Pixels that are missing are white. Throws `ReadEnded` if nothing is readable or the picture is too large. */
export function decodeGif(bytes: Buffer): GreyPicture {
  const screen = readGifSize(bytes)
  const frame = screen === null ? null : findFrame(bytes)
  if (screen === null || frame === null) throw new ReadEnded('damaged', 'The GIF has no picture.')
  const width = Math.max(screen.width, frame.left + frame.width)
  const height = Math.max(screen.height, frame.top + frame.height)
  if (width * height > MAX_SOURCE_PIXELS)
    throw new ReadEnded('limit', `The picture has ${width} x ${height} pixels, more than the limit.`)
  const pixels = new Uint8Array(width * height).fill(255)
  const rows = rowOrder(frame)
  let count = 0
  unpack(frame.data, frame.codeBits, frame.width * frame.height, (value) => {
    const row = rows[Math.floor(count / frame.width)] ?? 0
    pixels[(frame.top + row) * width + frame.left + (count % frame.width)] = frame.greys[value] ?? 255
    count++
  })
  if (count === 0) throw new ReadEnded('damaged', 'The GIF has no pixels.')
  return { width, height, pixels }
}

/** The size of the file as a whole, in pixels. Null if the header is cut off. */
export const readGifSize = (bytes: Buffer): PictureSize | null =>
  bytes.length < HEADER ? null : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }

interface GifFrame extends PictureSize {
  left: number
  top: number
  isInterlaced: boolean
  /** The grey of each number of a pixel. */
  greys: Uint8Array
  codeBits: number
  data: Buffer
}

/** Null if there is none, or its head is cut off. */
function findFrame(bytes: Buffer): GifFrame | null {
  const flags = bytes[10] ?? 0
  let transparent = -1
  let at = HEADER + tableBytes(flags)
  while (at < bytes.length && bytes[at] !== PICTURE) {
    // Programs pass over bytes that begin no block.
    if (bytes[at] !== EXTENSION) {
      at++
      continue
    }
    // A block of four bytes: flags, two for the time, and the transparent number.
    if (bytes[at + 1] === GRAPHIC_CONTROL && ((bytes[at + 3] ?? 0) & 1) === 1) transparent = bytes[at + 6] ?? -1
    at = readBlocks(bytes, at + 2).end
  }
  if (bytes[at] !== PICTURE || at + 11 > bytes.length) return null
  const number = (offset: number) => bytes.readUInt16LE(at + offset)
  const [left, top, width, height] = [number(1), number(3), number(5), number(7)]
  const own = bytes[at + 9] ?? 0
  const table = (own & HAS_TABLE) !== 0 ? at + 10 : HEADER
  const greys = readGreys(bytes.subarray(table), tableBytes((own & HAS_TABLE) !== 0 ? own : flags) / 3)
  if (transparent >= 0) greys[transparent] = 255
  const codes = at + 10 + tableBytes(own)
  const codeBits = bytes[codes] ?? 0
  if (width === 0 || height === 0 || codeBits < 1 || codeBits > 8) return null
  const { data } = readBlocks(bytes, codes + 1)
  return { left, top, width, height, isInterlaced: (own & INTERLACED) !== 0, greys, codeBits, data }
}

const tableBytes = (flags: number): number => ((flags & HAS_TABLE) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** A number without a colour is white. */
function readGreys(table: Buffer, colours: number): Uint8Array {
  const greys = new Uint8Array(256).fill(255)
  for (let at = 0; at < colours && at * 3 + 3 <= table.length; at++)
    greys[at] = greyOfColour(table[at * 3] ?? 0, table[at * 3 + 1] ?? 0, table[at * 3 + 2] ?? 0)
  return greys
}

/** Blocks with their length before them. An empty one is the last. */
function readBlocks(bytes: Buffer, from: number): { data: Buffer; end: number } {
  const blocks: Buffer[] = []
  let at = from
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    blocks.push(bytes.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return { data: Buffer.concat(blocks), end: at + 1 }
}

/** Every eighth row, those in the middle between them, and so on. */
function rowOrder({ height, isInterlaced }: GifFrame): number[] {
  const rows = Array.from({ length: height }, (_, at) => at)
  if (!isInterlaced) return rows
  const passes: readonly [from: number, step: number][] = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ]
  return passes.flatMap(([from, step]) => rows.filter((row) => row >= from && (row - from) % step === 0))
}

const MAX_CODES = 4_096

/** LZW with codes of up to 12 bits. Ends at a code that cannot be, and after `limit` values. */
function unpack(data: Buffer, codeBits: number, limit: number, emit: (value: number) => void): void {
  const [clear, end] = [1 << codeBits, (1 << codeBits) + 1]
  // A code is the text of another one, and a value behind it.
  const before = new Uint16Array(MAX_CODES)
  const last = new Uint8Array(MAX_CODES)
  const text = new Uint8Array(MAX_CODES)
  let [next, bits, previous, first] = [end + 1, codeBits + 1, -1, 0]
  let [buffer, held, count] = [0, 0, 0]
  for (const byte of data) {
    buffer |= byte << held
    held += 8
    while (held >= bits) {
      const code = buffer & ((1 << bits) - 1)
      buffer >>>= bits
      held -= bits
      if (code === end) return
      if (code === clear) {
        ;[next, bits, previous] = [end + 1, codeBits + 1, -1]
        continue
      }
      if (previous === -1 ? code >= clear : code > next || (code === next && next >= MAX_CODES)) return
      let length = 0
      let rest = code
      if (code === next) {
        text[length++] = first
        rest = previous
      }
      for (; rest > end; rest = before[rest] ?? 0) text[length++] = last[rest] ?? 0
      first = rest
      text[length++] = rest
      while (length > 0) {
        if (count++ >= limit) return
        emit(text[--length] ?? 0)
      }
      if (previous !== -1 && next < MAX_CODES) {
        before[next] = previous
        last[next] = first
        next++
        if (next === 1 << bits && bits < 12) bits++
      }
      previous = code
    }
  }
}
