// Web connector: crawls a site, reads a single page, or reads the pages of a sitemap.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  SourceError,
  type SourceExtraction,
  type SourceResponse,
} from '../connector.ts'
import { createRobotsRules, type RobotsRules } from '../crawl/robots.ts'
import { listSitemap } from '../crawl/sitemap.ts'
import {
  compilePattern,
  crawlTrapReason,
  isBelow,
  isSameHost,
  normalizeUrl,
  parseStartUrl,
} from '../crawl/url-rules.ts'
import { MAX_DEPTH, MAX_PAGES, WebConfig } from './config.ts'
import { type CrawledPage, type PageNote, withRobotsHeader } from './crawled-page.ts'
import { createHeldPages } from './held-pages.ts'
import { collectNames, namesInLinks } from './link-names.ts'
import { pageTime, toLinkedFileItem, toPageNote } from './page-document.ts'
import { createSite } from './site.ts'
import { CONCURRENT_VISITS, type CrawlState, linkBase, rewriteUrl, type VisitResult, visitPage } from './visit.ts'

export default defineConnector<WebConfig, null>({
  sources: ['web'],
  label: 'Web site',
  description: 'Reads the pages of a website and the files that they link to below the same URL.',
  remarks: `Lines that more than half of the pages share, such as menus and footers, are left out, and so is the name of the site in
titles. The connector learns them from the pages that it reads, 20 at least, and keeps them for its next runs. Until then the
first pages wait, ten seconds at most. A page that is unchanged in its source keeps its text until it changes or a run begins
from the beginning.

The texts of links are names of the pages to which they lead: who searches for such a text finds the page first. They are learned at the
end of each run that has read changes. Pages that were read by an older version give names when they are read again.

The time of a page is what the page says (\`article:modified_time\`, JSON-LD, \`time\` elements), else the \`lastmod\` of the
sitemap, else \`Last-Modified\`, unless the server made the page when it was asked. If none says anything, the page has no time.
The breadcrumb of a page becomes the metadata \`breadcrumb\`. Links lead to the headings of a page: by id, else by their text.`,
  config: WebConfig,
  ignoredFields: ['batch_size'],
  credential: null,
  hasOpenCredentials: true,
  isTestedWithRealSource: true,
  isCredentialOptional: true,
  hasAccess: false,
  async check(context) {
    const base = parseStartUrl(context.config.base_url)
    const robots = createRobotsRules(context.fetch)
    if (context.config.web_connector_type === 'sitemap') return void (await listSitemap(context, robots, base))
    if (!(await robots.isAllowed(base))) throw startUrlError(`robots.txt of ${new URL(base).host} disallows this page.`)
    const { status } = await context.fetch(base)
    if (status === 404 || status === 410) throw startUrlError(`Page not found for ${base} (HTTP ${status}).`, status)
    if (status >= 400) throw startUrlError(`${base} returned HTTP ${status}.`, status)
  },
  load: (context) => crawlSite(context, { isListing: false }),
  names: ({ config }, notes) => collectNames(notes, (url) => rewriteUrl(config, url)),
  async *listIds(context) {
    for await (const item of crawlSite(context, { isListing: true })) {
      if (item.type === 'document') yield item.document.id
      if (item.type === 'unchanged' || item.type === 'skipped') yield item.id
    }
  },
})

const startUrlError = (message: string, status: number | null = null) =>
  new SourceError('config', message, { field: 'connector_specific_config.base_url', status })

const FIRST_CHECKPOINT = 32
/** A checkpoint contains every seen URL, so checkpoints become rarer as the crawl grows. */
const CHECKPOINT_INTERVAL_DIVISOR = 16
const MAX_QUERIES_OF_PATH = 200

const WebCheckpoint = z.object({
  queue: z.array(z.tuple([z.string(), z.number()])),
  seen: z.array(z.string()),
  hashes: z.array(z.string()),
  pages: z.number(),
  /** Absent in checkpoints of older versions. */
  listed: z.array(z.tuple([z.string(), z.number()])).default([]),
})

async function* crawlSite(
  context: ConnectorContext<WebConfig, null>,
  { isListing }: { isListing: boolean },
): AsyncGenerator<ConnectorItem, void> {
  const crawl = await startCrawl(context, isListing)
  try {
    yield* visitAll(crawl)
  } catch (error) {
    // Pages that were read before an error are documents, too.
    yield* crawl.held.release()
    throw error
  }
  yield* crawl.held.release()
  const learned = context.only === null && !isListing ? crawl.site.save() : null
  if (learned !== null) yield { type: 'note', value: learned }
  const warning = isListing ? null : narrowScopeWarning(crawl)
  if (warning !== null) yield warning
}

async function* visitAll(crawl: CrawlState): AsyncGenerator<ConnectorItem, void> {
  const { context, isListing, pauseMs } = crawl
  const maxPages = context.config.max_pages ?? MAX_PAGES
  let checkpointAt = crawl.pages + FIRST_CHECKPOINT
  while (crawl.queue.length > 0) {
    if (crawl.pages >= maxPages) {
      if (!isListing) break
      const message = `The site has more than ${maxPages} pages. Raise max_pages: deleted pages cannot be detected in a truncated listing.`
      throw new SourceError('config', message, { field: 'connector_specific_config.max_pages' })
    }
    const visits = crawl.queue.splice(0, pauseMs > 0 ? 1 : Math.min(CONCURRENT_VISITS, maxPages - crawl.pages))
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal: context.signal })
    crawl.pages += visits.length
    const answers = await Promise.all(visits.map(([url, depth]) => visitPage(crawl, url, depth)))
    for (const answer of answers) yield* handleVisit(crawl, answer)
    if (crawl.pages < checkpointAt) continue
    yield* crawl.held.release()
    yield { type: 'checkpoint', checkpoint: checkpointOf(crawl) }
    checkpointAt = crawl.pages + Math.max(FIRST_CHECKPOINT, Math.floor(crawl.seen.size / CHECKPOINT_INTERVAL_DIVISOR))
  }
}

/** Warns when the base URL is a single page whose neighbours were probably meant. */
function narrowScopeWarning({ base, pages, depth, outsideLinkSource }: CrawlState): ConnectorItem | null {
  if (pages !== 1 || depth === 0 || outsideLinkSource === null) return null
  const link = new URL(outsideLinkSource.endsWith('/') ? '..' : '.', outsideLinkSource).href
  return { type: 'warning', link, message: `Only 1 page is below ${base}. Did you mean ${link}?` }
}

const checkpointOf = ({ queue, seen, hashes, pages, listed }: CrawlState): z.infer<typeof WebCheckpoint> => ({
  queue,
  seen: [...seen],
  hashes: [...hashes],
  pages,
  listed: [...listed],
})

async function startCrawl(context: ConnectorContext<WebConfig, null>, isListing: boolean): Promise<CrawlState> {
  const { config, only } = context
  const base = parseStartUrl(config.base_url)
  const robots = createRobotsRules(context.fetch)
  const resumed = context.checkpoint === null ? null : WebCheckpoint.parse(context.checkpoint)
  const include = (config.include_patterns ?? []).map(compilePattern)
  const exclude = (config.exclude_patterns ?? []).map(compilePattern)
  const isWanted = (url: string) =>
    (include.length === 0 || include.some((it) => it(url))) && !exclude.some((it) => it(url))
  const counts = {
    queriesOfPath: new Map<string, number>(),
    nonCanonical: new Set<string>(),
    consecutiveFailures: 0,
    outsideLinkSource: null,
  }
  const pauseMs = 1_000 * (await robots.crawlDelay(new URL(base).origin))
  const site = createSite(isListing ? null : await context.recall(''))
  const listed = new Map<string, number>()
  const shared = {
    context,
    base,
    isListing,
    robots,
    isWanted,
    pauseMs,
    site,
    held: createHeldPages(site),
    listed,
    ...counts,
  }
  if (resumed !== null)
    return {
      ...shared,
      ...resumed,
      seen: new Set(resumed.seen),
      hashes: new Set(resumed.hashes),
      listed: new Map(resumed.listed),
      depth: maxDepth(context),
    }
  const start =
    only !== null ? only.flatMap((it) => normalizeUrl(it) ?? []) : await startUrls(context, robots, base, listed)
  const queue = start.map((url): [string, number] => [url, 0])
  return { ...shared, queue, seen: new Set(start), hashes: new Set(), pages: 0, depth: maxDepth(context) }
}

const startUrls = async (
  context: ConnectorContext<WebConfig, null>,
  robots: RobotsRules,
  base: string,
  listed: Map<string, number>,
): Promise<string[]> => {
  if (context.config.web_connector_type !== 'sitemap') return [base]
  const pages = await listSitemap(context, robots, base)
  for (const { url, modified } of pages) if (modified !== null) listed.set(url, modified)
  return pages.map((it) => it.url)
}

/** Links are followed in recursive mode only. */
function maxDepth({ config, only }: ConnectorContext<WebConfig, null>): number {
  if (only !== null || config.web_connector_type === 'single' || config.web_connector_type === 'sitemap') return 0
  return config.max_depth ?? MAX_DEPTH
}

const FORBIDDEN_STATUSES = [401, 403, 451]

async function* handleVisit(crawl: CrawlState, result: VisitResult): AsyncGenerator<ConnectorItem, void> {
  if (result.kind === 'item') {
    if (result.item !== null) yield result.item
    return
  }
  const { url, depth, answer, read, note } = result
  const { status } = answer
  if (status === 304 && note !== null) {
    enqueue(crawl, note.links, depth)
    if (note.hash !== undefined) crawl.hashes.add(note.hash)
    yield { type: 'unchanged', id: rewriteUrl(crawl.context.config, url) }
    return
  }
  if (status === 404 || status === 410) {
    if (crawl.pages <= 1 && crawl.context.only === null)
      throw startUrlError(`Page not found for ${url} (HTTP ${status}).`, status)
    return
  }
  if (read === null) {
    if (crawl.pages <= 1) throw new SourceError('unexpected', `${url} returned HTTP ${status}.`, { status })
    // Follows the links of the previous visit, so that a temporary error does not remove the pages behind this one.
    enqueue(crawl, note?.links ?? [], depth)
    const [id, message] = [rewriteUrl(crawl.context.config, url), `The page returned HTTP ${status}.`]
    if (!crawl.isListing) yield { type: 'failure', document_id: id, link: url, stage: 'fetch', message }
    // A page that requires a login is treated as missing.
    else if (!FORBIDDEN_STATUSES.includes(status)) yield { type: 'skipped', id, link: url, reason: message }
    return
  }
  yield* handlePage(crawl, { url, depth, answer, read })
}

function* handlePage(
  crawl: CrawlState,
  { url, depth, answer, read }: { url: string; depth: number; answer: SourceResponse; read: SourceExtraction },
): Generator<ConnectorItem> {
  const final = normalizeUrl(answer.url) ?? url
  if (final !== url) {
    if (crawl.seen.has(final)) return
    crawl.seen.add(final)
    if (depth > 0 && !isBelow(crawl.base, final)) return
  }
  const id = rewriteUrl(crawl.context.config, final)
  const times = { metadata: read.metadata, headers: answer.headers, listed: crawl.listed.get(url) ?? null }
  const time = pageTime(times, crawl.context.until)
  if (read.page === null) {
    yield toLinkedFileItem(id, { url: final, answer, time }, read)
    return
  }
  const { title, sections } = read
  const page = withRobotsHeader({ title, sections, ...read.page }, answer.headers['x-robots-tag'] ?? '')
  const { links, names } = page.isFollowed ? collectLinks(crawl, page, final) : { links: [], names: [] }
  enqueue(crawl, links, depth)
  const hash = createHash('sha256')
    .update(JSON.stringify([page.title, page.sections]))
    .digest('base64url')
  const reason = reasonToSkipPage(crawl, page, { url: final, depth, hash })
  if (reason !== null) {
    // A duplicate is the document of another URL.
    if (!(crawl.isListing && reason.isDuplicate)) yield { type: 'skipped', id, link: final, reason: reason.text }
    return
  }
  crawl.hashes.add(hash)
  crawl.held.add({ id, page, report: read.report, time, note: toPageNote(id, answer, { links, names, hash }) })
  if (crawl.isListing || crawl.held.isDue()) yield* crawl.held.release()
}

function reasonToSkipPage(
  crawl: CrawlState,
  page: CrawledPage,
  { url, depth, hash }: { url: string; depth: number; hash: string },
): { text: string; isDuplicate: boolean } | null {
  if (!page.isIndexed) return { text: 'The page is marked noindex.', isDuplicate: true }
  const canonical = page.canonical === null ? null : normalizeUrl(page.canonical, page.base ?? url)
  if (canonical !== null && canonical !== url && crawl.context.only === null && isBelow(crawl.base, canonical)) {
    enqueue(crawl, [canonical], depth - 1)
    // If two pages name each other as canonical, one of them is kept.
    if (crawl.seen.has(canonical) && !crawl.nonCanonical.has(canonical)) {
      crawl.nonCanonical.add(url)
      return { text: `The canonical URL is ${canonical}.`, isDuplicate: true }
    }
  }
  if (page.sections.length === 0 && page.title === null)
    return { text: 'The page contains no text.', isDuplicate: false }
  return crawl.hashes.has(hash) ? { text: 'Another URL has the same title and text.', isDuplicate: true } : null
}

function collectLinks(crawl: CrawlState, page: CrawledPage, url: string): Required<Pick<PageNote, 'links' | 'names'>> {
  const base = linkBase(page, url)
  // A page with a slow refresh has content of its own, so the target is an ordinary link.
  const targets = page.refresh === null ? page.links : [...page.links, { address: page.refresh.url, text: '' }]
  const found = targets.flatMap(({ address, text }) => {
    const link = normalizeUrl(address, base)
    return link === null ? [] : [{ link, text }]
  })
  const isOutside = ({ link }: { link: string }) => !isBelow(crawl.base, link)
  if (found.some((it) => isOutside(it) && isSameHost(crawl.base, it.link))) crawl.outsideLinkSource = url
  const inside = found.filter((it) => !isOutside(it))
  const links = [...new Set(inside.map((it) => it.link))]
  return { links, names: namesInLinks(inside, { links, own: url }) }
}

/** Breadth-first, so the first path to a page is the shortest. */
function enqueue(crawl: CrawlState, links: readonly string[], depth: number): void {
  if (depth + 1 > crawl.depth) return
  for (const link of links) {
    if (
      crawl.seen.has(link) ||
      !crawl.isWanted(link) ||
      crawlTrapReason(link) !== null ||
      hasTooManyQueries(crawl, link)
    )
      continue
    crawl.seen.add(link)
    crawl.queue.push([link, depth + 1])
  }
}

/** Calendars, filters and session ids produce endless queries on one path. */
function hasTooManyQueries({ queriesOfPath }: CrawlState, link: string): boolean {
  const { origin, pathname, search } = new URL(link)
  if (search === '') return false
  const count = (queriesOfPath.get(origin + pathname) ?? 0) + 1
  queriesOfPath.set(origin + pathname, count)
  return count > MAX_QUERIES_OF_PATH
}
