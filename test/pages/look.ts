// Opens every page, filled and empty, in one view: checks accessibility, and that nothing is wider than the window. With
// `--shots DIR` it writes a picture of each. The views are files of their own, so that they run beside each other.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { assertAccessible, openBrowser, type View } from '../e2e/browser.ts'
import { environment, fill } from './filled.ts'
import { NO_IDS } from './no-ids.ts'
import { EMPTY_STATES, STATES, type State } from './states.ts'

export interface NamedView extends View {
  /** The end of the names of its pictures. */
  name: string
  language: 'en' | 'de'
}

export async function lookAtPages(view: NamedView): Promise<void> {
  let filled = NO_IDS
  // Both start before the first test: what ends with the file ends when all tests so far have ended.
  const inEmpty = await openBrowser(async () => {})
  const inFilled = await openBrowser(async (server) => {
    filled = await fill(server)
  }, environment)
  for (const state of EMPTY_STATES)
    inEmpty(state.name, viewOf(view, state), ({ page, url }) => look(page, url, state.path(filled), state, view))
  for (const state of STATES)
    inFilled(state.name, viewOf(view, state), ({ page, url }) => look(page, url, state.path(filled), state, view))
}

function viewOf({ scheme, width }: View, { key }: State): View & { key?: null } {
  return {
    ...(scheme !== undefined && { scheme }),
    ...(width !== undefined && { width }),
    ...(key !== undefined && { key }),
  }
}

async function look(page: Page, url: string, path: string, state: State, view: NamedView): Promise<void> {
  await page.addInitScript(`localStorage.setItem('pharos-language', '${view.language}')`)
  await state.before?.(page)
  await page.goto(url + path)
  await page.locator('h1:visible, h2:visible, form:visible').first().waitFor()
  await page.waitForLoadState('networkidle')
  await state.act?.(page)
  const folder = process.env.TEST_SHOTS
  if (folder !== undefined && folder !== '') {
    mkdirSync(folder, { recursive: true })
    const name = `${state.name.replaceAll(/[^a-z0-9]{1,80}/gi, '-')}-${view.name}.png`
    await page.screenshot({ path: join(folder, name), fullPage: true })
  }
  await assertAccessible(page)
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  assert.ok(overflow <= 0, `${path} is ${overflow} px wider than the window`)
}
