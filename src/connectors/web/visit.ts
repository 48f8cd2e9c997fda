// Fetches one page of a crawl and follows its meta refreshes.
import { setTimeout as delay } from 'node:timers/promises'
import type { CrawlInfo as PageFacts } from '../../extract/extract.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  type ExtractInput,
  SourceError,
  type SourceExtraction,
  type SourceResponse,
} from '../connector.ts'
import type { RobotsRules } from '../crawl/robots.ts'
import { crawlTrapReason, isBelow, normalizeUrl } from '../crawl/url-rules.ts'
import type { WebConfig } from './config.ts'
import { fileNameOf, type PageNote, withRobotsHeader } from './crawled-page.ts'
import type { HeldPages } from './held-pages.ts'
import type { Site } from './site.ts'

/** Pages fetched concurrently: the requests a host serves at a time plus those queued behind them. */
export const CONCURRENT_VISITS = 8

/** The state of a running crawl. */
export interface CrawlState {
  context: ConnectorContext<WebConfig, null>
  base: string
  isListing: boolean
  robots: RobotsRules
  isWanted: (url: string) => boolean
  queue: [url: string, depth: number][]
  seen: Set<string>
  /** Hashes of title and text. Pages with equal hashes are duplicates. */
  hashes: Set<string>
  queriesOfPath: Map<string, number>
  /** Pages that name another URL as canonical. */
  nonCanonical: Set<string>
  /** Consecutive requests without any response. */
  consecutiveFailures: number
  pages: number
  depth: number
  /** The Crawl-delay of robots.txt. */
  pauseMs: number
  /** A page that links to the same host outside the base path. */
  outsideLinkSource: string | null
  site: Site
  /** Pages that wait until the site is known. */
  held: HeldPages
  /** When pages changed as the sitemap says, in epoch milliseconds, by URL. */
  listed: Map<string, number>
}

export type VisitResult =
  | {
      kind: 'answer'
      url: string
      depth: number
      answer: SourceResponse
      read: SourceExtraction | null
      note: PageNote | null
    }
  | { kind: 'item'; item: ConnectorItem | null }

/** Equals the redirect limit in `egress/http/fetch.ts`. */
const MAX_CLIENT_REDIRECTS = 5
/** A page with a longer delay has content of its own. */
const MAX_REFRESH_SECONDS = 10

/** Fetches a page and follows meta refreshes like redirects. Every target is checked against the crawl's rules. */
export async function visitPage(crawl: CrawlState, url: string, depth: number): Promise<VisitResult> {
  const chain = [url]
  for (let current = url; ; ) {
    const result = await fetchPage(crawl, current, depth)
    const next = clientRedirectOf(result)
    if (next === null) return result
    const reason = reasonNotToFollow(crawl, next, { chain, depth })
    if (reason !== null) return skippedVisit(crawl, current, reason)
    // Already visited through another page.
    if (crawl.seen.has(next)) return { kind: 'item', item: null }
    crawl.seen.add(next)
    chain.push(next)
    current = next
    if (crawl.pauseMs > 0) await delay(crawl.pauseMs, undefined, { signal: crawl.context.signal })
  }
}

function clientRedirectOf(result: VisitResult): string | null {
  if (result.kind === 'item' || result.read === null || result.read.page === null) return null
  const { answer, url } = result
  const page = withRobotsHeader(
    { title: null, sections: [], ...result.read.page },
    answer.headers['x-robots-tag'] ?? '',
  )
  const final = normalizeUrl(answer.url) ?? url
  if (page.refresh === null || page.refresh.seconds > MAX_REFRESH_SECONDS || !page.isFollowed) return null
  const next = normalizeUrl(page.refresh.url, linkBase(page, final))
  return next === url || next === final ? null : next
}

/** Why a meta refresh is not followed, as a message for the administrator. */
function reasonNotToFollow(
  crawl: CrawlState,
  next: string,
  { chain, depth }: { chain: string[]; depth: number },
): string | null {
  if (chain.includes(next)) return `Its meta refreshes form a loop through ${next}.`
  if (chain.length > MAX_CLIENT_REDIRECTS) return `More than ${MAX_CLIENT_REDIRECTS} meta refreshes follow each other.`
  if (depth > 0 && !isBelow(crawl.base, next)) return `It redirects to ${next}, which is outside ${crawl.base}.`
  if (depth > 0 && !crawl.isWanted(next)) return `It redirects to ${next}, which the patterns exclude.`
  return crawlTrapReason(next)
}

const skippedVisit = (crawl: CrawlState, url: string, reason: string): VisitResult => ({
  kind: 'item',
  item: crawl.isListing ? null : { type: 'skipped', id: rewriteUrl(crawl.context.config, url), link: url, reason },
})

/** The base URL for the links of a page. */
export const linkBase = ({ base }: Pick<PageFacts, 'base'>, url: string): string =>
  base === null ? url : (normalizeUrl(base, url) ?? url)

async function fetchPage(crawl: CrawlState, url: string, depth: number): Promise<VisitResult> {
  const { context, robots } = crawl
  if (!(await robots.isAllowed(url))) {
    // Yields a skipped item, so that a page indexed before the site forbade it is removed.
    const reason = 'robots.txt disallows this page.'
    return { kind: 'item', item: crawl.isListing ? null : { type: 'skipped', id: url, link: url, reason } }
  }
  const text = await context.recall(rewriteUrl(crawl.context.config, url))
  const note: PageNote | null = text === null ? null : JSON.parse(text)
  const headers = {
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    ...(note?.etag && { 'if-none-match': note.etag }),
    ...(note?.modified && { 'if-modified-since': note.modified }),
  }
  try {
    const answer = await context.fetch(url, { headers, maxBytes: MAX_PAGE_BYTES })
    crawl.consecutiveFailures = 0
    const isRead = answer.status >= 200 && answer.status < 300
    const read = isRead ? await context.extract(toExtractInput(answer, url)) : null
    return { kind: 'answer', url, depth, answer, read, note }
  } catch (error) {
    context.signal.throwIfAborted()
    // While listing, an unreadable page is fatal: the pages it links to would be missing from the list.
    if (!(error instanceof SourceError) || crawl.isListing || crawl.pages <= 1 || isHostDown(crawl, error)) throw error
    const { message } = error
    const failure = {
      type: 'failure',
      document_id: rewriteUrl(crawl.context.config, url),
      link: url,
      stage: 'fetch',
      message,
    } as const
    return { kind: 'item', item: failure }
  }
}

const toExtractInput = ({ body, headers, url: final }: SourceResponse, url: string): ExtractInput => ({
  bytes: body,
  name: fileNameOf(normalizeUrl(final) ?? url),
  mediaType: headers['content-type'] ?? 'text/html',
})

const MAX_PAGE_BYTES = 50 << 20

const MAX_CONSECUTIVE_FAILURES = 2 * CONCURRENT_VISITS

/** Whether the host itself is down; a single unresponsive page does not count. */
function isHostDown(crawl: CrawlState, { status, kind }: SourceError): boolean {
  if (status === null) crawl.consecutiveFailures += 1
  return kind === 'unresolved' || crawl.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES
}

/** Applies the first matching rule of `url_rewrites`. */
export function rewriteUrl({ url_rewrites }: Pick<WebConfig, 'url_rewrites'>, url: string): string {
  const rule = url_rewrites?.find((it) => url.startsWith(it.source))
  return rule === undefined ? url : rule.target + url.slice(rule.source.length)
}
