// The time from the key press of the last letter of a query to its results in the page.
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { BenchBrowser } from './bench-browser.ts'

const WARM_UP = 5
const QUERIES = 50
/** The last letters of a query are typed, and the ones before them are pasted. */
const TYPED = 4
/** The interval of a fast typist. */
const KEY_APART_MS = 120
/** The results are complete when they have not changed for this long. A last letter that changes nothing is not measured. */
const SETTLED_MS = 500

/** Notes when the last key was pressed, and when the results last changed after it. */
const WATCH = `
  window.noted = { at: 0, shown: null }
  addEventListener('keydown', (event) => { window.noted = { at: event.timeStamp, shown: null } }, true)
  let before = ''
  new MutationObserver(() => {
    const now = document.querySelector('ol.results')?.textContent ?? ''
    if (now === before) return
    before = now
    window.noted.shown = performance.now()
  }).observe(document, { subtree: true, childList: true, characterData: true })
`

export async function resultsAfter(browser: BenchBrowser, queries: readonly string[]): Promise<number[]> {
  const page = await browser.open(WATCH)
  await page.goto(browser.url)
  const times: number[] = []
  for (const query of queries) {
    const ms = await timeOf(page, query)
    if (ms !== null) times.push(ms)
    if (times.length === QUERIES + WARM_UP) break
  }
  await page.context().close()
  return times.slice(WARM_UP)
}

async function timeOf(page: Page, query: string): Promise<number | null> {
  const box = page.getByRole('textbox', { name: 'Search' })
  await box.fill(query.slice(0, -TYPED))
  await delay(KEY_APART_MS)
  await box.pressSequentially(query.slice(-TYPED), { delay: KEY_APART_MS })
  await page.locator('.search-list[aria-busy=false]').waitFor()
  await delay(SETTLED_MS)
  return page.evaluate<number | null>('noted.shown === null ? null : noted.shown - noted.at')
}
