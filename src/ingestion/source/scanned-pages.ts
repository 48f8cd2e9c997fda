// Scanned pages and pictures of a source: their sections get the text when it is recognised.
import type { ExtractInput, FileSection, SourceExtraction } from '../../connectors/connector.ts'
import { fillSection, type RecognisedPage } from '../../domain/pictures/recognition.ts'
import type { Extraction } from '../../extract/extract.ts'

/** Keeps the bytes until their text is recognised. Returns the name of the bytes, and the pages that are read already. */
export type ScanKeeper = (file: {
  bytes: Uint8Array
  name: string
}) => Promise<{ blob: string; pages: readonly RecognisedPage[] }>

/** The recognition reads no more pages of one file. */
export const MAX_SCANNED_PAGES = 500

/** Adds a section for each scanned page, in the order of the pages. An encrypted file stays as it is. */
export async function addScannedPages(
  keepScan: ScanKeeper,
  { bytes, name, password = null, isPictureRead = false }: ExtractInput,
  extraction: Extraction,
): Promise<SourceExtraction> {
  const { unreadPages, kind } = extraction.report
  const isWanted = kind === 'image' ? isPictureRead : password === null
  if (unreadPages.length === 0 || !isWanted) return extraction
  const { blob, pages } = await keepScan({ bytes, name })
  const scanned = unreadPages.slice(0, MAX_SCANNED_PAGES).map((page) => {
    const anchor = kind === 'image' ? null : `page=${page + 1}`
    return fillSection({ text: '', heading: null, anchor, picture: { blob, page } }, pages)
  })
  return { ...extraction, sections: inPageOrder(extraction.sections, scanned) }
}

const inPageOrder = (own: readonly FileSection[], scanned: readonly FileSection[]): FileSection[] =>
  [...own, ...scanned].sort((a, b) => pageOf(a) - pageOf(b))

const pageOf = ({ anchor }: FileSection): number => Number(/^page=(\d{1,9})$/.exec(anchor ?? '')?.[1] ?? 0)
