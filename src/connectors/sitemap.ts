// The addresses that a site lists: sitemaps.org, and indexes of sitemaps.
import { gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { type Pull, SourceError } from './connector.ts'
import { pageUrl } from './crawl-rules.ts'
import type { Robots } from './site-robots.ts'

const MAX_URLS = 50_000
const MAX_SITEMAPS = 1_000
const MAX_BYTES = 50 << 20

interface Sitemap {
  pages: string[]
  sitemaps: string[]
}

/** `base` is a sitemap, or a site that has some. None at all is a `SourceError`. */
export async function listSitemap(fetch: Pull['fetch'], robots: Robots, base: string): Promise<string[]> {
  const given = await readSitemap(fetch, base)
  const start = given ?? { pages: [], sitemaps: await sitemapsOf(robots, base) }
  const pages = new Set(start.pages)
  const queue = [...start.sitemaps]
  const seen = new Set([base])
  for (let at = 0; at < queue.length; at += 1) {
    const url = queue[at]!
    if (seen.has(url)) continue
    seen.add(url)
    if (seen.size > MAX_SITEMAPS) throw tooMany(base, `${MAX_SITEMAPS} sitemaps`)
    const found = await readSitemap(fetch, url)
    for (const it of found?.pages ?? []) pages.add(it)
    queue.push(...(found?.sitemaps ?? []))
    if (pages.size > MAX_URLS) throw tooMany(base, `${MAX_URLS} pages`)
  }
  if (pages.size === 0) {
    throw new SourceError('unexpected', `No URLs found in sitemap ${base}.`, {
      field: 'connector_specific_config.base_url',
    })
  }
  return [...pages]
}

const tooMany = (base: string, what: string) =>
  new SourceError('config', `The sitemaps of ${base} name more than ${what}.`)

async function sitemapsOf(robots: Robots, base: string): Promise<string[]> {
  const { origin } = new URL(base)
  const named = (await robots.sitemaps(origin)).flatMap((it) => pageUrl(it, origin) ?? [])
  return named.length > 0 ? named : [`${origin}/sitemap.xml`]
}

/** Null where there is none: 404, or something else than a sitemap. */
async function readSitemap(fetch: Pull['fetch'], url: string): Promise<Sitemap | null> {
  const { status, body } = await fetch(url, { maxBytes: MAX_BYTES })
  if (status === 404 || status === 410) return null
  if (status !== 200) throw new SourceError('unexpected', `${url} answers ${status}.`, { status })
  const bytes = body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body, { maxOutputLength: MAX_BYTES }) : body
  return parseSitemap(bytes.toString('utf8'), url)
}

export function parseSitemap(xml: string, base: string): Sitemap | null {
  const sitemap: Sitemap = { pages: [], sitemaps: [] }
  const path: string[] = []
  let [isOne, text] = [false, '']
  const parser = new Parser(
    {
      onopentag(name) {
        if (name === 'urlset' || name === 'sitemapindex') isOne = true
        path.push(name)
        text = ''
      },
      ontext(piece) {
        text += piece
      },
      onclosetag(name) {
        path.pop()
        const url = name === 'loc' ? pageUrl(text, base) : null
        if (url !== null && path.at(-1) === 'url') sitemap.pages.push(url)
        if (url !== null && path.at(-1) === 'sitemap') sitemap.sitemaps.push(url)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
  return isOne ? sitemap : null
}
