// Recognises the text of one file, page by page.

import type { RecognisedPage } from '../../domain/pictures/recognition.ts'
import { errorCode, errorMessage } from '../../domain/values/node-error.ts'
import type { Extractor, ExtractReport, ExtractRequest } from '../../extract/extract.ts'
import type { TextRecogniser } from '../../inference/ocr/recogniser.ts'

export interface PageReader {
  extractor: Pick<Extractor, 'extract' | 'readPicture'>
  recogniser: Pick<TextRecogniser, 'recognise'>
}

export type FileToRecognise = Pick<ExtractRequest, 'source' | 'file_name'>

interface ReadOptions {
  /** The pages that were read before. */
  known: readonly RecognisedPage[]
  /** Called after each page; false ends the reading early. */
  onPage(pages: readonly RecognisedPage[]): Promise<boolean>
  signal: AbortSignal
}

/** A longer scan is read up to here. */
const MAX_PAGES = 500
/** The length of the texts of one file, in UTF-16 code units. */
const MAX_CHARACTERS = 1_000_000

/**
 * Recognises the text of the pages that have none. `reason` says why the file, or some of its pages, have no text. Rejects
 * with the reason of `signal`, and when no process can be started; a problem of one page becomes the reason of that page.
 */
export async function recogniseFile(
  reader: PageReader,
  file: FileToRecognise,
  { known, onPage, signal }: ReadOptions,
): Promise<{ isComplete: boolean; hasText: boolean; reason: string | null }> {
  const { sections, report } = await reader.extractor.extract({ ...file, signal })
  const unread = report.unreadPages.slice(0, MAX_PAGES)
  const pages = known.filter((it) => unread.includes(it.page))
  for (const page of unread) {
    if (pages.some((it) => it.page === page)) continue
    if (lengthOf(pages) >= MAX_CHARACTERS) break
    pages.push(await recognisePage(reader, file, page, signal))
    pages.sort((a, b) => a.page - b.page)
    if (!(await onPage(pages))) return { isComplete: false, hasText: true, reason: null }
  }
  if (pages.length < report.unreadPages.length) {
    const reason = `Only ${pages.length} of ${report.unreadPages.length} scanned pages are read. The limit is ${MAX_PAGES} pages and a million characters.`
    return { isComplete: true, hasText: true, reason }
  }
  const hasText = sections.length > 0 || pages.some((it) => 'text' in it)
  return { isComplete: true, hasText, reason: hasText ? reasonOfPages(pages) : reasonOf(report, pages) }
}

const lengthOf = (pages: readonly RecognisedPage[]): number =>
  pages.reduce((sum, it) => sum + ('text' in it ? it.text.length : 0), 0)

function reasonOfPages(pages: readonly RecognisedPage[]): string | null {
  const failed = pages.flatMap((it) => ('reason' in it ? [it] : []))
  const [first] = failed
  if (first === undefined) return null
  return `${failed.length} of ${pages.length} scanned pages could not be read, the first is page ${first.page + 1}: ${first.reason}`
}

function reasonOf({ warnings }: ExtractReport, pages: readonly RecognisedPage[]): string {
  const failed = pages.find((it) => 'reason' in it)
  return failed?.reason ?? warnings[0]?.detail ?? 'The file contains no pictures and no text.'
}

async function recognisePage(
  { extractor, recogniser }: PageReader,
  file: FileToRecognise,
  page: number,
  signal: AbortSignal,
): Promise<RecognisedPage> {
  const picture = await extractor.readPicture({ ...file, page, signal })
  if ('reason' in picture) return { page, reason: picture.reason }
  try {
    const { text, confidence } = await recogniser.recognise(picture, signal)
    return { page, text: cleanText(text), confidence: Number(confidence.toFixed(3)) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error) || error.name !== 'RecognitionError') throw error
    return { page, reason: errorMessage(error) }
  }
}

const cleanText = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS)
    .replace(/[\0-\x08\x0b-\x1f\x7f]+/g, '')
    .toWellFormed()

/** Whether the bytes of a file are gone, for example because its owner deleted it. */
export const isFileGone = (error: unknown): boolean => errorCode(error) === 'FILE_NOT_FOUND'
