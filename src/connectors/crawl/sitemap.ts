// Lists the pages of a site from its sitemaps and sitemap indexes (sitemaps.org).
import { type ConnectorContext, SourceError } from '../connector.ts'
import { readXmlList } from '../files/xml-list.ts'
import type { RobotsRules } from './robots.ts'
import { normalizeUrl } from './url-rules.ts'

const MAX_URLS = 50_000
const MAX_SITEMAPS = 1_000
const MAX_BYTES = 50 << 20

export interface ListedPage {
  url: string
  /** When the page changed, in epoch milliseconds; null if the sitemap does not say. */
  modified: number | null
}

interface Sitemap {
  pages: ListedPage[]
  sitemaps: string[]
}

type SitemapContext = Pick<ConnectorContext, 'fetch' | 'extract'>

/** `base` is a sitemap or a site with sitemaps. Rejects with a `SourceError` if no page is found. */
export async function listSitemap(context: SitemapContext, robots: RobotsRules, base: string): Promise<ListedPage[]> {
  const given = await readSitemap(context, base)
  const start = given ?? { pages: [], sitemaps: await findSitemaps(robots, base) }
  const pages = new Map(start.pages.map((it) => [it.url, it]))
  const queue = [...start.sitemaps]
  const seen = new Set([base])
  // The sitemaps that are found are visited, too.
  for (const url of queue) {
    if (seen.has(url)) continue
    seen.add(url)
    if (seen.size > MAX_SITEMAPS) throw tooManyError(base, `${MAX_SITEMAPS} sitemaps`)
    const found = await readSitemap(context, url)
    for (const it of found?.pages ?? []) pages.set(it.url, it)
    queue.push(...(found?.sitemaps ?? []))
    if (pages.size > MAX_URLS) throw tooManyError(base, `${MAX_URLS} pages`)
  }
  if (pages.size === 0) {
    throw new SourceError('unexpected', `No URLs found in sitemap ${base}.`, {
      field: 'connector_specific_config.base_url',
    })
  }
  return [...pages.values()]
}

const tooManyError = (base: string, what: string) =>
  new SourceError('config', `The sitemaps of ${base} list more than ${what}.`)

async function findSitemaps(robots: RobotsRules, base: string): Promise<string[]> {
  const { origin } = new URL(base)
  const declared = (await robots.sitemaps(origin)).flatMap((it) => normalizeUrl(it, origin) ?? [])
  return declared.length > 0 ? declared : [`${origin}/sitemap.xml`]
}

/** Null on 404 or if the response is not a sitemap. */
async function readSitemap(context: SitemapContext, url: string): Promise<Sitemap | null> {
  const { status, body } = await context.fetch(url, { maxBytes: MAX_BYTES })
  if (status === 404 || status === 410) return null
  if (status !== 200) throw new SourceError('unexpected', `${url} returned HTTP ${status}.`, { status })
  const list = await readXmlList(body, context)
  const isOther = list.root !== null && list.root !== 'urlset' && list.root !== 'sitemapindex'
  if (!isOther && list.reason !== null)
    throw new SourceError('unexpected', `The sitemap ${url} is not readable. ${list.reason}`)
  if (isOther || list.root === null) return null
  const entriesOf = (name: string): ListedPage[] =>
    list.records.flatMap(({ name: given, fields }) => {
      const found = given === name ? normalizeUrl(fields.loc ?? '', url) : null
      return found === null ? [] : [{ url: found, modified: timeOf(fields.lastmod) }]
    })
  return { pages: entriesOf('url'), sitemaps: entriesOf('sitemap').map((it) => it.url) }
}

function timeOf(text: string | undefined): number | null {
  const time = text === undefined || text.length > 100 ? Number.NaN : Date.parse(text.trim())
  return Number.isNaN(time) ? null : time
}
