// The time until the search page can be used on a processor that is four times slower than this one.
import type { Server } from '../../test/server.ts'
import { openPlainBrowser, type PlainBrowser } from './plain-browser.ts'

const SLOWER = 4
const TOLD = 'interactive after '

/**
 * The page can be used once the search box is drawn and the page's thread is free to handle a key. It then says so in its
 * title, again and again because the page has a title of its own.
 */
const WATCH = `
  const watch = new MutationObserver(() => {
    if (document.querySelector('input[aria-label="Search"]') === null) return
    watch.disconnect()
    requestAnimationFrame(() => setTimeout(() => {
      const told = '${TOLD}' + performance.now()
      setInterval(() => { document.title = told }, 50)
    }))
  })
  watch.observe(document, { subtree: true, childList: true })
`

/** In milliseconds since the navigation began, with an empty cache and with a filled one. */
export async function interactiveAfter(server: Server, rounds: number): Promise<{ cold: number[]; warm: number[] }> {
  const browser = await openPlainBrowser()
  const cold: number[] = []
  const warm: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const { browserContextId } = await browser.send('Target.createBrowserContext')
      await browser.send('Storage.setCookies', { browserContextId, cookies: [await sessionOf(server)] })
      cold.push(await load(browser, server.url, browserContextId))
      warm.push(await load(browser, server.url, browserContextId))
      await browser.send('Target.disposeBrowserContext', { browserContextId })
    }
  } finally {
    await browser.close()
  }
  return { cold, warm }
}

/** Loads the page in a new tab. */
async function load(
  { send, titleOf }: PlainBrowser,
  url: string,
  browserContextId: string | undefined,
): Promise<number> {
  const tab = { url: 'about:blank', browserContextId, newWindow: true, width: 1_440, height: 900 }
  const { targetId = '' } = await send('Target.createTarget', tab)
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
  await send('Page.enable', {}, sessionId)
  await send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH }, sessionId)
  await send('Emulation.setCPUThrottlingRate', { rate: SLOWER }, sessionId)
  await send('Page.navigate', { url: `${url}/` }, sessionId)
  const ms = Number(await titleOf(targetId, TOLD))
  await send('Target.closeTarget', { targetId })
  return ms
}

async function sessionOf({
  url,
  key,
}: Server): Promise<{ name: string; value: string; url: string; httpOnly: boolean }> {
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'bench' }
  const body = JSON.stringify({ api_key: key })
  const answer = await fetch(`${url}/api/auth/session`, { method: 'POST', headers, body })
  const [name = '', value = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';', 1)[0]?.split('=') ?? []
  if (!answer.ok || value === '') throw new Error(`The sign-in returned ${answer.status}`)
  return { name, value, url, httpOnly: true }
}
