// Opens every page, filled and empty, in one view: checks accessibility, and that nothing is wider than the window. With
// `--shots DIR` it writes a picture of each. The views are files of their own, so that they run beside each other.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { assertAccessible, openBrowser, type View } from '../e2e/browser.ts'
import { environment, type Filled, fill } from './filled.ts'
import { NO_IDS } from './no-ids.ts'
import { untilLoaded } from './quiet.ts'
import { EMPTY_STATES, STATES, type State } from './states.ts'

/** The narrowest window that the pages are made for, in pixels. */
export const NARROWEST = 360

export interface NamedView extends View {
  /** The end of the names of its pictures. */
  name: string
  language: 'en' | 'de'
}

export async function lookAtPages(view: NamedView): Promise<void> {
  // Both start before the first test: what ends with the file ends when all tests so far have ended.
  const inEmpty = await openBrowser(async () => {})
  const { inFilled, ids } = await openFilled()
  for (const state of EMPTY_STATES)
    inEmpty(state.name, viewOf(view, state), ({ page, url }) => look(page, url + state.path(ids()), state, view))
  for (const state of STATES)
    inFilled(state.name, viewOf(view, state), ({ page, url }) => look(page, url + state.path(ids()), state, view))
}

/** The filled service, and its ids once it is filled. */
export async function openFilled() {
  let filled = NO_IDS
  const inFilled = await openBrowser(async (server) => {
    filled = await fill(server)
  }, environment)
  return { inFilled, ids: (): Filled => filled }
}

export function viewOf({ scheme, width }: View, { key }: Pick<State, 'key'>): View & { key?: null } {
  return {
    ...(scheme !== undefined && { scheme }),
    ...(width !== undefined && { width }),
    ...(key !== undefined && { key }),
  }
}

async function look(page: Page, address: string, state: State, view: NamedView): Promise<void> {
  await openState(page, address, state, view)
  await assertAccessible(page)
  await assertFits(page, address)
}

/** Opens the page in its state, and takes a picture if the run is asked for pictures. */
export async function openState(page: Page, address: string, state: State, view: NamedView): Promise<void> {
  await page.addInitScript(`localStorage.setItem('pharos-language', '${view.language}')`)
  await state.before?.(page)
  await page.goto(address)
  await untilLoaded(page)
  await page.locator('h1:visible, h2:visible, form:visible').first().waitFor()
  await state.act?.(page)
  await takePicture(page, `${state.name}-${view.name}`)
}

export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.TEST_SHOTS
  if (folder === undefined || folder === '') return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({
    path: join(folder, `${name.replaceAll(/[^a-z0-9]{1,80}/gi, '-')}.png`),
    fullPage: true,
  })
}

export async function assertFits(page: Page, address: string): Promise<void> {
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  assert.ok(overflow <= 0, `${address} is ${overflow} px wider than the window`)
}
