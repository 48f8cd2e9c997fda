// Reads a string of PDFium.
import type { PdfiumLibrary } from './pdfium-library.ts'

/** In bytes. */
const MAX_STRING = 2_000

/** Calls the function twice: for the length in bytes, then for the text. Longer texts are left out. */
export function readUtf16(
  { pdfium: memory }: PdfiumLibrary,
  readString: (to: number, size: number) => number,
  maxBytes = MAX_STRING,
): string {
  const size = readString(0, 0)
  if (size <= 2 || size > maxBytes) return ''
  const buffer = memory.wasmExports.malloc(size)
  if (buffer === 0) return ''
  readString(buffer, size)
  const text = Buffer.from(memory.HEAPU8.buffer, buffer, size - 2).toString('utf16le')
  memory.wasmExports.free(buffer)
  return text.replace(/\s+/g, ' ').trim()
}
