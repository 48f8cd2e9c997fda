import { type Extraction, NO_METADATA, type Part, type Verdict } from './extraction.ts'
import type { ReadingEvent } from './reading.ts'

/** Puts together what a reader handed over, also when it never came to its end. */
export interface Assembly {
  take(event: ReadingEvent): void
  /** What has begun and not ended gets this verdict, and says why. */
  finish(unended: { verdict: Exclude<Verdict, 'ok'>; detail: string }): Extraction
}

const newPart = (name: string, kind: string): Part => ({
  name,
  title: null,
  sections: [],
  metadata: { ...NO_METADATA },
  report: { kind, verdict: 'ok', pages: null, characters: 0, warnings: [] },
  page: null,
  parts: [],
})

export function createAssembly(): Assembly {
  const documents = new Map<number, Part>()
  const open = new Set<number>()
  return { take, finish }

  function take(event: ReadingEvent): void {
    if (event.event === 'begin') {
      const part = newPart(event.name, event.kind)
      documents.set(event.id, part)
      open.add(event.id)
      if (event.parent !== null) documents.get(event.parent)?.parts.push(part)
      return
    }
    const document = documents.get(event.id)
    if (document === undefined) return
    if (event.event === 'sections') addSections(document, event.sections)
    if (event.event === 'facts') addFacts(document, event.facts)
    if (event.event === 'page') document.page = event.page
    if (event.event === 'warning') document.report.warnings.push(event.warning)
    if (event.event !== 'end') return
    document.report.verdict = event.verdict
    open.delete(event.id)
  }

  function finish(unended: Parameters<Assembly['finish']>[0]): Extraction {
    if (documents.size === 0) take({ event: 'begin', id: 0, parent: null, name: '', kind: 'unknown' })
    for (const id of open) endEarly(documents.get(id), unended)
    const { name: _, ...extraction } = documents.get(0) ?? newPart('', 'unknown')
    return extraction
  }
}

function addSections(document: Part, sections: Part['sections']): void {
  document.sections.push(...sections)
  for (const { text } of sections) document.report.characters += text.length
}

function addFacts(
  document: Part,
  { title, pages, kind, ...metadata }: Extract<ReadingEvent, { event: 'facts' }>['facts'],
): void {
  if (title) document.title = title
  if (pages !== undefined) document.report.pages = pages
  if (kind !== undefined) document.report.kind = kind
  for (const [name, value] of Object.entries(metadata))
    if (value) document.metadata[name as keyof typeof metadata] = value
}

function endEarly(document: Part | undefined, { verdict, detail }: Parameters<Assembly['finish']>[0]): void {
  if (document === undefined) return
  document.report.verdict = verdict
  document.report.warnings.push({ code: verdict === 'limit' ? 'limit_hit' : verdict, detail })
  if (document.sections.length > 0 || document.parts.length > 0)
    document.report.warnings.push({ code: 'truncated', detail: 'The text ends where the reading ended.' })
}
