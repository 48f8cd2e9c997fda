// Turns a page of a crawl, or a file that a page links to, into a document.
import { toTextReport } from '../../domain/extraction/text-report.ts'
import { TEXT_FRAGMENT } from '../../domain/search/text-fragment.ts'
import type { Extraction } from '../../extract/extract.ts'
import type { ConnectorItem, FileSection, SourceDocument, SourceExtraction, SourceResponse } from '../connector.ts'
import { linkSections, toFileText } from '../files/read-file-text.ts'
import { fileNameOf, type PageNote } from './crawled-page.ts'
import type { CleanPage } from './site.ts'

/** All that tells the time of a page. */
export interface PageTimes {
  /** As the page or the file says; ISO 8601. */
  metadata: Extraction['metadata']
  headers: SourceResponse['headers']
  /** As the sitemap says; epoch milliseconds. */
  listed: number | null
}

/**
 * When the page changed, in epoch milliseconds: as it says itself, else as the sitemap or the server says, else when it
 * was written. Null if nothing is known. The time of the crawl is no time of the page.
 */
export function pageTime({ metadata, headers, listed }: PageTimes, now: number): number | null {
  const times = [timeOf(metadata.modified), listed, serverTime(headers), timeOf(metadata.created)]
  return times.find((it) => it !== null && it <= now + DAY_MS) ?? null
}

const DAY_MS = 86_400_000
/** Servers that make a page when it is asked for say that it changed now. */
const MADE_ON_REQUEST_MS = 120_000

function serverTime(headers: PageTimes['headers']): number | null {
  const modified = timeOf(headers['last-modified'])
  const answered = timeOf(headers.date)
  if (modified === null || modified <= 0) return null
  return answered !== null && answered - modified < MADE_ON_REQUEST_MS ? null : modified
}

function timeOf(text: string | null | undefined): number | null {
  const time = text === null || text === undefined || text.length > 100 ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** `name` of the page is shown; the whole title is searched, because it names the site, too. */
export function toCrawledDocument(
  id: string,
  { title, name, sections, leftOut }: CleanPage,
  { time, breadcrumb, report }: { time: number | null; breadcrumb: readonly string[]; report: Extraction['report'] },
): SourceDocument {
  const last = breadcrumb.at(-1)
  const isOwnName = last !== undefined && (last === name || last === title)
  const above = isOwnName ? breadcrumb.slice(0, -1) : breadcrumb
  return {
    id,
    semantic_identifier: name ?? id,
    ...(title !== name && { title }),
    sections: linkSections(id, sections.map(withTextFragment)),
    doc_updated_at: time,
    report: toTextReport(report, leftOut),
    ...(above.length > 0 && { metadata: { breadcrumb: [...above] } }),
  }
}

const MAX_FRAGMENT_TEXT = 200

/** A heading without an id is found by its text (WICG, URL Fragment Text Directives). The first one is the page itself. */
function withTextFragment(section: FileSection, at: number): FileSection {
  const { anchor, heading } = section
  if (anchor !== null || heading === null || at === 0 || heading.length > MAX_FRAGMENT_TEXT) return section
  return { ...section, anchor: `${TEXT_FRAGMENT}${encodeURIComponent(heading.toWellFormed()).replaceAll('-', '%2D')}` }
}

export function toPageNote(
  key: string,
  { headers }: SourceResponse,
  found: Pick<PageNote, 'links' | 'names' | 'hash'>,
): { key: string; value: string } {
  const newNote: PageNote = {
    ...(headers.etag && { etag: headers.etag }),
    ...(headers['last-modified'] && { modified: headers['last-modified'] }),
    ...found,
  }
  return { key, value: JSON.stringify(newNote) }
}

export function toLinkedFileItem(
  id: string,
  { url, answer, time }: { url: string; answer: SourceResponse; time: number | null },
  extraction: SourceExtraction,
): ConnectorItem {
  const read = toFileText(extraction)
  if (read.kind === 'unread') return { type: 'skipped', id, link: url, reason: read.reason }
  // Archive members have no URL of their own, so an archive becomes one document.
  const all = [
    ...read.sections,
    ...read.parts.flatMap((it) => it.sections.map((section) => ({ ...section, anchor: null }))),
  ]
  const document: SourceDocument = {
    id,
    semantic_identifier: read.title ?? fileNameOf(url),
    sections: linkSections(id, all),
    report: read.report,
    doc_updated_at: time,
  }
  return { type: 'document', document, note: toPageNote(id, answer, { links: [] }) }
}
