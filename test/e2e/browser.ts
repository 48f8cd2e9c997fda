// A real Chromium over the program under test. What a page must never do fails the test that made it do so: a breach of
// the page's policy, an error in the console, a call to another address, a dialog.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
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
]
const PATIENCE_MS = 30_000

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
const places: (() => Promise<unknown>)[] = []
after(async () => {
  for (const it of places.reverse()) await it()
})

/** The browser on a computer, or on a telephone. */
export const NARROW = 400

/** The pages as they are now, and the program that serves them. Where there is no Chromium nothing is started. */
export async function stage(fill: (server: Server) => Promise<unknown>, env: Record<string, string> = {}) {
  return stageOf(async () => {
    const server = await startServer({ env: { LOG_LEVEL: 'warn', ...env } })
    await fill(server)
    return server
  })
}

/** The same over whatever serves the pages; without a key nobody signs in. */
export async function stageOf(start: () => Promise<{ url: string; key: string | null }>) {
  let place: { url: string; key: string | null } | undefined
  if (chromiumNeeded.skip === undefined) {
    const { status, stderr } = spawnSync(process.execPath, ['web/build.mjs'], { encoding: 'utf8', timeout: 120_000 })
    assert.equal(status, 0, stderr)
    place = await start()
  }
  /** A test in a browser of its own, signed in unless `key` is null. */
  return (name: string, view: View & { key?: string | null }, body: (visit: Visit) => Promise<void>) =>
    test(name, chromiumNeeded, async () => {
      const { url } = place!
      const { key = place!.key, ...rest } = view
      const profile = await mkdtemp(join(tmpdir(), 'pharos-browser-'))
      const context = await open(profile, rest)
      try {
        const faults = await watch(context, url)
        const page = context.pages()[0]!
        page.setDefaultTimeout(PATIENCE_MS)
        if (key !== null) await signIn(page, url, key)
        await body({ page, url })
        assert.deepEqual(faults, [])
      } finally {
        await context.close()
        await rm(profile, { recursive: true, force: true, maxRetries: 5 })
      }
    })
}

const open = (profile: string, { scheme = 'light', width = 1_440 }: View): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, {
    executablePath: spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim(),
    args: FLAGS,
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The browser itself writes a line about every answer that is an error; ours say so on the page. */
const ANSWER_LINE = /^Failed to load resource: the server responded with a status of [45]\d\d/

async function watch(context: BrowserContext, url: string): Promise<string[]> {
  const faults: string[] = []
  // The browser puts it in before the page's own, past the policy of the page.
  await context.addInitScript({ path: axe })
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

async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
}

/** WCAG 2.2 AA and what is good practice, as far as a program can tell. */
export async function assertAccessible(page: Page): Promise<void> {
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()')
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((it) => it.failureSummary + it.html).join(' | ')}`)
  assert.deepEqual(told, [])
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}
