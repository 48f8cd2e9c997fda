// The memory of the pages after long use. Requests per key press are in search.test.ts, the layout shift in
// search-results.test.ts, and the bytes of the first page in test/api/web-pages.test.ts. Times are in bench/pages.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { settled } from '../server.ts'
import { openBrowser } from './browser.ts'

const CHANGES = 200
const LINKS = '.admin-nav a'
/**
 * Code that the browser compiles late, data that a page keeps for its next visit, and the trees of two or three pages that
 * React or the browser frees later. A page that keeps its tree at each visit exceeds it many times.
 */
const ALLOWED = { bytes: 4 * 2 ** 20, nodes: 1_500, listeners: 400 }
const MOMENTS = 5
const MOMENT_MS = 500

const inBrowser = await openBrowser(async (server) => {
  const { push } = createSetup(createRequester(server))
  for (let at = 0; at < 30; at++) await push(documentOf(`Heron ${at} nests by the lake.`, { id: `heron-${at}` }))
  await settled(server)
})

inBrowser('200 page changes of an administrator leave nothing in memory', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/overview`)
  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link').first().waitFor()
  const hrefs = await page.evaluate<string[]>(
    `[...document.querySelectorAll('${LINKS}')].map((it) => it.getAttribute('href'))`,
  )
  assert.ok(hrefs.length > 20, `${hrefs.length} pages`)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  // The first round loads the scripts of all pages, and the second fills the caches of what the pages read.
  for (const href of [...hrefs, ...hrefs, hrefs[0]!]) await change(page, href)
  const before = await held(session)
  for (let at = 1; at < CHANGES; at++) await change(page, hrefs[at % hrefs.length]!)
  await change(page, hrefs[0]!)
  const after = await held(session)
  const grown = {
    bytes: after.bytes - before.bytes,
    nodes: after.nodes - before.nodes,
    listeners: after.listeners - before.listeners,
  }
  const told = `held ${JSON.stringify(before)}, then ${JSON.stringify(after)}`
  for (const name of ['bytes', 'nodes', 'listeners'] as const) assert.ok(grown[name] <= ALLOWED[name], told)
})

/** Follows a link of the navigation, in the page, and waits until the new page has its data. */
async function change(page: Page, href: string): Promise<void> {
  await page.evaluate(`document.querySelector('${LINKS}[href="${href}"]').click()`)
  await page.waitForURL((it) => it.pathname.startsWith(href))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.getByRole('main').getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

/** Collects all garbage. Returns the least of some moments, because requests of the page end meanwhile. */
async function held(session: CDPSession) {
  const least = { bytes: Infinity, nodes: Infinity, listeners: Infinity }
  for (let time = 0; time < MOMENTS; time++) {
    await delay(MOMENT_MS)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const { metrics } = await session.send('Performance.getMetrics')
    const metric = (name: string) => metrics.find((it) => it.name === name)!.value
    least.bytes = Math.min(least.bytes, usedSize)
    least.nodes = Math.min(least.nodes, metric('Nodes'))
    least.listeners = Math.min(least.listeners, metric('JSEventListeners'))
  }
  return least
}
