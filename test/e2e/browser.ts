// Runs tests in a real Chromium against the program. A test fails if the page violates its content security policy, logs
// an error, calls another origin or opens a browser dialog.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Dialog,
  type Locator,
  type Page,
  type Request,
  type WebError,
} from 'playwright-core'
import { needs } from '../needs.ts'
import { TWO_FRAMES } from '../pages/quiet.ts'
import { type Server, startServer } from '../server.ts'
import { WITHOUT_ADDRESS_BAR } from './chromium-flags.ts'
import { recordPageRequests } from './page-requests.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A process for each page costs more processor time than some of the tests.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  WITHOUT_ADDRESS_BAR,
]
const TIMEOUT_MS = 30_000
const STORAGE = 'local_storage,indexeddb,cache_storage,service_workers'

export const SCHEMES = ['light', 'dark'] as const
export interface View {
  scheme?: (typeof SCHEMES)[number]
  width?: number
}

export interface Visit {
  page: Page
  url: string
}

export const chromiumNeeded = needs('chromium')
/**
 * One browser process for all tests of a file, and one context for all tests with the same view, because a new context
 * loads and compiles the scripts again. Cookies and storage are emptied after each test.
 */
let browser: Promise<Browser> | undefined
const contexts = new Map<string, Promise<BrowserContext>>()
after(async () => (await browser)?.close())

/** The width of a phone, in pixels. */
export const NARROW = 400

/** Builds the pages and starts the program. Starts nothing without Chromium. */
export async function openBrowser(fill: (server: Server) => Promise<unknown>, env: Record<string, string> = {}) {
  return openBrowserAt(async () => {
    const server = await startServer({ env: { LOG_LEVEL: 'warn', ...env } })
    await fill(server)
    return server
  })
}

/** Like `openBrowser`, for any server of the pages. Without a key the tests do not sign in. */
export async function openBrowserAt(
  start: () => Promise<{ url: string; key: string | null }>,
  // Null where an imitation of the program answers: its requests prove nothing.
  record: typeof recordPageRequests | null = recordPageRequests,
) {
  let place: { url: string; key: string | null } | undefined
  if (chromiumNeeded.skip === undefined) {
    const { status, stderr } = spawnSync(process.execPath, ['web/build.mjs'], { encoding: 'utf8', timeout: 120_000 })
    assert.equal(status, 0, stderr)
    place = await start()
  }
  /** Runs a test on a new page without cookies and storage, signed in unless `key` is null. */
  return (name: string, view: View & { key?: string | null }, body: (visit: Visit) => Promise<void>) =>
    test(name, chromiumNeeded, async () => {
      const { url } = place!
      const { key = place!.key, ...rest } = view
      const context = await open(rest, url)
      const { faults, stop } = watch(context, url)
      const records = record?.(context, url)
      try {
        const page = await context.newPage()
        page.setDefaultTimeout(TIMEOUT_MS)
        if (key !== null) await signIn(page, url, key)
        await body({ page, url })
        assert.deepEqual(faults, [])
      } finally {
        stop()
        records?.stop()
        await empty(context, url)
      }
    })
}

function open({ scheme = 'light', width = 1_440 }: View, url: string): Promise<BrowserContext> {
  const key = `${url} ${scheme} ${width}`
  const context = contexts.get(key) ?? openContext(url, scheme, width)
  contexts.set(key, context)
  return context
}

async function openContext(url: string, scheme: (typeof SCHEMES)[number], width: number): Promise<BrowserContext> {
  browser ??= chromium.launch({
    executablePath: spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim(),
    args: FLAGS,
  })
  const context = await (await browser).newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
  // This page stays open, so that the process with the compiled scripts does not end with the page of a test.
  await (await context.newPage()).goto(`${url}/favicon.svg`)
  return context
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Chromium logs every failed request. These lines are expected, because the page handles the failure. */
const ANSWER_LINE =
  /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED))/

/** Files of the browser itself, such as those of its viewer for PDFs. */
const OWN_PARTS = /^chrome(?:-extension)?:\/\//

function watch(context: BrowserContext, url: string): { faults: string[]; stop(): void } {
  const faults: string[] = []
  const onError = (it: WebError) => void faults.push(`error: ${it.error().message}`)
  const onLine = (it: ConsoleMessage) => {
    if (it.type() === 'error' && !ANSWER_LINE.test(it.text())) faults.push(`console: ${it.text()}`)
  }
  const onRequest = (it: Request) => {
    if (!it.url().startsWith(url) && !OWN_PARTS.test(it.url())) faults.push(`call: ${it.url()}`)
  }
  const onDialog = (it: Dialog) => {
    faults.push(`dialog: ${it.message()}`)
    void it.dismiss()
  }
  context.on('weberror', onError).on('console', onLine).on('request', onRequest).on('dialog', onDialog)
  const stop = () =>
    void context.off('weberror', onError).off('console', onLine).off('request', onRequest).off('dialog', onDialog)
  return { faults, stop }
}

/** Leaves the first page and the scripts that the browser has compiled. */
async function empty(context: BrowserContext, url: string): Promise<void> {
  const [first, ...others] = context.pages()
  for (const it of others) await it.close()
  const session = await context.newCDPSession(first!)
  await session.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: STORAGE })
  await session.detach()
  await context.clearCookies()
  await context.setOffline(false)
}

/** Signs in through the API; test/e2e/sign-in.test.ts tests the page. */
async function signIn(page: Page, url: string, key: string): Promise<void> {
  const answer = await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: key },
    headers: { 'x-requested-with': 'test' },
  })
  assert.ok(answer.ok(), `${answer.status()} ${await answer.text()}`)
  await page.goto(url)
  await page.waitForURL(`${url}/`)
}

/** Presses the button while the requests fail, because the page also asks again by itself. Then it lets them pass. */
export async function tryAgain(page: Page, alert: Locator, failing: string): Promise<void> {
  const again = page.waitForEvent('requestfailed')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await again
  await page.unroute(failing)
}

/** Checks WCAG 2.2 AA and best practices, as far as axe can. */
export async function assertAccessible(page: Page): Promise<void> {
  // The browser evaluates the script regardless of the content security policy. Pages that are not checked do not load it.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe}\n;undefined`)
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run({ resultTypes: ['violations'] })")
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((it) => it.failureSummary + it.html).join(' | ')}`)
  assert.deepEqual(told, [])
}

const FITTING_MS = 5_000

/** Returns what still overflows after a while; 0 or less: nothing. The page evaluates no strings by itself, so it cannot wait. */
export async function waitUntilFits(page: Page, overflow: () => Promise<number>): Promise<number> {
  const end = Date.now() + FITTING_MS
  for (;;) {
    const left = await overflow()
    if (left <= 0 || Date.now() > end) return left
    await page.evaluate(TWO_FRAMES)
  }
}

/** Waits until nothing is wider than the window. Pages that ask for its width in script need a moment after it changed. */
export async function assertFits(page: Page, name = 'the page'): Promise<void> {
  const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const [left, width] = [await waitUntilFits(page, overflow), await page.evaluate<number>('innerWidth')]
  assert.ok(left <= 0, `${name} is ${left} px wider than the window of ${width} px`)
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}
