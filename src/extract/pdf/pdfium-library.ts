// PDFium as WebAssembly, with its own memory and without access to files or the network.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

/** Declared here, because the package's declaration needs a build-time dependency. */
interface PdfiumMemory {
  /** Replaced whenever the memory grows. */
  HEAPU8: Uint8Array<ArrayBuffer>
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
