// Turns the samples of a PNG into shades of grey over white.
import { greyOfColour, overWhite } from './shades.ts'

export interface PngColours {
  palette: Uint8Array | null
  transparency: Uint8Array | null
}

/** The grey of one pixel of a row. */
export type GreyOf = (row: Uint8Array, x: number) => number

export const samplesPerPixel = (colourType: number): number => [1, 0, 3, 1, 2, 0, 4][colourType] ?? 0

export function greyRowReader(
  { depth, colourType }: { depth: number; colourType: number },
  colours: PngColours,
): GreyOf {
  if (colourType === 3) return indexedReader(depth, paletteGreys(colours))
  if (colourType === 0 && depth <= 8) return indexedReader(depth, shadeGreys(depth, colours))
  const bytes = depth / 8
  const hidden = colours.transparency
  const isHidden = (row: Uint8Array, at: number) => hidden !== null && isColour(row, at, hidden, bytes)
  // Of two bytes, the first is the more significant one.
  const sample = (row: Uint8Array, at: number, number: number) => row[at + number * bytes] ?? 0
  if (colourType === 0) return (row, x) => (isHidden(row, x * bytes) ? 255 : sample(row, x * bytes, 0))
  if (colourType === 4) return (row, x) => overWhite(sample(row, x * bytes * 2, 0), sample(row, x * bytes * 2, 1))
  const grey = (row: Uint8Array, at: number) => greyOfColour(sample(row, at, 0), sample(row, at, 1), sample(row, at, 2))
  if (colourType === 2) return (row, x) => (isHidden(row, x * bytes * 3) ? 255 : grey(row, x * bytes * 3))
  return (row, x) => overWhite(grey(row, x * bytes * 4), sample(row, x * bytes * 4, 3))
}

/** Up to 8 bits a pixel, the first pixel in the highest bits. */
function indexedReader(depth: number, greys: Uint8Array): GreyOf {
  if (depth === 8) return (row, x) => greys[row[x] ?? 0] ?? 255
  const mask = (1 << depth) - 1
  const perByte = 8 / depth
  return (row, x) => {
    const shift = 8 - depth * ((x % perByte) + 1)
    return greys[((row[Math.floor(x / perByte)] ?? 0) >> shift) & mask] ?? 255
  }
}

/** A number without a colour is white. */
function paletteGreys({ palette, transparency }: PngColours): Uint8Array {
  const greys = new Uint8Array(256).fill(255)
  const colours = Math.min(256, Math.floor((palette?.length ?? 0) / 3))
  for (let at = 0; at < colours; at++) {
    const grey = greyOfColour(palette?.[at * 3] ?? 0, palette?.[at * 3 + 1] ?? 0, palette?.[at * 3 + 2] ?? 0)
    greys[at] = overWhite(grey, transparency?.[at] ?? 255)
  }
  return greys
}

function shadeGreys(depth: number, { transparency }: PngColours): Uint8Array {
  const greys = new Uint8Array(256)
  const highest = (1 << depth) - 1
  for (let at = 0; at <= highest; at++) greys[at] = Math.round((at * 255) / highest)
  const hidden = transparency?.[1]
  if (hidden !== undefined && hidden <= highest) greys[hidden] = 255
  return greys
}

/** `colour` has two bytes for each sample. */
function isColour(row: Uint8Array, at: number, colour: Uint8Array, bytes: number): boolean {
  for (let sample = 0; sample * 2 + 1 < colour.length; sample++) {
    if (row[at + (sample + 1) * bytes - 1] !== colour[sample * 2 + 1]) return false
    if (bytes === 2 && row[at + sample * 2] !== colour[sample * 2]) return false
  }
  return colour.length >= 2
}
