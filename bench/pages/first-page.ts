// The time until the search page can be used on a processor that is four times slower than this one.
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { BenchBrowser } from './bench-browser.ts'

const SLOWER = 4
const POLL_MS = 50

/** The page can be used once the search box is drawn and the page's thread is free to handle a key. */
const WATCH = `
  window.interactiveAt = null
  const watch = new MutationObserver(() => {
    if (document.querySelector('input[aria-label="Search"]') === null) return
    watch.disconnect()
    requestAnimationFrame(() => setTimeout(() => { window.interactiveAt = performance.now() }))
  })
  watch.observe(document, { subtree: true, childList: true })
`

/** In milliseconds since the navigation began, with an empty cache and with a filled one. */
export async function interactiveAfter(
  browser: BenchBrowser,
  rounds: number,
): Promise<{ cold: number[]; warm: number[] }> {
  const cold: number[] = []
  const warm: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await browser.open(WATCH)
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    cold.push(await load(page, browser.url))
    warm.push(await load(page, browser.url))
    await page.context().close()
  }
  return { cold, warm }
}

async function load(page: Page, url: string): Promise<number> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.getByRole('textbox', { name: 'Search' }).waitFor()
  const noted = () => page.evaluate<number | null>('interactiveAt')
  for (;;) {
    const ms = await noted()
    if (ms !== null) return ms
    await delay(POLL_MS)
  }
}
