// BMP and GIF files, written byte by byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasRoomForText } from '../picture-size.ts'
import { readPicture } from '../read-picture.ts'
import { decodeBmp } from './bmp.ts'
import { decodeGif } from './gif.ts'

const [BLACK, WHITE] = [
  [0, 0, 0, 0],
  [255, 255, 255, 0],
] as const

interface BmpSettings {
  width: number
  height: number
  depth: number
  compression?: number
  palette?: readonly (readonly number[])[]
  masks?: readonly number[]
}

function bmp(
  { width, height, depth, compression = 0, palette = [], masks = [] }: BmpSettings,
  pixels: readonly number[],
): Buffer {
  const more = [...Buffer.from(new Uint32Array(masks).buffer), ...palette.flat()]
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeUInt32LE(54 + more.length, 10)
  head.writeUInt32LE(40, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(depth, 28)
  head.writeUInt32LE(compression, 30)
  return Buffer.concat([head, Buffer.from([...more, ...pixels])])
}

const rowsOf = ({ width, pixels }: { width: number; pixels: Uint8Array }) =>
  Array.from({ length: pixels.length / width }, (_, y) => [...pixels.subarray(y * width, (y + 1) * width)])

test('a BMP begins with its last row, or with its first one if its height is negative', () => {
  const pixels = [0b10100000, 0, 0, 0, 0b01000000, 0, 0, 0]
  const settings = { width: 3, depth: 1, palette: [BLACK, WHITE] }
  assert.deepEqual(rowsOf(decodeBmp(bmp({ ...settings, height: 2 }, pixels))), [
    [0, 255, 0],
    [255, 0, 255],
  ])
  assert.deepEqual(rowsOf(decodeBmp(bmp({ ...settings, height: -2 }, pixels))), [
    [255, 0, 255],
    [0, 255, 0],
  ])
})

test('a BMP has 16, 24 or 32 bits of colour', () => {
  const grey = (depth: number, pixels: readonly number[], more: Partial<BmpSettings> = {}) =>
    rowsOf(decodeBmp(bmp({ width: 2, height: 1, depth, ...more }, pixels)))
  assert.deepEqual(grey(24, [0, 0, 0, 255, 255, 255, 0, 0]), [[0, 255]])
  assert.deepEqual(grey(32, [0, 0, 255, 0, 255, 255, 255, 0]), [[76, 255]])
  assert.deepEqual(grey(16, [0xff, 0x7f, 0, 0]), [[255, 0]])
  assert.deepEqual(grey(16, [0xff, 0xff, 0, 0], { compression: 3, masks: [0xf800, 0x7e0, 0x1f] }), [[255, 0]])
})

test('the run lengths of a BMP may move, and do not leave the picture', () => {
  const settings = { width: 4, height: 2, palette: [BLACK, WHITE] }
  const runs = [2, 0, 0, 3, 1, 0, 1, 0, 0, 0, 0, 2, 1, 0, 200, 0, 0, 2, 0, 250, 9, 0, 0, 1]
  assert.deepEqual(rowsOf(decodeBmp(bmp({ ...settings, depth: 8, compression: 1 }, runs))), [
    [255, 0, 0, 0],
    [0, 0, 255, 0],
  ])
  const nibbles = [3, 0x01, 0, 0, 0, 3, 0x10, 0x10, 0, 1]
  assert.deepEqual(rowsOf(decodeBmp(bmp({ ...settings, depth: 4, compression: 2 }, nibbles))), [
    [255, 0, 255, 255],
    [0, 255, 0, 255],
  ])
})

test('a BMP that is cut off is white where it ends', () => {
  const whole = bmp({ width: 1, height: 2, depth: 24 }, [0, 0, 0, 0])
  assert.deepEqual(rowsOf(decodeBmp(whole)), [[255], [0]])
})

interface GifSettings {
  flags?: number
  control?: readonly number[]
  place?: readonly [left: number, top: number, width: number, height: number]
}

/** Each pixel is a code of its own, after a clear code, so that codes keep 3 bits. */
function gif(pixels: readonly number[], { flags = 0, control = [], place = [0, 0, 2, 2] }: GifSettings = {}): Buffer {
  const bits = [...pixels.flatMap((it) => [4, it]), 5]
    .map((it) => it.toString(2).padStart(3, '0'))
    .toReversed()
    .join('')
  const bytes = (bits.padStart(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [])
    .map((it) => Number.parseInt(it, 2))
    .toReversed()
  const head = [...Buffer.from('GIF89a'), 2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
  const frame = [0x2c, ...place.flatMap((it) => [it & 255, it >> 8]), flags]
  return Buffer.from([...head, ...control, ...frame, 2, bytes.length, ...bytes, 0, 0x3b])
}

test('a GIF has the pixels of its first picture', () => {
  assert.deepEqual(rowsOf(decodeGif(gif([0, 1, 1, 0]))), [
    [0, 255],
    [255, 0],
  ])
  const transparent = [0x21, 0xfe, 2, 65, 66, 0, 0x21, 0xf9, 4, 1, 0, 0, 0, 0]
  assert.deepEqual(rowsOf(decodeGif(gif([0, 1, 1, 0], { control: transparent }))), [
    [255, 255],
    [255, 255],
  ])
  assert.deepEqual(rowsOf(decodeGif(gif([0], { place: [1, 1, 1, 1] }))), [
    [255, 255],
    [255, 0],
  ])
})

test('an interlaced GIF has its rows in another order', () => {
  const found = decodeGif(gif([0, 1, 0, 1, 1], { flags: 0x40, place: [0, 0, 1, 5] }))
  assert.deepEqual(
    rowsOf(found).map(([first]) => first),
    [0, 255, 0, 255, 255].map((_, row) => [0, 255, 0, 255, 255][[0, 3, 2, 4, 1][row] ?? 0]),
  )
})

/** `a` once, and then codes for ever longer runs of it. */
test('codes of a GIF may name themselves', () => {
  // Clear, 0, 6 (which is 0 0), 7 (0 0 0), end: 3 bits, and 4 after the code 7.
  const data = [4, 0, 6].map((it, at) => it << (3 * at)).reduce((sum, it) => sum | it, 0) | (5 << 9)
  const bytes = gif([0, 0, 0, 1])
  const at = bytes.indexOf(0x2c) + 10
  const repeated = Buffer.concat([bytes.subarray(0, at), Buffer.from([2, 2, data & 255, data >> 8, 0])])
  assert.deepEqual([...decodeGif(repeated).pixels], [0, 0, 0, 255])
})

test('hostile numbers of a BMP and a GIF end with a reason', async () => {
  const reason = async (bytes: Buffer) => {
    const found = await readPicture({ bytes, name: 'a', mediaType: null, password: null }, 0)
    return 'reason' in found ? found.reason : 'pixels'
  }
  assert.match(await reason(bmp({ width: 50_000, height: 50_000, depth: 1 }, [])), /more than the limit/)
  assert.match(await reason(bmp({ width: -2_147_483_648, height: 1, depth: 1 }, [])), /more than the limit/)
  assert.match(await reason(bmp({ width: 2, height: 2, depth: 7 }, [])), /header of the BMP/)
  assert.match(await reason(gif([0], { place: [65_535, 65_535, 65_535, 65_535] })), /more than the limit/)
  assert.match(await reason(gif([0]).subarray(0, 25)), /GIF has no/)
  assert.match(await reason(gif([])), /GIF has no pixels/)
  // A code before any other must be a value.
  assert.match(await reason(gif([7])), /GIF has no pixels/)
})

test('runs beyond the row of a BMP take no time', () => {
  const settings = { width: 1, height: 2, depth: 8, compression: 1, palette: [BLACK, WHITE] }
  const runs = Array.from({ length: 2_000_000 }, (_, at) => [255, 1][at % 2] ?? 0)
  const begin = performance.now()
  assert.deepEqual(rowsOf(decodeBmp(bmp(settings, [1, 0, ...runs.slice(0, 10)]))), [[255], [0]])
  const many = Buffer.concat([bmp(settings, [1, 0]), Buffer.from(runs), Buffer.from(runs), Buffer.from(runs)])
  assert.deepEqual(rowsOf(decodeBmp(many)), [[255], [0]])
  assert.ok(performance.now() - begin < 5_000)
})

test('a GIF or a BMP in a document counts from the size that has room for text', () => {
  const screen = (width: number, height: number) => {
    const bytes = gif([0])
    bytes.writeUInt16LE(width, 6)
    bytes.writeUInt16LE(height, 8)
    return bytes
  }
  assert.deepEqual([hasRoomForText(screen(99, 50)), hasRoomForText(screen(100, 50))], [false, true])
  const sized = (width: number, height: number) => bmp({ width, height, depth: 1 }, [])
  assert.deepEqual([hasRoomForText(sized(100, -49)), hasRoomForText(sized(100, -50))], [false, true])
})
