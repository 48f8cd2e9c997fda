// PDFium, compiled to WebAssembly: it has its own memory, and no way to a file or a network.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'

export interface Bookmark {
  title: string
  /** From 0. */
  page: number
}

export interface PdfDocument {
  pageCount: number
  /** Of a page that is broken: `null`. */
  pageText(at: number): { text: string; hasImages: boolean } | null
  meta(name: 'Title' | 'Author' | 'CreationDate' | 'ModDate'): string
  language(): string
  bookmarks(limit: number): Bookmark[]
  close(): void
}

export type PdfFailure = 'password' | 'damaged'

/** Its declaration names types of a package that only builds need. */
interface Memory {
  /** Another one after each growth of the memory. */
  HEAPU8: Uint8Array<ArrayBuffer>
}
type Library = WrappedPdfiumModule & { pdfium: Memory }

let loading: Promise<Library> | undefined

async function load(): Promise<Library> {
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')))
  const library = await init({ wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length) })
  library.PDFiumExt_Init()
  return library as Library
}

/** fpdfview.h: FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY. */
const LOCKED = new Set([4, 5])
/** fpdf_edit.h: FPDF_PAGEOBJ_IMAGE. */
const IMAGE = 3
const MAX_OBJECTS = 1_000

export async function openPdf(bytes: Buffer, password: string | null): Promise<PdfDocument | PdfFailure> {
  loading ??= load()
  const library = await loading
  const { pdfium: memory } = library
  const file = memory.wasmExports.malloc(bytes.length)
  if (file === 0) return 'damaged'
  memory.HEAPU8.set(bytes, file)
  // One that is encrypted and open to everybody does not open with a password.
  const open = (key: string) => library.FPDF_LoadMemDocument(file, bytes.length, key)
  const document = open('') || (password === null ? 0 : open(password))
  if (document === 0) {
    memory.wasmExports.free(file)
    return LOCKED.has(library.FPDF_GetLastError()) ? 'password' : 'damaged'
  }
  return {
    pageCount: library.FPDF_GetPageCount(document),
    pageText: (at) => pageText(library, document, at),
    meta: (name) => utf16(library, (to, size) => library.FPDF_GetMetaText(document, name, to, size)),
    language: () => utf16(library, (to, size) => library.FPDFCatalog_GetLanguage(document, to, size)),
    bookmarks: (limit) => bookmarks(library, document, limit),
    close() {
      library.FPDF_CloseDocument(document)
      memory.wasmExports.free(file)
    },
  }
}

function pageText(library: Library, document: number, at: number): ReturnType<PdfDocument['pageText']> {
  const page = library.FPDF_LoadPage(document, at)
  if (page === 0) return null
  const textPage = library.FPDFText_LoadPage(page)
  const count = textPage === 0 ? 0 : Math.max(0, library.FPDFText_CountChars(textPage))
  const text = count === 0 ? '' : charactersOf(library, textPage, count)
  if (textPage !== 0) library.FPDFText_ClosePage(textPage)
  const hasImages = text.trim() === '' && showsImage(library, page)
  library.FPDF_ClosePage(page)
  return { text, hasImages }
}

function charactersOf(library: Library, textPage: number, count: number): string {
  const { pdfium: memory } = library
  const buffer = memory.wasmExports.malloc(count * 2 + 2)
  if (buffer === 0) return ''
  const written = library.FPDFText_GetText(textPage, 0, count, buffer)
  const text = Buffer.from(memory.HEAPU8.buffer, buffer, Math.max(0, written - 1) * 2).toString('utf16le')
  memory.wasmExports.free(buffer)
  return text
}

function showsImage(library: Library, page: number): boolean {
  const count = Math.min(library.FPDFPage_CountObjects(page), MAX_OBJECTS)
  for (let at = 0; at < count; at++)
    if (library.FPDFPageObj_GetType(library.FPDFPage_GetObject(page, at)) === IMAGE) return true
  return false
}

const MAX_STRING = 2_000

/** Asked twice: how long it is, in bytes, and then for it. */
function utf16({ pdfium: memory }: Library, ask: (to: number, size: number) => number): string {
  const size = ask(0, 0)
  if (size <= 2 || size > MAX_STRING) return ''
  const buffer = memory.wasmExports.malloc(size)
  if (buffer === 0) return ''
  ask(buffer, size)
  const text = Buffer.from(memory.HEAPU8.buffer, buffer, size - 2).toString('utf16le')
  memory.wasmExports.free(buffer)
  return text.replace(/\s+/g, ' ').trim()
}

/** Depth first, as they are shown. They may lead in circles, so they are counted. */
function bookmarks(library: Library, document: number, limit: number): Bookmark[] {
  const found: Bookmark[] = []
  const waiting = [library.FPDFBookmark_GetFirstChild(document, 0)]
  for (let seen = 0; seen < limit; seen++) {
    const bookmark = waiting.pop()
    if (bookmark === undefined) break
    if (bookmark === 0) continue
    const title = utf16(library, (to, size) => library.FPDFBookmark_GetTitle(bookmark, to, size))
    const target = library.FPDFBookmark_GetDest(document, bookmark)
    const page = target === 0 ? -1 : library.FPDFDest_GetDestPageIndex(document, target)
    if (title !== '' && page >= 0) found.push({ title, page })
    waiting.push(library.FPDFBookmark_GetNextSibling(document, bookmark))
    waiting.push(library.FPDFBookmark_GetFirstChild(document, bookmark))
  }
  return found
}
