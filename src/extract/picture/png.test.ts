import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { type PngSettings, png, pngHeader, pngOf } from '../../../test/extract/png-writer.ts'
import { ReadEnded } from '../reader.ts'
import { decodePng } from './png.ts'

const pixelsOf = (settings: PngSettings) => [...decodePng(png(settings)).pixels]

for (const [name, settings, expected] of [
  ['grey of 1 bit', { width: 3, height: 1, depth: 1, samples: [0, 1, 0] }, [0, 255, 0]],
  ['grey of 2 bits', { width: 5, height: 1, depth: 2, samples: [0, 1, 2, 3, 0] }, [0, 85, 170, 255, 0]],
  ['grey of 4 bits', { width: 3, height: 1, depth: 4, samples: [0, 8, 15] }, [0, 136, 255]],
  ['grey of 16 bits', { width: 2, height: 1, depth: 16, samples: [0x80ff, 0] }, [128, 0]],
  ['a grey that is transparent', { width: 2, height: 1, samples: [7, 8], transparency: [0, 7] }, [255, 8]],
  ['colours', { width: 2, height: 1, colourType: 2, samples: [255, 0, 0, 9, 9, 9] }, [76, 9]],
  [
    'a colour that is transparent',
    { width: 2, height: 1, colourType: 2, samples: [1, 2, 3, 9, 9, 9], transparency: [0, 1, 0, 2, 0, 3] },
    [255, 9],
  ],
  [
    'colours of 16 bits',
    {
      width: 2,
      height: 1,
      depth: 16,
      colourType: 2,
      samples: [0, 0, 0, 0, 0xffff, 0],
      transparency: [0, 0, 0, 0, 0, 1],
    },
    [0, 149],
  ],
  [
    'a palette with transparency',
    {
      width: 4,
      height: 1,
      depth: 2,
      colourType: 3,
      samples: [0, 1, 2, 3],
      palette: [0, 0, 0, 0, 0, 255, 10, 10, 10],
      transparency: [255, 255, 0],
    },
    [0, 28, 255, 255],
  ],
  ['grey over white', { width: 3, height: 1, colourType: 4, samples: [0, 255, 0, 0, 0, 102] }, [0, 255, 153]],
  ['colours over white', { width: 2, height: 1, colourType: 6, samples: [0, 0, 0, 0, 0, 0, 0, 255] }, [255, 0]],
  [
    'colours of 16 bits over white',
    { width: 2, height: 1, depth: 16, colourType: 6, samples: [0, 0, 0, 0, 0, 0, 0, 0xffff] },
    [255, 0],
  ],
] as const satisfies readonly (readonly [string, PngSettings, readonly number[]])[])
  test(`a PNG has ${name}`, () => assert.deepEqual(pixelsOf(settings), expected))

test('filters and interlacing do not change the pixels', () => {
  const settings = fc
    .record({
      width: fc.integer({ min: 1, max: 12 }),
      height: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom([0, 1], [0, 4], [0, 8], [2, 8], [2, 16], [4, 8], [6, 8]),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 12, maxLength: 12 }),
    })
    .map(({ kind: [colourType = 0, depth = 8], seed, filters, ...size }) => ({
      ...size,
      colourType,
      depth,
      samples: Array.from(
        { length: size.width * size.height * 4 },
        (_, at) => (((at + 1) * seed * 2_654_435) >>> 7) % 2 ** depth,
      ).slice(0, size.width * size.height * ([1, 0, 3, 0, 2, 0, 4][colourType] ?? 1)),
      filterOf: (y: number) => filters[y] ?? 0,
    }))
  fc.assert(
    fc.property(settings, (it) => {
      const plain = pixelsOf({ ...it, filterOf: () => 0 })
      assert.deepEqual(pixelsOf(it), plain)
      assert.deepEqual(pixelsOf({ ...it, isInterlaced: true }), plain)
    }),
  )
})

const rows = (count: number, bytes: number) => Buffer.alloc(count * (bytes + 1))
const hostile = (width: number, height: number, data: Uint8Array) =>
  pngOf([
    ['IHDR', pngHeader(width, height)],
    ['IDAT', data],
  ])
const ended = (verdict: string) => (error: unknown) => error instanceof ReadEnded && error.verdict === verdict

test('a size beyond the limit is refused before anything is decoded', () => {
  assert.throws(() => decodePng(hostile(100_000, 100_000, deflateSync(rows(1, 1)))), ended('limit'))
  const deep = pngOf([
    ['IHDR', pngHeader(6_000, 6_000, { depth: 16, colourType: 6 })],
    ['IDAT', deflateSync(rows(1, 1))],
  ])
  assert.throws(() => decodePng(deep), ended('limit'))
})

test('a small size with much data is refused', () => {
  assert.throws(() => decodePng(hostile(10, 10, deflateSync(rows(10_000, 10_000)))), ended('damaged'))
})

test('rows that are missing are white', () => {
  assert.deepEqual([...decodePng(hostile(2, 3, deflateSync(rows(2, 2)))).pixels], [0, 0, 0, 0, 255, 255])
})

test('every truncation and every changed byte gives a picture or an end', () => {
  const sound = png({ width: 9, height: 9, samples: Array.from({ length: 81 }, (_, at) => at), isInterlaced: true })
  const change = fc.tuple(fc.nat({ max: sound.length - 1 }), fc.nat({ max: 255 }))
  const read = (bytes: Buffer) => {
    try {
      const { width, height, pixels } = decodePng(bytes)
      assert.equal(pixels.length, width * height)
    } catch (error) {
      assert.ok(error instanceof ReadEnded, String(error))
    }
  }
  for (let size = 0; size < sound.length; size++) read(sound.subarray(0, size))
  fc.assert(
    fc.property(change, ([at, byte]) => {
      // The size stays: a large one would take memory and time.
      if (at >= 16 && at < 24) return
      const bytes = Buffer.from(sound)
      bytes[at] = byte
      read(bytes)
    }),
  )
})
