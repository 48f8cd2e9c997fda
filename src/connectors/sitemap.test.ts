import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { PullAnswer } from './connector.ts'
import type { Robots } from './site-robots.ts'
import { listSitemap, parseSitemap } from './sitemap.ts'

const robots: Robots = { isAllowed: async () => true, sitemaps: async () => [], delayOf: async () => 0 }
const fetching = (pages: Record<string, string | Buffer>) => {
  const asked: string[] = []
  const fetch = async (url: string): Promise<PullAnswer> => {
    asked.push(url)
    const body = pages[url]
    return { status: body === undefined ? 404 : 200, headers: {}, url, body: Buffer.from(body ?? '') }
  }
  return { fetch, asked }
}
const urls = (...list: string[]) => `<urlset>${list.map((it) => `<url><loc>${it}</loc></url>`).join('')}</urlset>`
const index = (...list: string[]) =>
  `<sitemapindex>${list.map((it) => `<sitemap><loc>${it}</loc></sitemap>`).join('')}</sitemapindex>`
const X = 'https://x.example'

test('pages and sitemaps are told apart, entities and CDATA are read, other namespaces are not', () => {
  const xml = `<?xml version="1.0"?><urlset xmlns:image="i"><url><loc> ${X}/a?b=1&amp;c=2 </loc>
    <image:image><image:loc>${X}/picture.png</image:loc></image:image></url>
    <url><loc><![CDATA[${X}/b]]></loc></url></urlset>`
  assert.deepEqual(parseSitemap(xml, X), { pages: [`${X}/a?b=1&c=2`, `${X}/b`], sitemaps: [] })
  assert.equal(parseSitemap('<html><body>not one</body></html>', X), null)
})

test('an index is followed, gzip too, and each sitemap is read once however often it is named', async () => {
  const { fetch, asked } = fetching({
    [`${X}/sitemap.xml`]: index(`${X}/one.xml`, `${X}/two.xml.gz`, `${X}/sitemap.xml`),
    [`${X}/one.xml`]: urls(`${X}/a`, `${X}/b`),
    [`${X}/two.xml.gz`]: gzipSync(urls(`${X}/b`, `${X}/c`)),
  })
  assert.deepEqual(await listSitemap(fetch, robots, `${X}/sitemap.xml`), [`${X}/a`, `${X}/b`, `${X}/c`])
  assert.equal(new Set(asked).size, asked.length)
})

test('a site is asked for those that its robots.txt names, else for the usual one', async () => {
  const pages = { [`${X}/maps/all.xml`]: urls(`${X}/a`), [`${X}/sitemap.xml`]: urls(`${X}/b`), [`${X}/`]: '<html>' }
  const named = { ...robots, sitemaps: async () => [`${X}/maps/all.xml`] }
  assert.deepEqual(await listSitemap(fetching(pages).fetch, named, `${X}/`), [`${X}/a`])
  assert.deepEqual(await listSitemap(fetching(pages).fetch, robots, `${X}/`), [`${X}/b`])
})

test('none at all, and one that does not answer, are errors: no listing is short without a word', async () => {
  await assert.rejects(listSitemap(fetching({}).fetch, robots, X), { message: `No URLs found in sitemap ${X}.` })
  const { fetch } = fetching({ [`${X}/sitemap.xml`]: index(`${X}/one.xml`) })
  const broken = async (url: string) => ({ ...(await fetch(url)), ...(url.endsWith('one.xml') && { status: 403 }) })
  await assert.rejects(listSitemap(broken, robots, `${X}/sitemap.xml`), { message: `${X}/one.xml answers 403.` })
})
