// A real Chromium with an empty profile, whose pages are signed in.
import { spawnSync } from 'node:child_process'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Server } from '../../test/server.ts'
import { FLAGS } from './plain-browser.ts'

const VIEWPORT = { width: 1_440, height: 900 }
const TIMEOUT_MS = 120_000

export interface BenchBrowser {
  url: string
  /** A signed-in page with empty caches, which runs the script before its own. */
  open(script?: string): Promise<Page>
  close(): Promise<void>
}

/** Null if Chromium is not installed. */
export async function openBenchBrowser({ url, key }: Server): Promise<BenchBrowser | null> {
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  if (executablePath === '') return null
  const { status, stderr } = spawnSync(process.execPath, ['web/build.mjs'], { encoding: 'utf8', timeout: 120_000 })
  if (status !== 0) throw new Error(`The pages could not be built: ${stderr}`)
  const browser = await chromium.launch({ executablePath, args: FLAGS })
  return {
    url,
    async open(script = '') {
      const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' })
      if (script !== '') await context.addInitScript(script)
      await signIn(context, url, key)
      const page = await context.newPage()
      page.setDefaultTimeout(TIMEOUT_MS)
      return page
    },
    close: () => browser.close(),
  }
}

async function signIn(context: BrowserContext, url: string, key: string): Promise<void> {
  const headers = { 'x-requested-with': 'bench' }
  const answer = await context.request.post(`${url}/api/auth/session`, { data: { api_key: key }, headers })
  if (!answer.ok()) throw new Error(`The sign-in returned ${answer.status()}`)
}
