// Prepares the bytes of a strip of a TIFF for the decoders of PDF.

/** Some fax programs store the first pixel in the lowest bit. */
export const reverseBits = (data: Uint8Array): Uint8Array => data.map((it) => REVERSED[it] ?? 0)

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit)
  return reversed
})

const MARKER_BYTES = 2

/** Strips of a JPEG share their tables: both are JPEG streams with a begin and an end, which become one. */
export function joinJpegTables(tables: Buffer | null, strip: Buffer): Buffer {
  if (tables === null || tables.length <= 2 * MARKER_BYTES) return strip
  return Buffer.concat([tables.subarray(0, tables.length - MARKER_BYTES), strip.subarray(MARKER_BYTES)])
}
