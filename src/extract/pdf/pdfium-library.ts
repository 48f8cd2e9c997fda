// PDFium as WebAssembly, with its own memory and without access to files or the network.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

/** Declared here, because the package's declaration needs a build-time dependency. */
interface PdfiumMemory {
  /** Replaced whenever the memory grows. */
  HEAPU8: Uint8Array<ArrayBuffer>
  // Functions without the conversion of arguments and results, which takes longer than they do.
  _FPDFText_CountChars(textPage: number): number
  _FPDFText_GetCharIndexFromTextIndex(textPage: number, at: number): number
  /** Writes four floats: left, top, right, bottom. */
  _FPDFText_GetLooseCharBox(textPage: number, index: number, to: number): number
  /** Writes six floats. */
  _FPDFText_GetMatrix(textPage: number, index: number, to: number): number
  _FPDFText_GetFontSize(textPage: number, index: number): number
  /** Writes doubles. */
  _FPDFText_GetCharOrigin(textPage: number, index: number, toX: number, toY: number): number
  _FPDFText_GetTextObject(textPage: number, index: number): number
  _FPDFTextObj_GetFont(object: number): number
  _FPDFFont_GetFlags(font: number): number
  /** Returns the bytes that the name needs, with a zero at its end. */
  _FPDFFont_GetBaseFontName(font: number, to: number, size: number): number
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
