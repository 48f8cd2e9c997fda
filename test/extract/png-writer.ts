// Writes PNG files of every colour type, depth, filter and interlacing.
import { crc32, deflateSync } from 'node:zlib'

export interface PngSettings {
  width: number
  height: number
  depth?: number
  colourType?: number
  /** One row after another, one number a sample. */
  samples: readonly number[]
  isInterlaced?: boolean
  /** Of row `y`, from 0 to 4. */
  filterOf?: (y: number) => number
  palette?: readonly number[]
  transparency?: readonly number[]
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function png(settings: PngSettings): Buffer {
  const { width, height, palette, transparency } = settings
  const passes = settings.isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const)
  const rows = passes.flatMap((it) => passRows(settings, it))
  const header = pngHeader(width, height, settings)
  return pngOf([
    ['IHDR', header],
    ...(palette ? [['PLTE', Buffer.from(palette)] as const] : []),
    ...(transparency ? [['tRNS', Buffer.from(transparency)] as const] : []),
    ['IDAT', deflateSync(Buffer.concat(rows))],
    ['IEND', Buffer.alloc(0)],
  ])
}

export function pngOf(chunks: readonly (readonly [type: string, content: Uint8Array])[]): Buffer {
  const parts = chunks.map(([type, content]) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    sum.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, sum])
  })
  return Buffer.concat([SIGNATURE, ...parts])
}

export function pngHeader(
  width: number,
  height: number,
  { depth = 8, colourType = 0, isInterlaced = false }: Pick<PngSettings, 'depth' | 'colourType' | 'isInterlaced'> = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colourType, 0, 0, Number(isInterlaced)], 8)
  return header
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function passRows(
  { width, height, depth = 8, colourType = 0, samples, filterOf = () => 0 }: PngSettings,
  [left, top, across, down]: readonly [number, number, number, number],
): Buffer[] {
  const perPixel = SAMPLES[colourType] ?? 1
  const rows: Buffer[] = []
  let above: Buffer | undefined
  for (let y = top; y < height; y += down) {
    const found: number[] = []
    for (let x = left; x < width; x += across)
      found.push(...samples.slice((y * width + x) * perPixel, (y * width + x + 1) * perPixel))
    if (found.length === 0) return []
    const row = packSamples(found, depth)
    const step = Math.max(1, (perPixel * depth) >> 3)
    const filter = filterOf(rows.length)
    rows.push(Buffer.concat([Buffer.from([filter]), applyFilter(filter, row, above ?? Buffer.alloc(row.length), step)]))
    above = row
  }
  return rows
}

function packSamples(samples: readonly number[], depth: number): Buffer {
  const bits = samples.map((it) => it.toString(2).padStart(depth, '0')).join('')
  return Buffer.from(
    (bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []).map((it) => Number(`0b${it}`)),
  )
}

/** PNG specification, 9.2. */
function applyFilter(filter: number, row: Buffer, above: Buffer, step: number): Buffer {
  return Buffer.from(
    row.map((value, at) => {
      const [a, b, c] = [row[at - step] ?? 0, above[at] ?? 0, above[at - step] ?? 0]
      const estimate = a + b - c
      const nearest = [a, b, c].toSorted((one, other) => Math.abs(estimate - one) - Math.abs(estimate - other))[0] ?? 0
      return value - ([0, a, b, Math.floor((a + b) / 2), nearest][filter] ?? 0)
    }),
  )
}
