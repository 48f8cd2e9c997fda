import {
  type ExtractedPart,
  type ExtractedSection,
  type Extraction,
  type ExtractVerdict,
  NO_METADATA,
} from './extraction.ts'
import type { ReaderEvent, ReadSection } from './reader.ts'

/** Builds an extraction from reader events, including those of an unfinished reading. */
export interface ExtractionBuilder {
  add(event: ReaderEvent): void
  /** Gives every unfinished document this verdict. */
  finish(unfinished: { verdict: Exclude<ExtractVerdict, 'ok'>; detail: string }): Extraction
}

const emptyPart = (name: string, kind: string): ExtractedPart => ({
  name,
  title: null,
  sections: [],
  metadata: { ...NO_METADATA },
  report: { kind, verdict: 'ok', pages: null, characters: 0, unreadPages: [], warnings: [] },
  page: null,
  parts: [],
})

export function createExtractionBuilder(): ExtractionBuilder {
  const documents = new Map<number, ExtractedPart>()
  const open = new Set<number>()
  const places = createPicturePlaces()
  return { add: addEvent, finish }

  function addEvent(event: ReaderEvent): void {
    if (event.event === 'begin') {
      const part = emptyPart(event.name, event.kind)
      documents.set(event.id, part)
      open.add(event.id)
      if (event.parent !== null) documents.get(event.parent)?.parts.push(part)
      return
    }
    const document = documents.get(event.id)
    if (document === undefined) return
    if (event.event === 'sections') addSections(document, event.sections, (it) => places.add(event.id, it))
    if (event.event === 'facts') applyFacts(document, event.facts)
    if (event.event === 'page') document.page = event.page
    if (event.event === 'picture_file') places.fill(event)
    if (event.event === 'scan') document.scan = event.bytes
    if (event.event === 'unread_page') document.report.unreadPages.push(event.page)
    if (event.event === 'warning') document.report.warnings.push(event.warning)
    if (event.event !== 'end') return
    document.report.verdict = event.verdict
    open.delete(event.id)
  }

  function finish(unfinished: Parameters<ExtractionBuilder['finish']>[0]): Extraction {
    if (documents.size === 0) addEvent({ event: 'begin', id: 0, parent: null, name: '', kind: 'unknown' })
    for (const id of open) markUnfinished(documents.get(id), unfinished)
    for (const document of documents.values()) document.sections = document.sections.filter(places.isShown)
    const { name: _, ...extraction } = documents.get(0) ?? emptyPart('', 'unknown')
    return extraction
  }
}

/** Sections that show pictures; the bytes come after them. */
function createPicturePlaces() {
  const byKey = new Map<string, ExtractedSection>()
  const places = new Set<ExtractedSection>()
  return {
    add(id: number, { pictureKey, ...section }: ReadSection): ExtractedSection {
      if (pictureKey === undefined) return section
      byKey.set(`${id} ${pictureKey}`, section)
      places.add(section)
      return section
    },
    fill({ id, key, name, bytes }: Extract<ReaderEvent, { event: 'picture_file' }>): void {
      const section = byKey.get(`${id} ${key}`)
      if (section !== undefined) section.picture = { name, bytes }
    },
    /** A place whose picture did not come and that has no text is none. */
    isShown: (section: ExtractedSection): boolean =>
      !places.has(section) || section.text !== '' || section.picture !== undefined,
  }
}

function addSections(
  document: ExtractedPart,
  sections: readonly ReadSection[],
  toSection: (section: ReadSection) => ExtractedSection,
): void {
  for (const section of sections) document.sections.push(toSection(section))
  for (const { text } of sections) document.report.characters += text.length
}

function applyFacts(
  document: ExtractedPart,
  { title, pages, kind, ...metadata }: Extract<ReaderEvent, { event: 'facts' }>['facts'],
): void {
  if (title) document.title = title
  if (pages !== undefined) document.report.pages = pages
  if (kind !== undefined) document.report.kind = kind
  for (const [name, value] of Object.entries(metadata))
    if (value) document.metadata[name as keyof typeof metadata] = value
}

function markUnfinished(
  document: ExtractedPart | undefined,
  { verdict, detail }: Parameters<ExtractionBuilder['finish']>[0],
): void {
  if (document === undefined) return
  document.report.verdict = verdict
  document.report.warnings.push({ code: verdict === 'limit' ? 'limit_hit' : verdict, detail })
  if (document.sections.length > 0 || document.parts.length > 0)
    document.report.warnings.push({ code: 'truncated', detail: 'The text is truncated.' })
}
