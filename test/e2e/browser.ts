// Runs tests in a real Chromium against the program. A test fails if the page violates its content security policy, logs
// an error, calls another origin or opens a browser dialog.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { needs } from '../needs.ts'
import { type Server, startServer } from '../server.ts'

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
]
const TIMEOUT_MS = 30_000

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
/** One browser process for all tests of a file. Each test has its own context without shared cookies or storage. */
let browser: Promise<Browser> | undefined
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
export async function openBrowserAt(start: () => Promise<{ url: string; key: string | null }>) {
  let place: { url: string; key: string | null } | undefined
  if (chromiumNeeded.skip === undefined) {
    const { status, stderr } = spawnSync(process.execPath, ['web/build.mjs'], { encoding: 'utf8', timeout: 120_000 })
    assert.equal(status, 0, stderr)
    place = await start()
  }
  /** Runs a test in its own browser context, signed in unless `key` is null. */
  return (name: string, view: View & { key?: string | null }, body: (visit: Visit) => Promise<void>) =>
    test(name, chromiumNeeded, async () => {
      const { url } = place!
      const { key = place!.key, ...rest } = view
      const context = await open(rest)
      try {
        const faults = await watch(context, url)
        const page = await context.newPage()
        page.setDefaultTimeout(TIMEOUT_MS)
        if (key !== null) await signIn(page, url, key)
        await body({ page, url })
        assert.deepEqual(faults, [])
      } finally {
        await context.close()
      }
    })
}

async function open({ scheme = 'light', width = 1_440 }: View): Promise<BrowserContext> {
  browser ??= chromium.launch({
    executablePath: spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim(),
    args: FLAGS,
  })
  return (await browser).newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Chromium logs every failed request. These lines are expected, because the page handles the failure. */
const ANSWER_LINE =
  /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED))/

async function watch(context: BrowserContext, url: string): Promise<string[]> {
  const faults: string[] = []
  context.on('weberror', (it) => faults.push(`error: ${it.error().message}`))
  context.on('console', (it) => {
    if (it.type() === 'error' && !ANSWER_LINE.test(it.text())) faults.push(`console: ${it.text()}`)
  })
  context.on('request', (it) => {
    if (!it.url().startsWith(url)) faults.push(`call: ${it.url()}`)
  })
  context.on('dialog', (it) => {
    faults.push(`dialog: ${it.message()}`)
    void it.dismiss()
  })
  return faults
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

/** Checks WCAG 2.2 AA and best practices, as far as axe can. */
export async function assertAccessible(page: Page): Promise<void> {
  // The browser evaluates the script regardless of the content security policy. Pages that are not checked do not load it.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe}\n;undefined`)
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run({ resultTypes: ['violations'] })")
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((it) => it.failureSummary + it.html).join(' | ')}`)
  assert.deepEqual(told, [])
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}
