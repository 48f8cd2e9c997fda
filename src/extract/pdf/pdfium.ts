// Opens PDF documents and reads their texts.
import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
import { type AnnotationTexts, createForm, type PdfForm, readAnnotations } from './annotations.ts'
import { type AttachedFile, listAttachments, readAttachedFiles } from './attached-files.ts'
import { type PageLine, readPageLines } from './layout/page-lines.ts'
import { findPagePictures, type PagePictures } from './page-pictures.ts'
import { loadPdfium, type PdfiumLibrary } from './pdfium-library.ts'
import { type RenderSettings, renderPage } from './render-page.ts'
import { readUtf16 } from './utf16.ts'

export interface Bookmark {
  title: string
  /** Zero-based. */
  page: number
}

export interface PdfPage extends PagePictures, Pick<AnnotationTexts, 'notes' | 'fields'> {
  text: string
  /** Null if their places are not usable. */
  lines: readonly PageLine[] | null
}

export interface PdfDocument {
  pageCount: number
  /** Whether only the given password opened it. */
  isLocked: boolean
  /** `null` if the page is broken. */
  page(at: number): PdfPage | null
  /**
   * The files that the document lists, and those of annotations on pages that were read. A file of more than `maxBytes`,
   * which is asked before each, gives 'too large'.
   */
  attachedFiles(maxBytes: () => number): Iterable<AttachedFile | 'too large'>
  /** Throws `ReadEnded` if the page is broken or the memory is not sufficient. */
  render(at: number, settings: RenderSettings): GreyPicture
  meta(name: 'Title' | 'Author' | 'CreationDate' | 'ModDate'): string
  language(): string
  bookmarks(limit: number): Bookmark[]
  close(): void
}

export type PdfFailure = 'password' | 'damaged'

/** fpdfview.h: FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY. */
const PASSWORD_ERRORS = new Set([4, 5])

export async function openPdf(bytes: Buffer, password: string | null): Promise<PdfDocument | PdfFailure> {
  const library = await loadPdfium()
  const { pdfium: memory } = library
  const file = memory.wasmExports.malloc(bytes.length)
  if (file === 0) return 'damaged'
  memory.HEAPU8.set(bytes, file)
  // Documents with an empty user password do not open with another one.
  const open = (key: string) => library.FPDF_LoadMemDocument(file, bytes.length, key)
  const withoutPassword = open('')
  const document = withoutPassword || (password === null ? 0 : open(password))
  if (document === 0) {
    memory.wasmExports.free(file)
    return PASSWORD_ERRORS.has(library.FPDF_GetLastError()) ? 'password' : 'damaged'
  }
  const form = createForm(library, document)
  const attached: number[] = []
  return {
    pageCount: library.FPDF_GetPageCount(document),
    isLocked: withoutPassword === 0,
    page: (at) => readPdfPage(library, document, at, form, attached),
    attachedFiles: (maxBytes) =>
      readAttachedFiles(library, [...listAttachments(library, document), ...attached], maxBytes),
    render: (at, settings) => renderPage(library, document, at, settings),
    meta: (name) => readUtf16(library, (to, size) => library.FPDF_GetMetaText(document, name, to, size)),
    language: () => readUtf16(library, (to, size) => library.FPDFCatalog_GetLanguage(document, to, size)),
    bookmarks: (limit) => listBookmarks(library, document, limit),
    close() {
      form.close()
      library.FPDF_CloseDocument(document)
      memory.wasmExports.free(file)
    },
  }
}

function readPdfPage(
  library: PdfiumLibrary,
  document: number,
  at: number,
  form: PdfForm,
  attached: number[],
): PdfPage | null {
  const page = library.FPDF_LoadPage(document, at)
  if (page === 0) return null
  const textPage = library.FPDFText_LoadPage(page)
  const count = textPage === 0 ? 0 : Math.max(0, library.FPDFText_CountChars(textPage))
  const text = count === 0 ? '' : readCharacters(library, textPage, count)
  const lines = text === '' ? null : readPageLines(library, textPage, text)
  if (textPage !== 0) library.FPDFText_ClosePage(textPage)
  const pictures = findPagePictures(library, page, text)
  const { notes, fields, files } = readAnnotations(library, page, form)
  attached.push(...files)
  library.FPDF_ClosePage(page)
  return { text, lines, ...pictures, notes, fields }
}

function readCharacters(library: PdfiumLibrary, textPage: number, count: number): string {
  const { pdfium: memory } = library
  const buffer = memory.wasmExports.malloc(count * 2 + 2)
  if (buffer === 0) return ''
  const written = library.FPDFText_GetText(textPage, 0, count, buffer)
  const text = Buffer.from(memory.HEAPU8.buffer, buffer, Math.max(0, written - 1) * 2).toString('utf16le')
  memory.wasmExports.free(buffer)
  return text
}

/** Depth-first, in display order. Limited, because bookmarks may be cyclic. */
function listBookmarks(library: PdfiumLibrary, document: number, limit: number): Bookmark[] {
  const found: Bookmark[] = []
  const pending = [library.FPDFBookmark_GetFirstChild(document, 0)]
  for (let seen = 0; seen < limit; seen++) {
    const bookmark = pending.pop()
    if (bookmark === undefined) break
    if (bookmark === 0) continue
    const title = readUtf16(library, (to, size) => library.FPDFBookmark_GetTitle(bookmark, to, size))
    const target = library.FPDFBookmark_GetDest(document, bookmark)
    const page = target === 0 ? -1 : library.FPDFDest_GetDestPageIndex(document, target)
    if (title !== '' && page >= 0) found.push({ title, page })
    pending.push(library.FPDFBookmark_GetNextSibling(document, bookmark))
    pending.push(library.FPDFBookmark_GetFirstChild(document, bookmark))
  }
  return found
}
