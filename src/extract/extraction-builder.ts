import { type ExtractedPart, type Extraction, type ExtractVerdict, NO_METADATA } from './extraction.ts'
import type { ReaderEvent } from './reader.ts'

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
    if (event.event === 'sections') addSections(document, event.sections)
    if (event.event === 'facts') applyFacts(document, event.facts)
    if (event.event === 'page') document.page = event.page
    if (event.event === 'unread_page') document.report.unreadPages.push(event.page)
    if (event.event === 'warning') document.report.warnings.push(event.warning)
    if (event.event !== 'end') return
    document.report.verdict = event.verdict
    open.delete(event.id)
  }

  function finish(unfinished: Parameters<ExtractionBuilder['finish']>[0]): Extraction {
    if (documents.size === 0) addEvent({ event: 'begin', id: 0, parent: null, name: '', kind: 'unknown' })
    for (const id of open) markUnfinished(documents.get(id), unfinished)
    const { name: _, ...extraction } = documents.get(0) ?? emptyPart('', 'unknown')
    return extraction
  }
}

function addSections(document: ExtractedPart, sections: ExtractedPart['sections']): void {
  document.sections.push(...sections)
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
