// Reads PDF files: one section per page. Headings come from the document outline.
import { isoDate } from '../iso-date.ts'
import { readAttachments } from '../mail/attachments.ts'
import { checkDeadline, type FormatReader, ReadEnded, type ReaderContext } from '../reader.ts'
import type { AttachedFile } from './attached-files.ts'
import { createPageQueue } from './layout/page-queue.ts'
import { createPageSections, type PageSection } from './layout/page-sections.ts'
import { pageText } from './layout/page-text.ts'
import { openPdf, type PdfDocument, type PdfPage } from './pdfium.ts'

const MAX_BOOKMARKS = 5_000

export const readPdf: FormatReader = async (context) => {
  const document = await openReadablePdf(context)
  try {
    if (readPages(context, document) && context.depth > 0) context.scan(context.bytes)
    await readAttachments(context, attachedFiles(context, document))
  } finally {
    document.close()
  }
}

/** Throws `ReadEnded` if the document does not open. */
export async function openReadablePdf(file: Pick<ReaderContext, 'bytes' | 'password'>): Promise<PdfDocument> {
  const document = await openPdf(file.bytes, file.password)
  if (document === 'password') throw new ReadEnded('password', passwordMessage(file))
  if (document === 'damaged') throw new ReadEnded('damaged', 'The PDF is not readable.')
  return document
}

const passwordMessage = ({ password }: Pick<ReaderContext, 'password'>): string =>
  password === null ? 'The document is password-protected.' : 'The configured password does not open the document.'

/** Returns whether pages are to be recognised. */
function readPages(context: ReaderContext, document: PdfDocument): boolean {
  const { pageCount } = document
  context.facts({
    pages: pageCount,
    title: document.meta('Title') || null,
    author: document.meta('Author') || null,
    created: isoDate(document.meta('CreationDate')),
    modified: isoDate(document.meta('ModDate')),
    language: document.language() || null,
  })
  const sections = createPageSections(document.bookmarks(MAX_BOOKMARKS))
  const pages = createPageQueue(context, (at, page) => {
    writePage(context, page, { sections: sections.split(at, page.lines), anchor: `page=${at + 1}` })
  })
  const found = { scanned: 0, broken: 0, isScan: false }
  try {
    for (let at = 0; at < pageCount; at++) {
      if (at >= context.budget.limits.pages) throw new ReadEnded('limit', 'pages')
      checkDeadline(context.budget)
      const page = document.page(at)
      if (page === null) {
        found.broken++
        continue
      }
      // Those who recognise the page later do not have the password.
      if (page.needsRecognition && !document.isLocked) {
        context.unreadPage(at)
        found.isScan = true
      }
      if (page.text.trim() === '' && page.hasImages) found.scanned++
      sections.learn(page.lines)
      pages.add(at, page)
    }
  } finally {
    pages.end()
  }
  if (found.scanned > 0)
    context.warn('no_text_layer', `${found.scanned} of ${pageCount} pages are images without text.`)
  if (pageCount === 0 || found.broken === pageCount)
    throw new ReadEnded('damaged', 'No page of this document is readable.')
  if (found.broken > 0) context.warn('damaged', `${found.broken} of ${pageCount} pages are not readable.`)
  return found.isScan
}

/** The text, then the notes and the values of fields. */
function writePage(
  { section }: ReaderContext,
  { text, notes, fields }: PdfPage,
  { sections, anchor }: { sections: PageSection[]; anchor: string },
): void {
  let last: string | null = null
  for (const { heading, lines } of sections) {
    section({ heading, anchor, text: pageText({ text, lines }) })
    last = heading
  }
  const place = { heading: last, anchor }
  if (fields.length > 0) section({ ...place, text: `Form fields:\n${fields.join('\n')}` })
  if (notes.length > 0) section({ ...place, text: `Comments:\n${notes.join('\n')}` })
}

/** Stops at the first file that is larger than the bytes that may still be unpacked. */
function* attachedFiles({ budget }: ReaderContext, document: PdfDocument): Generator<AttachedFile> {
  for (const file of document.attachedFiles(() => budget.limits.decodedBytes - budget.decoded)) {
    checkDeadline(budget)
    if (file === 'too large') throw new ReadEnded('limit', 'decodedBytes')
    yield file
  }
}
