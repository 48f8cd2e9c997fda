import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { extracting as extract } from '../../../test/extract/open-extractor.ts'
import type { SourceResponse } from '../connector.ts'
import type { RobotsRules } from './robots.ts'
import { listSitemap } from './sitemap.ts'

const robots: RobotsRules = { isAllowed: async () => true, sitemaps: async () => [], crawlDelay: async () => 0 }
const fetching = (pages: Record<string, string | Buffer>) => {
  const asked: string[] = []
  const fetch = async (url: string): Promise<SourceResponse> => {
    asked.push(url)
    const body = pages[url]
    return { status: body === undefined ? 404 : 200, headers: {}, url, body: Buffer.from(body ?? '') }
  }
  return { fetch, asked }
}
const urls = (...list: string[]) => `<urlset>${list.map((it) => `<url><loc>${it}</loc></url>`).join('')}</urlset>`
const index = (...list: string[]) =>
  `<sitemapindex>${list.map((it) => `<sitemap><loc>${it}</loc></sitemap>`).join('')}</sitemapindex>`
const addresses = async (...given: Parameters<typeof listSitemap>) => (await listSitemap(...given)).map((it) => it.url)
const X = 'https://x.example'

test('pages and sitemaps are distinguished; entities and CDATA are decoded, other namespaces ignored', async () => {
  const xml = `<?xml version="1.0"?><urlset xmlns:image="i"><url><loc> ${X}/a?b=1&amp;c=2 </loc>
    <image:image><image:loc>${X}/picture.png</image:loc></image:image></url>
    <url><loc><![CDATA[${X}/b]]></loc></url></urlset>`
  const { fetch } = fetching({ [X]: xml })
  assert.deepEqual(await addresses({ fetch, extract }, robots, X), [`${X}/a?b=1&c=2`, `${X}/b`])
  const page = fetching({ [X]: '<html><body>not one', [`${X}/sitemap.xml`]: urls(`${X}/c`) })
  assert.deepEqual(await addresses({ fetch: page.fetch, extract }, robots, X), [`${X}/c`])
})

test('a page has the time that the sitemap says, if it is a time', async () => {
  const page = (name: string, time: string) => `<url><loc>${X}/${name}</loc><lastmod>${time}</lastmod></url>`
  const times = [page('a', '2024-02-03'), page('b', ' 2024-02-03T04:05:06+01:00 '), page('c', 'yesterday')]
  const { fetch } = fetching({ [X]: `<urlset>${times.join('')}<url><loc>${X}/d</loc></url></urlset>` })
  assert.deepEqual(await listSitemap({ fetch, extract }, robots, X), [
    { url: `${X}/a`, modified: Date.UTC(2024, 1, 3) },
    { url: `${X}/b`, modified: Date.UTC(2024, 1, 3, 3, 5, 6) },
    { url: `${X}/c`, modified: null },
    { url: `${X}/d`, modified: null },
  ])
})

test('sitemap indexes and gzip are followed, and each sitemap is read once', async () => {
  const { fetch, asked } = fetching({
    [`${X}/sitemap.xml`]: index(`${X}/one.xml`, `${X}/two.xml.gz`, `${X}/sitemap.xml`),
    [`${X}/one.xml`]: urls(`${X}/a`, `${X}/b`),
    [`${X}/two.xml.gz`]: gzipSync(urls(`${X}/b`, `${X}/c`)),
  })
  assert.deepEqual(await addresses({ fetch, extract }, robots, `${X}/sitemap.xml`), [`${X}/a`, `${X}/b`, `${X}/c`])
  assert.equal(new Set(asked).size, asked.length)
})

test('sitemaps come from robots.txt, otherwise from /sitemap.xml', async () => {
  const pages = { [`${X}/maps/all.xml`]: urls(`${X}/a`), [`${X}/sitemap.xml`]: urls(`${X}/b`), [`${X}/`]: '<html>' }
  const named = { ...robots, sitemaps: async () => [`${X}/maps/all.xml`] }
  assert.deepEqual(await addresses({ ...fetching(pages), extract }, named, `${X}/`), [`${X}/a`])
  assert.deepEqual(await addresses({ ...fetching(pages), extract }, robots, `${X}/`), [`${X}/b`])
})

test('a missing or unreachable sitemap is an error', async () => {
  await assert.rejects(listSitemap({ ...fetching({}), extract }, robots, X), {
    message: `No URLs found in sitemap ${X}.`,
  })
  const { fetch } = fetching({ [`${X}/sitemap.xml`]: index(`${X}/one.xml`) })
  const broken = async (url: string) => ({ ...(await fetch(url)), ...(url.endsWith('one.xml') && { status: 403 }) })
  await assert.rejects(listSitemap({ fetch: broken, extract }, robots, `${X}/sitemap.xml`), {
    message: `${X}/one.xml returned HTTP 403.`,
  })
})

test('a sitemap that is nested a million levels or decompresses to gigabytes is refused with a reason', async () => {
  const nested = { fetch: fetching({ [X]: `<urlset>${'<a>'.repeat(1_000_000)}` }).fetch, extract }
  await assert.rejects(listSitemap(nested, robots, X), {
    message: `The sitemap ${X} is not readable. The file exceeds the limit "nesting".`,
  })
  const bomb = gzipSync(`<urlset>${' '.repeat(200 << 20)}</urlset>`)
  const packed = { fetch: fetching({ [X]: bomb }).fetch, extract }
  await assert.rejects(listSitemap(packed, robots, X), /The sitemap .* is not readable\. The file exceeds the limit /)
})
