// Pixels of pages, through the reader processes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { pdf } from '../../../test/extract/pdf-writer.ts'
import { png, pngHeader, pngOf } from '../../../test/extract/png-writer.ts'
import { tiff } from '../../../test/extract/tiff-writer.ts'
import { zip } from '../../../test/extract/zip-writer.ts'
import { createExtractor, type GreyPicture } from '../extract.ts'
import { writePicturePdf } from './picture-pdf.ts'
import { reverseBits } from './tiff-data.ts'

const extractor = createExtractor({ processes: 1 })
after(() => extractor.close())
const { signal } = new AbortController()

const stored = (name: string) => readFileSync(join(import.meta.dirname, '../../../test/extract/pictures', name))
const read = (bytes: Buffer, { page = 0, password = null }: { page?: number; password?: string | null } = {}) =>
  extractor.readPicture({ source: { bytes }, file_name: 'a', password, page, signal })

async function picture(bytes: Buffer, page = 0): Promise<GreyPicture> {
  const found = await read(bytes, { page })
  if ('reason' in found) assert.fail(found.reason)
  assert.equal(found.pixels.length, found.width * found.height)
  return found
}

async function reason(bytes: Buffer, options?: Parameters<typeof read>[1]): Promise<string> {
  const found = await read(bytes, options)
  return 'reason' in found ? found.reason : assert.fail(`${found.width} x ${found.height} pixels`)
}

const at = ({ width, pixels }: GreyPicture, x: number, y: number) => pixels[y * width + x] ?? -1
const isNear = (found: number, expected: number) => Math.abs(found - expected) < 12

/** The stored pictures are 120 x 80: a black rectangle at (10, 10) to (49, 29), a grey one at (70, 50) to (109, 69). */
function assertShapes(found: GreyPicture, { grey = 128, black = 0 } = {}): void {
  assert.deepEqual([found.width, found.height], [120, 80])
  const places = [
    [12, 12],
    [47, 27],
    [72, 52],
    [107, 67],
    [5, 5],
    [55, 20],
    [20, 35],
    [115, 75],
  ] as const
  const expected = [black, black, grey, grey, 255, 255, 255, 255]
  const values = places.map(([x, y]) => at(found, x, y))
  assert.ok(
    values.every((value, number) => isNear(value, expected[number] ?? -1)),
    `${values} instead of ${expected}`,
  )
}

test('a JPEG is turned as its EXIF data says', async () => assertShapes(await picture(stored('turned.jpg'))))

test('a progressive JPEG in grey is read', async () => assertShapes(await picture(stored('progressive.jpg'))))

test('a JPEG in CMYK as Adobe writes it is not inverted', async () =>
  // Black that is mixed of three colours is not quite black.
  assertShapes(await picture(stored('cmyk.jpg')), { black: 32, grey: 148 }))

test('the pages of a fax are read', async () => {
  const fax = stored('fax.tif')
  const [first, second] = [await picture(fax, 0), await picture(fax, 1)]
  assertShapes(first, { grey: 255 })
  assert.deepEqual([at(second, 107, 67), at(second, 72, 52), at(second, 12, 12)], [0, 0, 255])
  assert.match(await reason(fax, { page: 2 }), /no page 3/)
})

const WHITE_IS_ZERO = { 256: [16], 257: [2], 258: [1], 259: [1], 262: [0] }
const STRIPS = { 273: [8, 10], 278: [1], 279: [2, 2] }

test('strips of a TIFF follow each other, in both orders of bits and bytes', async () => {
  const rows = Buffer.of(0b11000000, 0, 0, 0b00000001)
  const expected = [0, 0, 255, 255, 0]
  const shades = (it: GreyPicture) => [at(it, 0, 0), at(it, 1, 0), at(it, 2, 0), at(it, 0, 1), at(it, 15, 1)]
  assert.deepEqual(shades(await picture(tiff(rows, [{ ...WHITE_IS_ZERO, ...STRIPS }]))), expected)
  const reversed = tiff(reverseBits(rows), [{ ...WHITE_IS_ZERO, 266: [2], ...STRIPS }], { isBigEndian: true })
  assert.deepEqual(shades(await picture(reversed)), expected)
})

test('tiles of a TIFF are placed in rows and cut off at the sides', async () => {
  const tile = (grey: number) => Buffer.alloc(16 * 16, grey)
  const page = {
    ...{ 256: [24], 257: [20], 258: [8], 259: [1], 262: [1] },
    ...{ 322: [16], 323: [16], 324: [8, 264, 520, 776], 325: [256, 256, 256, 256] },
  }
  const found = await picture(tiff(Buffer.concat([tile(10), tile(20), tile(30), tile(40)]), [page]))
  assert.deepEqual([found.width, found.height], [24, 20])
  assert.deepEqual([at(found, 15, 15), at(found, 16, 15), at(found, 15, 16), at(found, 23, 19)], [10, 20, 30, 40])
})

test('a PNG has its own pixels', async () => {
  const found = await picture(png({ width: 3, height: 2, samples: [0, 50, 100, 150, 200, 250] }))
  assert.deepEqual(
    { ...found, pixels: [...found.pixels] },
    { width: 3, height: 2, pixels: [0, 50, 100, 150, 200, 250] },
  )
})

test('a large PNG is reduced, and its thin lines stay', async () => {
  const [width, height] = [8_000, 4_000]
  const row = Buffer.alloc(1 + width / 8, 0xff)
  row[0] = 0
  const line = Buffer.alloc(row.length)
  const rows = Array.from({ length: height }, (_, y) => (y === 2_000 ? line : row))
  const header = pngHeader(width, height, { depth: 1 })
  const large = pngOf([
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.concat(rows))],
  ])
  const found = await picture(large)
  assert.ok(found.width * found.height <= 16_000_000 && found.width > 5_000)
  assert.ok(found.pixels.some((it) => it < 200))
})

const jpegPage = (data: Buffer, size: { width: number; height: number }) => {
  const dictionary = '/BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /DCTDecode'
  const placed = { dictionary, data, width: 120, height: 80, left: 0, top: 0 }
  return writePicturePdf({ ...size, pictures: [placed] })
}

test('a scanned page has 200 dpi, and is an unread page', async () => {
  const scan = jpegPage(stored('progressive.jpg'), { width: 144, height: 144 })
  const found = await picture(scan)
  assert.deepEqual([found.width, found.height], [400, 400])
  const points = (x: number, y: number) => at(found, Math.round((x * 200) / 72), Math.round((y * 200) / 72))
  assert.ok(isNear(points(30, 20), 0) && isNear(points(90, 60), 128) && points(130, 130) === 255)
  assert.deepEqual(await unreadPages(scan), [0])
})

test('a page of ten metres has sides of at most 4,000 pixels', async () => {
  const found = await picture(jpegPage(stored('progressive.jpg'), { width: 28_346, height: 28_346 }))
  assert.deepEqual([found.width, found.height], [4_000, 4_000])
})

async function unreadPages(bytes: Buffer): Promise<number[]> {
  return (await extractor.extract({ source: { bytes }, file_name: 'a', signal })).report.unreadPages
}

test('pages are unread if they are pictures with hardly any text', async () => {
  const words = 'a text of more than twenty letters'
  const pages = [{ image: true }, { image: true, text: words }, { text: 'x' }, {}, { image: true, text: 'Page 5 of 6' }]
  assert.deepEqual(await unreadPages(pdf(pages)), [0, 4])
})

test('pages of picture files are unread if their kind can be read', async () => {
  assert.deepEqual(await unreadPages(stored('turned.jpg')), [0])
  assert.deepEqual(await unreadPages(stored('fax.tif')), [0, 1])
  assert.deepEqual(await unreadPages(Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1')), [])
  assert.deepEqual(await unreadPages(Buffer.from('plain words')), [])
})

test('unread pages of a part are in its own report', async () => {
  const bytes = zip({ 'scan.pdf': pdf([{ text: 'x' }, { image: true }]) })
  const { report, parts } = await extractor.extract({ source: { bytes }, file_name: 'a.zip', signal })
  assert.deepEqual([report.unreadPages, parts[0]?.report.unreadPages], [[], [1]])
})

test('an encrypted PDF is drawn with its password', async () => {
  const locked = pdf([{ image: true }], { password: 'key' })
  assert.match(await reason(locked), /password-protected/)
  assert.match(await reason(locked, { password: 'wrong' }), /password does not open/)
  assert.equal('reason' in (await read(locked, { password: 'key' })), false)
})

test('other kinds of files and missing pages have a reason', async () => {
  assert.match(await reason(Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1')), /only PDF, PNG, JPEG, TIFF, GIF and BMP/)
  assert.match(await reason(Buffer.from('plain words')), /only PDF, PNG, JPEG, TIFF, GIF and BMP/)
  assert.match(await reason(pdf([{ image: true }]), { page: 1 }), /no page 2/)
  assert.match(await reason(stored('turned.jpg'), { page: 1 }), /no page 2/)
})

/** The size is in the frame header: marker, length, precision, height, width. */
function withSize(jpeg: Buffer, width: number, height: number): Buffer {
  const lying = Buffer.from(jpeg)
  const frame = lying.indexOf(Buffer.of(0xff, 0xc2))
  lying.writeUInt16BE(height, frame + 5)
  lying.writeUInt16BE(width, frame + 7)
  return lying
}

test('a hostile picture has a reason or pixels, and the next one is read', async () => {
  const bomb = Buffer.alloc(50 << 20)
  const hostile: [name: string, bytes: Buffer, expected: RegExp | 'pixels'][] = [
    [
      'huge PNG',
      pngOf([
        ['IHDR', pngHeader(100_000, 100_000)],
        ['IDAT', deflateSync(Buffer.alloc(9))],
      ]),
      /more than the limit/,
    ],
    [
      'PNG bomb',
      pngOf([
        ['IHDR', pngHeader(10, 10)],
        ['IDAT', deflateSync(bomb)],
      ]),
      /not readable/,
    ],
    ['empty PNG', pngOf([['IHDR', pngHeader(10, 10)]]), /no picture/],
    ['truncated JPEG', stored('progressive.jpg').subarray(0, 500), 'pixels'],
    ['JPEG without pixels', stored('turned.jpg').subarray(0, 300), /not readable/],
    ['huge JPEG', withSize(stored('progressive.jpg'), 60_000, 60_000), /more than the limit/],
    ['JPEG that lies', withSize(stored('progressive.jpg'), 3_000, 3_000), 'pixels'],
    ['TIFF without strips', tiff(new Uint8Array(), [WHITE_IS_ZERO]), /no pixels/],
    [
      'huge TIFF',
      tiff(Buffer.of(1), [{ ...WHITE_IS_ZERO, 256: [100_000], 257: [100_000], 273: [8], 279: [1] }]),
      /more than the limit/,
    ],
    [
      'TIFF of another compression',
      tiff(Buffer.of(1), [{ ...WHITE_IS_ZERO, 259: [34_712], 273: [8], 279: [1] }]),
      /compression 34712/,
    ],
    ['broken PDF', Buffer.from('%PDF-1.4 and no more'), /not readable/],
  ]
  for (const [name, bytes, expected] of hostile) {
    const found = await read(bytes)
    const text = 'reason' in found ? found.reason : 'pixels'
    assert.ok(expected === 'pixels' ? text === 'pixels' : expected.test(text), `${name}: ${text}`)
  }
  assertShapes(await picture(stored('turned.jpg')))
})

test('a reading that is aborted rejects with the reason', async () => {
  const ending = new AbortController()
  const request = { source: { bytes: stored('turned.jpg') }, file_name: 'a.jpg', page: 0, signal: ending.signal }
  const rejected = assert.rejects(extractor.readPicture(request), /enough/)
  ending.abort(new Error('enough'))
  await rejected
})
