// Pages of a site: what can be reached from one, one alone, or what a sitemap lists.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { nullish, wireArray, wireBoolean, wireEnum, wireInteger, wireString } from '../domain/wire.ts'
import type { Extraction, Page as PageFacts, Section } from '../extract/extract.ts'
import { connector, type FileBytes, type Item, type Pull, type PullAnswer, SourceError } from './connector.ts'
import { baseUrl, isBelow, pageUrl, patternOf, trapOf } from './crawl-rules.ts'
import { linkedTo, textOf } from './read-file.ts'
import { openRobots, type Robots } from './site-robots.ts'
import { listSitemap } from './sitemap.ts'

const MAX_PAGES = 10_000
const MAX_DEPTH = 32

const rewrite = z.object({ source: wireString({ min: 1, max: 2_000 }), target: wireString({ max: 2_000 }) })
const patterns = nullish(wireArray(wireString({ min: 1, max: 2_000 }), { max: 1_000 }))

const Config = z.object({
  base_url: wireString({ min: 1, max: 2_000 }).describe('Where to begin; without a scheme it is https.'),
  web_connector_type: nullish(wireEnum(['recursive', 'single', 'sitemap'], { caseInsensitive: true })).describe(
    'What can be reached from `base_url` and lies below it (`recursive`, if it is not said), that page alone, or what its sitemap lists.',
  ),
  include_patterns: patterns.describe(
    'Only addresses that fit one of these: beginnings, or texts in which * stands for anything.',
  ),
  exclude_patterns: patterns.describe('No addresses that fit one of these.'),
  max_pages: nullish(wireInteger({ min: 1, max: 1_000_000 })).describe(`${MAX_PAGES} if it is not said.`),
  max_depth: nullish(wireInteger({ min: 0, max: 1_000 })).describe(
    `How many links away from \`base_url\`, by the shortest way; ${MAX_DEPTH} if it is not said.`,
  ),
  url_rewrites: nullish(wireArray(rewrite, { max: 100 })).describe(
    'The first `source` with which an address begins becomes `target` in id and link.',
  ),
  mintlify_cleanup: nullish(wireBoolean()).describe('Taken and not needed: the content of a page is found anyway.'),
  scroll_before_scraping: nullish(wireBoolean()).describe('Taken and not needed: scripts of pages are not run.'),
})
type Config = z.infer<typeof Config>

export default connector<Config, null>({
  sources: ['web'],
  label: 'Web site',
  description: 'Reads the pages of a site, and the files that they link to below the same address.',
  config: Config,
  credential: null,
  isCredentialOptional: true,
  hasAccess: false,
  async check(pull) {
    const base = baseUrl(pull.config.base_url)
    const robots = openRobots(pull.fetch)
    if (pull.config.web_connector_type === 'sitemap') return void (await listSitemap(pull.fetch, robots, base))
    if (!(await robots.isAllowed(base))) throw refused(`robots.txt of ${new URL(base).host} forbids it.`)
    const { status } = await pull.fetch(base)
    if (status === 404 || status === 410) throw refused(`Page not found for ${base} (HTTP ${status}).`, status)
    if (status >= 400) throw refused(`${base} answers ${status}.`, status)
  },
  load: (pull) => crawl(pull, { isListing: false }),
  async *listIds(pull) {
    for await (const item of crawl(pull, { isListing: true })) {
      if (item.type === 'document') yield item.document.id
      if (item.type === 'unchanged' || item.type === 'skipped') yield item.id
    }
  },
})

const refused = (message: string, status: number | null = null) =>
  new SourceError('config', message, { field: 'connector_specific_config.base_url', status })

/** Pages that are asked for together: as many as a host answers at once, and those that wait behind them. */
const TOGETHER = 8
const FIRST_CHECKPOINT = 32
/** The more is seen, the larger is a checkpoint, and the rarer it is. */
const CHECKPOINT_PART = 16
const MAX_QUERIES_OF_PATH = 200

const Checkpoint = z.object({
  queue: z.array(z.tuple([z.string(), z.number()])),
  seen: z.array(z.string()),
  hashes: z.array(z.string()),
  pages: z.number(),
})

/** Everything that the crawl knows. */
interface Crawl {
  pull: Pull<Config, null>
  base: string
  isListing: boolean
  robots: Robots
  isWanted: (url: string) => boolean
  queue: [url: string, depth: number][]
  seen: Set<string>
  /** Of titles and texts: two addresses with the same are one page. */
  hashes: Set<string>
  queriesOfPath: Map<string, number>
  /** Pages whose canonical address is another one. */
  elsewhere: Set<string>
  /** Requests in a row that had no answer at all. */
  lost: number
  pages: number
  depth: number
}

async function* crawl(pull: Pull<Config, null>, { isListing }: { isListing: boolean }): AsyncGenerator<Item, void> {
  const it = await begin(pull, isListing)
  const maxPages = pull.config.max_pages ?? MAX_PAGES
  const pauseMs = 1_000 * (await it.robots.delayOf(new URL(it.base).origin))
  let checkpointAt = it.pages + FIRST_CHECKPOINT
  while (it.queue.length > 0) {
    if (it.pages >= maxPages) {
      if (!isListing) break
      const message = `There are more pages than the ${maxPages} of max_pages, so what is gone cannot be told from what is left out.`
      throw new SourceError('config', message, { field: 'connector_specific_config.max_pages' })
    }
    const turn = it.queue.splice(0, pauseMs > 0 ? 1 : Math.min(TOGETHER, maxPages - it.pages))
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal: pull.signal })
    it.pages += turn.length
    const answers = await Promise.all(turn.map(([url, depth]) => visit(it, url, depth)))
    for (const answer of answers) yield* take(it, answer)
    if (it.pages < checkpointAt) continue
    yield { type: 'checkpoint', checkpoint: checkpointOf(it) }
    checkpointAt = it.pages + Math.max(FIRST_CHECKPOINT, Math.floor(it.seen.size / CHECKPOINT_PART))
  }
}

const checkpointOf = ({ queue, seen, hashes, pages }: Crawl): z.infer<typeof Checkpoint> => ({
  queue,
  seen: [...seen],
  hashes: [...hashes],
  pages,
})

async function begin(pull: Pull<Config, null>, isListing: boolean): Promise<Crawl> {
  const { config, only } = pull
  const base = baseUrl(config.base_url)
  const robots = openRobots(pull.fetch)
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  const [include, exclude] = [config.include_patterns ?? [], config.exclude_patterns ?? []].map((it) =>
    it.map(patternOf),
  )
  const isWanted = (url: string) =>
    (include!.length === 0 || include!.some((it) => it(url))) && !exclude!.some((it) => it(url))
  const counts = { queriesOfPath: new Map<string, number>(), elsewhere: new Set<string>(), lost: 0 }
  const known = { pull, base, isListing, robots, isWanted, ...counts }
  if (left !== null)
    return { ...known, ...left, seen: new Set(left.seen), hashes: new Set(left.hashes), depth: depthOf(pull) }
  const start = only !== null ? only.flatMap((it) => pageUrl(it) ?? []) : await startOf(pull, robots, base)
  const queue = start.map((url): [string, number] => [url, 0])
  return { ...known, queue, seen: new Set(start), hashes: new Set(), pages: 0, depth: depthOf(pull) }
}

const startOf = async ({ config, fetch }: Pull<Config, null>, robots: Robots, base: string): Promise<string[]> =>
  config.web_connector_type === 'sitemap' ? listSitemap(fetch, robots, base) : [base]

/** Links are followed only where the site is to be found by them. */
function depthOf({ config, only }: Pull<Config, null>): number {
  if (only !== null || config.web_connector_type === 'single' || config.web_connector_type === 'sitemap') return 0
  return config.max_depth ?? MAX_DEPTH
}

interface Remembered {
  etag?: string
  modified?: string
  links: string[]
  /** Of title and text. */
  hash?: string
}

type Visit =
  | { kind: 'answer'; url: string; depth: number; answer: PullAnswer; read: Extraction | null; note: Remembered | null }
  | { kind: 'item'; item: Item | null }

async function visit(it: Crawl, url: string, depth: number): Promise<Visit> {
  const { pull, robots } = it
  if (!(await robots.isAllowed(url))) {
    // What was read before its site forbade it is to go.
    const reason = 'robots.txt forbids it.'
    return { kind: 'item', item: it.isListing ? null : { type: 'skipped', id: url, link: url, reason } }
  }
  const text = await pull.recall(rewritten(it, url))
  const note = text === null ? null : (JSON.parse(text) as Remembered)
  const headers = {
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    ...(note?.etag && { 'if-none-match': note.etag }),
    ...(note?.modified && { 'if-modified-since': note.modified }),
  }
  try {
    const answer = await pull.fetch(url, { headers, maxBytes: MAX_PAGE_BYTES })
    it.lost = 0
    const isRead = answer.status >= 200 && answer.status < 300
    const read = isRead ? await pull.extract(fileOf(answer, url)) : null
    return { kind: 'answer', url, depth, answer, read, note }
  } catch (error) {
    pull.signal.throwIfAborted()
    // A page that cannot be read may lead to others: no listing is complete without it.
    if (!(error instanceof SourceError) || it.isListing || it.pages <= 1 || isTotal(it, error)) throw error
    const { message } = error
    const failure = { type: 'failure', document_id: rewritten(it, url), link: url, stage: 'fetch', message } as const
    return { kind: 'item', item: failure }
  }
}

const fileOf = ({ body, headers, url: final }: PullAnswer, url: string): FileBytes => ({
  bytes: body,
  name: nameOf(pageUrl(final) ?? url),
  mediaType: headers['content-type'] ?? 'text/html',
})

const MAX_PAGE_BYTES = 50 << 20

const MAX_LOST = 2 * TOGETHER

/** The host is gone altogether: one page that never answers is not enough for that. */
function isTotal(it: Crawl, { status, fault }: SourceError): boolean {
  if (status === null) it.lost += 1
  return fault === 'unresolved' || it.lost >= MAX_LOST
}

const FORBIDDEN = [401, 403, 451]

async function* take(it: Crawl, visited: Visit): AsyncGenerator<Item, void> {
  if (visited.kind === 'item') {
    if (visited.item !== null) yield visited.item
    return
  }
  const { url, depth, answer, read, note } = visited
  const { status } = answer
  if (status === 304 && note !== null) {
    enqueue(it, note.links, depth)
    if (note.hash !== undefined) it.hashes.add(note.hash)
    yield { type: 'unchanged', id: rewritten(it, url) }
    return
  }
  if (status === 404 || status === 410) {
    if (it.pages <= 1 && it.pull.only === null) throw refused(`Page not found for ${url} (HTTP ${status}).`, status)
    return
  }
  if (read === null) {
    if (it.pages <= 1) throw new SourceError('unexpected', `${url} answers ${status}.`, { status })
    // What it led to does not go because it cannot be read now.
    enqueue(it, note?.links ?? [], depth)
    const [id, message] = [rewritten(it, url), `It answers ${status}.`]
    if (!it.isListing) yield { type: 'failure', document_id: id, link: url, stage: 'fetch', message }
    // What is there for others only is not there for those who search here.
    else if (!FORBIDDEN.includes(status)) yield { type: 'skipped', id, link: url, reason: message }
    return
  }
  yield* documentsOf(it, { url, depth, answer, read })
}

function* documentsOf(
  it: Crawl,
  { url, depth, answer, read }: { url: string; depth: number; answer: PullAnswer; read: Extraction },
): Generator<Item> {
  const final = pageUrl(answer.url) ?? url
  if (final !== url) {
    if (it.seen.has(final)) return
    it.seen.add(final)
    if (depth > 0 && !isBelow(it.base, final)) return
  }
  const id = rewritten(it, final)
  if (read.page === null) {
    yield fileItem(id, final, answer, read)
    return
  }
  const { title, sections } = read
  const page = heeding({ title, sections, ...read.page }, answer.headers['x-robots-tag'] ?? '')
  const links = page.isFollowed ? linksOf(it, page, final) : []
  enqueue(it, links, depth)
  const hash = createHash('sha256')
    .update(JSON.stringify([page.title, page.sections]))
    .digest('base64url')
  const reason = leftOut(it, page, { url: final, depth, hash })
  if (reason !== null) {
    // What another address has is no document of this one.
    if (!(it.isListing && reason.isElsewhere)) yield { type: 'skipped', id, link: final, reason: reason.text }
    return
  }
  it.hashes.add(hash)
  yield { type: 'document', document: documentOf(id, page), note: noteOf(id, answer, { links, hash }) }
}

interface Page extends PageFacts {
  title: string | null
  sections: Section[]
}

/** What a header says counts as what the page says. */
function heeding(page: Page, header: string): Page {
  const words = header.toLowerCase().split(/[\s,]+/)
  const isNone = words.includes('none')
  return {
    ...page,
    isIndexed: page.isIndexed && !isNone && !words.includes('noindex'),
    isFollowed: page.isFollowed && !isNone && !words.includes('nofollow'),
  }
}

function leftOut(
  it: Crawl,
  page: Page,
  { url, depth, hash }: { url: string; depth: number; hash: string },
): { text: string; isElsewhere: boolean } | null {
  if (!page.isIndexed) return { text: 'The page asks not to be indexed.', isElsewhere: true }
  const canonical = page.canonical === null ? null : pageUrl(page.canonical, page.base ?? url)
  if (canonical !== null && canonical !== url && it.pull.only === null && isBelow(it.base, canonical)) {
    enqueue(it, [canonical], depth - 1)
    // Two pages that name each other have one of them.
    if (it.seen.has(canonical) && !it.elsewhere.has(canonical)) {
      it.elsewhere.add(url)
      return { text: `Its canonical address is ${canonical}.`, isElsewhere: true }
    }
  }
  if (page.sections.length === 0 && page.title === null) return { text: 'There is no text on it.', isElsewhere: false }
  return it.hashes.has(hash) ? { text: 'Another address has the same title and text.', isElsewhere: true } : null
}

function linksOf(it: Crawl, page: Page, url: string): string[] {
  const base = page.base === null ? url : (pageUrl(page.base, url) ?? url)
  const links = page.links.flatMap((link) => pageUrl(link, base) ?? [])
  return [...new Set(links)].filter((link) => isBelow(it.base, link))
}

/** Breadth first: what stands in front is nearest to the beginning, so the first way to a page is the shortest. */
function enqueue(it: Crawl, links: readonly string[], depth: number): void {
  if (depth + 1 > it.depth) return
  for (const link of links) {
    if (it.seen.has(link) || !it.isWanted(link) || trapOf(link) !== null || isOneOfMany(it, link)) continue
    it.seen.add(link)
    it.queue.push([link, depth + 1])
  }
}

/** A calendar, a filter, a session: one path with ever new questions. */
function isOneOfMany({ queriesOfPath }: Crawl, link: string): boolean {
  const { origin, pathname, search } = new URL(link)
  if (search === '') return false
  const count = (queriesOfPath.get(origin + pathname) ?? 0) + 1
  queriesOfPath.set(origin + pathname, count)
  return count > MAX_QUERIES_OF_PATH
}

const documentOf = (id: string, { title, sections }: Page) => ({
  id,
  semantic_identifier: title ?? id,
  sections: linkedTo(id, sections),
})

function noteOf(
  key: string,
  { headers }: PullAnswer,
  found: Pick<Remembered, 'links' | 'hash'>,
): { key: string; value: string } {
  const remembered: Remembered = {
    ...(headers.etag && { etag: headers.etag }),
    ...(headers['last-modified'] && { modified: headers['last-modified'] }),
    ...found,
  }
  return { key, value: JSON.stringify(remembered) }
}

function fileItem(id: string, url: string, answer: PullAnswer, extraction: Extraction): Item {
  const read = textOf(extraction)
  if (read.kind === 'unread') return { type: 'skipped', id, link: url, reason: read.reason }
  // An archive is one document here: its members have no address.
  const all = [...read.sections, ...read.parts.flatMap((it) => it.sections.map((own) => ({ ...own, anchor: null })))]
  const sections = linkedTo(id, all)
  const document = { id, semantic_identifier: read.title ?? nameOf(url), sections }
  return { type: 'document', document, note: noteOf(id, answer, { links: [] }) }
}

function nameOf(url: string): string {
  const name = new URL(url).pathname.split('/').at(-1) || 'file'
  try {
    return decodeURIComponent(name)
  } catch {
    // Not every path is UTF-8.
    return name
  }
}

/** The first rewrite that fits. */
function rewritten({ pull }: Pick<Crawl, 'pull'>, url: string): string {
  const rule = pull.config.url_rewrites?.find((it) => url.startsWith(it.source))
  return rule === undefined ? url : rule.target + url.slice(rule.source.length)
}
