// Hostile content of a source does not block the service: it is read in processes that are killed at their limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startWithConnectors } from './setup.ts'
import { openSite, pageOf } from './site.ts'

const { ok, ask } = await startWithConnectors()

/** Read in the main process, these texts blocked it for minutes. A busy machine may need seconds for any request. */
const OUTER_LIMIT_MS = 10_000

/** Returns the preview and checks the longest response time of /health meanwhile. */
async function previewed(connector_specific_config: object) {
  let slowest = 0
  let asked = 0
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      const since = performance.now()
      assert.equal((await ask('GET', '/health', { key: null })).status, 200)
      slowest = Math.max(slowest, performance.now() - since)
      asked++
    }
  })()
  const preview = await ok('POST', '/manage/admin/connector/preview', {
    body: { source: 'web', connector_specific_config },
  })
  isDone = true
  await watching
  assert.ok(asked > 0 && slowest < OUTER_LIMIT_MS, `/health took ${Math.round(slowest)} ms`)
  return preview
}

const MILLION = 1_000_000
const SITEMAPS: [what: string, body: string | Buffer, reason: RegExp][] = [
  ['nests a million times', `<urlset>${'<url>'.repeat(MILLION)}`, /exceeds the limit "nesting"\./],
  ['unpacks to a quarter of a gigabyte', gzipSync(`<urlset>${' '.repeat(250 * MILLION)}`), /exceeds the limit /],
]
for (const [what, body, reason] of SITEMAPS)
  test(`a sitemap that ${what} is refused with its reason`, { timeout: 300_000 }, async () => {
    const site = await openSite()
    site.pages.set('/sitemap.xml', { headers: { 'content-type': 'application/xml' }, body })
    const preview = await previewed({ base_url: `${site.url}/sitemap.xml`, web_connector_type: 'sitemap' })
    assert.match(preview.error, reason)
  })

test('a page nested a million levels is truncated or skipped with a reason, and other pages are read', async () => {
  const site = await openSite()
  site.pages.set('/', pageOf('Home', 'home', ['/deep', '/links', '/other']))
  site.pages.set('/deep', { body: `<!doctype html><title>Deep</title><p>before</p>${'<div>'.repeat(MILLION)}` })
  site.pages.set('/links', {
    body: `<!doctype html><title>Links</title>${'<p><a href="?x">Next</a>'.repeat(MILLION / 4)}`,
  })
  site.pages.set('/other', pageOf('Other', 'the other page'))
  const { documents, skipped } = await previewed({ base_url: site.url })
  const named = [...documents.map((it: { semantic_identifier: string }) => it.semantic_identifier)]
  for (const it of ['Home', 'Other']) assert.ok(named.includes(it), `${named}`)
  assert.equal(documents.length + skipped.length >= 4, true, JSON.stringify({ named, skipped }))
})
