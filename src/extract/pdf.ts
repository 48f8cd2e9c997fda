// A section a page; the outline of the document, where it has one, gives the headings.
import { isoDate } from './iso-date.ts'
import { openPdf, type PdfDocument } from './pdfium.ts'
import { checkTime, Ended, type Reader, type Reading } from './reading.ts'

const MAX_BOOKMARKS = 5_000

export const readPdf: Reader = async (reading) => {
  const document = await openPdf(reading.bytes, reading.password)
  if (document === 'password') throw new Ended('password', lockedBy(reading))
  if (document === 'damaged') throw new Ended('damaged', 'This is no PDF that can be read.')
  try {
    readPages(reading, document)
  } finally {
    document.close()
  }
}

const lockedBy = ({ password }: Reading): string =>
  password === null
    ? 'The document opens with a password only.'
    : 'The document opens with another password only than the one that was given.'

function readPages(reading: Reading, document: PdfDocument): void {
  const { pageCount } = document
  reading.facts({
    pages: pageCount,
    title: document.meta('Title') || null,
    author: document.meta('Author') || null,
    created: isoDate(document.meta('CreationDate')),
    modified: isoDate(document.meta('ModDate')),
    language: document.language() || null,
  })
  const headings = headingsOf(document)
  let heading: string | null = null
  const faults = { scanned: 0, broken: 0 }
  for (let at = 0; at < pageCount; at++) {
    if (at >= reading.budget.limits.pages) throw new Ended('limit', 'pages')
    checkTime(reading.budget)
    heading = headings.get(at) ?? heading
    const page = document.pageText(at)
    if (page === null) faults.broken++
    else if (page.text.trim() !== '') reading.section({ text: tidy(page.text), heading, anchor: `page=${at + 1}` })
    else if (page.hasImages) faults.scanned++
  }
  if (faults.scanned > 0)
    reading.warn('no_text_layer', `${faults.scanned} of ${pageCount} pages are pictures without text.`)
  if (pageCount === 0 || faults.broken === pageCount)
    throw new Ended('damaged', 'No page of this document can be read.')
  if (faults.broken > 0) reading.warn('damaged', `${faults.broken} of ${pageCount} pages cannot be read.`)
}

/** Of a page: the first one that stands on it. */
function headingsOf(document: PdfDocument): Map<number, string> {
  const headings = new Map<number, string>()
  for (const { title, page } of document.bookmarks(MAX_BOOKMARKS)) if (!headings.has(page)) headings.set(page, title)
  return headings
}

/** PDFium puts U+FFFE (some fonts U+0002) where a hyphen parted a word at the end of a line. */
const tidy = (text: string): string => text.replace(/[\ufffe\x02](?:\r?\n)?/g, '')
