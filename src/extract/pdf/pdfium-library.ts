// PDFium as WebAssembly, with its own memory and without access to files or the network.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

/** Declared here, because the package's declaration needs a build-time dependency. */
interface PdfiumMemory {
  /** Replaced whenever the memory grows. */
  HEAPU8: Uint8Array<ArrayBuffer>
  wasmExports: PdfiumFunctions
}

/** Called without the conversion of arguments and results, which takes longer than they do. */
interface PdfiumFunctions {
  malloc(size: number): number
  free(at: number): void
  FPDFText_CountChars(textPage: number): number
  FPDFText_GetCharIndexFromTextIndex(textPage: number, at: number): number
  /** Writes four floats: left, top, right, bottom. */
  FPDFText_GetLooseCharBox(textPage: number, index: number, to: number): number
  /** Writes six floats. */
  FPDFText_GetMatrix(textPage: number, index: number, to: number): number
  FPDFText_GetFontSize(textPage: number, index: number): number
  FPDFText_GetTextObject(textPage: number, index: number): number
  FPDFTextObj_GetFont(object: number): number
  FPDFFont_GetFlags(font: number): number
  /** Returns the bytes that the name needs, with a zero at its end. */
  FPDFFont_GetBaseFontName(font: number, to: number, size: number): number
}
export type PdfiumLibrary = WrappedPdfiumModule & { pdfium: PdfiumMemory }

let loading: Promise<PdfiumLibrary> | undefined

export const loadPdfium = (): Promise<PdfiumLibrary> => {
  loading ??= loadLibrary()
  return loading
}

async function loadLibrary(): Promise<PdfiumLibrary> {
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')))
  const library = await init({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length) })
  library.PDFiumExt_Init()
  return library as PdfiumLibrary
}
