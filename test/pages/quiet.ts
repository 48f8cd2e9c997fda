// Waits until a page has shown what it asked for.
import type { Page, Request } from 'playwright-core'

/** Source text of a promise that the browser keeps after it has drawn twice. */
export const TWO_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'
const LIMIT_MS = 30_000

/** Counts the requests of a page from now on. The returned function waits until none is on its way and the page is drawn. */
export function watchRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>()
  const onEnd = (it: Request) => void pending.delete(it)
  page.on('request', (it) => void pending.add(it))
  page.on('requestfinished', onEnd).on('requestfailed', onEnd)
  return async () => {
    const end = Date.now() + LIMIT_MS
    for (let quietRounds = 0; quietRounds < 2; ) {
      await page.evaluate(TWO_FRAMES)
      quietRounds = pending.size === 0 ? quietRounds + 1 : 0
      if (Date.now() > end) throw new Error(`still waiting for ${[...pending].map((it) => it.url()).join(' ')}`)
    }
  }
}

const FIRST_TRY_MS = 15_000

/**
 * Waits until the page has loaded everything. The browser does not report the end of all requests of one page in several
 * thousand, although the page is drawn. Such a page is loaded once more.
 */
export async function untilLoaded(page: Page): Promise<void> {
  const isLoaded = await page.waitForLoadState('networkidle', { timeout: FIRST_TRY_MS }).then(
    () => true,
    () => false,
  )
  if (isLoaded) return
  await page.reload()
  await page.waitForLoadState('networkidle')
}
