// Decodes PNG files: every colour type, depth and interlacing. Transparent becomes white.
import { constants, inflateSync } from 'node:zlib'
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
import { ReadEnded } from '../reader.ts'
import { MAX_SOURCE_PIXELS } from './grey-picture.ts'
import { type GreyOf, greyRowReader, type PngColours, samplesPerPixel } from './png-colours.ts'

const SIGNATURE_BYTES = 8
/** 40 million pixels of 4 bytes. */
const MAX_DECODED_BYTES = MAX_SOURCE_PIXELS * 4

interface PngHeader {
  width: number
  height: number
  depth: number
  colourType: number
  isInterlaced: boolean
}

/** Rows that are missing are white. Throws `ReadEnded` if nothing is readable or the picture is too large. */
export function decodePng(bytes: Buffer): GreyPicture {
  const { header, colours, data } = readChunks(bytes)
  const { width, height } = header
  if (width * height > MAX_SOURCE_PIXELS)
    throw new ReadEnded('limit', `The picture has ${width} x ${height} pixels, more than the limit.`)
  const bits = samplesPerPixel(header.colourType) * header.depth
  const passes = passesOf(header).map((it) => ({ ...it, rowBytes: Math.ceil((it.columns * bits) / 8) }))
  const size = passes.reduce((sum, { rows, rowBytes }) => sum + rows * (rowBytes + 1), 0)
  if (size > MAX_DECODED_BYTES)
    throw new ReadEnded('limit', `The picture has ${size} bytes of pixels, more than the limit.`)
  const rows = inflateRows(data, size)
  if (rows.length === 0) throw new ReadEnded('damaged', 'The PNG has no pixels.')
  const pixels = new Uint8Array(width * height).fill(255)
  const greyOf = greyRowReader(header, colours)
  let at = 0
  for (const pass of passes) {
    at = decodePass(rows, at, { ...pass, step: Math.max(1, bits >> 3) }, (row, y) =>
      writeRow(pixels, row, greyOf, { ...pass, from: (pass.top + y * pass.down) * width + pass.left }),
    )
  }
  return { width, height, pixels }
}

function readChunks(bytes: Buffer): { header: PngHeader; colours: PngColours; data: Buffer } {
  let header: PngHeader | null = null
  const colours: PngColours = { palette: null, transparency: null }
  const data: Buffer[] = []
  for (let at = SIGNATURE_BYTES; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') header = readHeader(content)
    if (type === 'PLTE') colours.palette = content
    if (type === 'tRNS') colours.transparency = content
    if (type === 'IDAT') data.push(content)
    if (type === 'IEND') break
    at += 12 + length
  }
  if (header === null || data.length === 0) throw new ReadEnded('damaged', 'The PNG has no picture.')
  return { header, colours, data: Buffer.concat(data) }
}

const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

function readHeader(content: Buffer): PngHeader {
  if (content.length < 13) throw new ReadEnded('damaged', 'The header of the PNG is not readable.')
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)]
  const [depth, colourType, interlacing] = [content.readUInt8(8), content.readUInt8(9), content.readUInt8(12)]
  const isValid = width > 0 && height > 0 && DEPTHS[colourType]?.includes(depth) && interlacing <= 1
  if (!isValid) throw new ReadEnded('damaged', 'The header of the PNG is not readable.')
  return { width, height, depth, colourType, isInterlaced: interlacing === 1 }
}

/** Places of the pixels of a pass: the first one and the distances to the next. */
interface PngPass {
  left: number
  top: number
  across: number
  down: number
  columns: number
  rows: number
}

/** Adam7 has seven passes: left, top, across, down. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

const passesOf = ({ width, height, isInterlaced }: PngHeader): PngPass[] =>
  (isInterlaced ? ADAM7 : [[0, 0, 1, 1] as const])
    .map(([left, top, across, down]) => {
      const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)]
      return { left, top, across, down, columns, rows }
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0)

/** Truncated data gives the rows until there. More data than the header announces is an error. */
function inflateRows(data: Buffer, size: number): Buffer {
  try {
    return inflateSync(data, { chunkSize: size + 64, maxOutputLength: size + 64, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (cause) {
    throw new ReadEnded('damaged', `The pixels of the PNG are not readable: ${cause}`)
  }
}

interface PassRows {
  rows: number
  rowBytes: number
  /** Distance in bytes to the pixel on the left. */
  step: number
}

/** Returns the place behind the pass. */
function decodePass(
  data: Buffer,
  begin: number,
  { rows, rowBytes, step }: PassRows,
  onRow: (row: Uint8Array, y: number) => void,
): number {
  let above: Uint8Array = new Uint8Array(rowBytes)
  let at = begin
  for (let y = 0; y < rows && at + 1 + rowBytes <= data.length; y++) {
    const row = data.subarray(at + 1, at + 1 + rowBytes)
    undoFilter(data[at] ?? 0, row, above, step)
    onRow(row, y)
    above = row
    at += rowBytes + 1
  }
  return begin + rows * (rowBytes + 1)
}

function undoFilter(filter: number, row: Uint8Array, above: Uint8Array, step: number): void {
  if (filter === 0) return
  if (filter > 4) throw new ReadEnded('damaged', 'The pixels of the PNG are not readable.')
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : (row[at - step] ?? 0)
    const up = above[at] ?? 0
    const corner = at < step ? 0 : (above[at - step] ?? 0)
    row[at] = (row[at] ?? 0) + predict(filter, left, up, corner)
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

function writeRow(
  pixels: Uint8Array,
  row: Uint8Array,
  greyOf: GreyOf,
  { columns, across, from }: Pick<PngPass, 'columns' | 'across'> & { from: number },
): void {
  for (let x = 0, to = from; x < columns; x++, to += across) pixels[to] = greyOf(row, x)
}
