// Holds the first pages of a site until it is known what the pages of the site share.
import type { Extraction } from '../../extract/extract.ts'
import type { ConnectorItem, DocumentNote } from '../connector.ts'
import type { CrawledPage } from './crawled-page.ts'
import { toCrawledDocument } from './page-document.ts'
import type { Site } from './site.ts'

export interface HeldPage {
  id: string
  page: CrawledPage
  report: Extraction['report']
  /** When the page changed, in epoch milliseconds. */
  time: number | null
  note: DocumentNote
}

export interface HeldPages {
  add(page: HeldPage): void
  /** Whether the pages can go, or have waited long enough. */
  isDue(): boolean
  release(): Generator<ConnectorItem>
}

/** In characters. More memory would not make the site better known. */
const MAX_LENGTH = 4_000_000
/** Pages of a slow site go as they are; the next run knows the site. */
const MAX_WAIT_MS = 10_000

export function createHeldPages(site: Site): HeldPages {
  let held: HeldPage[] = []
  let length = 0
  let since = 0
  return {
    add(page) {
      if (held.length === 0) since = performance.now()
      held.push(page)
      length += page.page.sections.reduce((sum, it) => sum + it.text.length, 0)
      site.learn(page.page)
    },
    isDue: () => site.isKnown() || length > MAX_LENGTH || performance.now() - since > MAX_WAIT_MS,
    *release() {
      const pages = held
      held = []
      length = 0
      for (const { id, page, report, time, note } of pages) {
        const document = toCrawledDocument(id, site.clean(page), { time, report, breadcrumb: page.breadcrumb })
        yield { type: 'document', document, note }
      }
    },
  }
}
