// Scanned pages and pictures of a source: their sections get the text when it is recognised.
import type { ExtractInput, FileSection, SourceExtraction, SourcePart } from '../../connectors/connector.ts'
import { fillSection, type RecognisedPage } from '../../domain/pictures/recognition.ts'
import type { ExtractedPart, ExtractedSection, Extraction } from '../../extract/extract.ts'

/** Keeps the bytes until their text is recognised. Returns the name of the bytes, and the pages that are read already. */
export type ScanKeeper = (file: {
  bytes: Uint8Array
  name: string
}) => Promise<{ blob: string; pages: readonly RecognisedPage[] }>

/** The recognition reads no more pages of one file. */
export const MAX_SCANNED_PAGES = 500

/** A file with unread pages; `bytes` are those that `readPicture` reads. */
interface Scan {
  bytes: Uint8Array
  name: string
}

/**
 * Adds a section for each scanned page, in the order of the pages, and keeps the pictures that stand in sections, both also in
 * the parts of the file.
 */
export async function addScannedPages(
  keepScan: ScanKeeper,
  { bytes, name, isPictureRead = false }: Pick<ExtractInput, 'bytes' | 'name' | 'isPictureRead'>,
  extraction: Extraction,
): Promise<SourceExtraction> {
  const isWanted = extraction.report.kind !== 'image' || isPictureRead
  return addPictures(keepScan, extraction, isWanted ? { bytes, name } : null)
}

async function addPictures(
  keepScan: ScanKeeper,
  { scan: _, ...extraction }: Extraction,
  scan: Scan | null,
): Promise<SourceExtraction> {
  const own: FileSection[] = []
  for (const section of extraction.sections) own.push(await keepPicture(keepScan, section))
  const parts: SourcePart[] = []
  for (const part of extraction.parts) {
    const scanned = part.scan === undefined ? null : { bytes: part.scan, name: part.name }
    parts.push({ ...(await addPictures(keepScan, part, scanned)), name: part.name })
  }
  const scanned = scan === null ? [] : await keepPages(keepScan, extraction.report, scan)
  return { ...extraction, parts, sections: scanned.length === 0 ? own : inPageOrder(own, scanned) }
}

async function keepPicture(keepScan: ScanKeeper, { picture, ...section }: ExtractedSection): Promise<FileSection> {
  if (picture === undefined) return section
  const { blob, pages } = await keepScan(picture)
  return fillSection({ ...section, picture: { blob, page: 0 } }, pages)
}

async function keepPages(
  keepScan: ScanKeeper,
  { unreadPages, kind }: Extraction['report'],
  scan: Scan,
): Promise<FileSection[]> {
  if (unreadPages.length === 0) return []
  const { blob, pages } = await keepScan(scan)
  return unreadPages.slice(0, MAX_SCANNED_PAGES).map((page) => {
    const anchor = kind === 'image' ? null : `page=${page + 1}`
    return fillSection({ text: '', heading: null, anchor, picture: { blob, page } }, pages)
  })
}

const inPageOrder = (own: readonly FileSection[], scanned: readonly FileSection[]): FileSection[] =>
  [...own, ...scanned].sort((a, b) => pageOf(a) - pageOf(b))

const pageOf = ({ anchor }: FileSection): number => Number(/^page=(\d{1,9})$/.exec(anchor ?? '')?.[1] ?? 0)

/** Where no text is recognised, an extraction has no bytes of pictures. */
export const withoutPictures = ({ scan: _, sections, parts, ...extraction }: Extraction): SourceExtraction => ({
  ...extraction,
  sections: sections.map(({ picture: _picture, ...section }) => section),
  parts: parts.map((part: ExtractedPart) => ({ ...withoutPictures(part), name: part.name })),
})
