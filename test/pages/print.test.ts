// Opens every page as paper shows it: without navigation and buttons, black on white, and no wider than the page.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { openBrowser } from '../e2e/browser.ts'
import { environment, fill } from './filled.ts'
import { NO_IDS } from './no-ids.ts'
import { untilLoaded } from './quiet.ts'
import { STATES, type State } from './states.ts'

/** A4 between its margins, in pixels. */
const PAPER = 688

let filled = NO_IDS
let chat = ''
const inBrowser = await openBrowser(async (server) => {
  filled = await fill(server)
  const message = 'How many days of annual leave do I have in France?'
  const { ok } = createSetup(createRequester(server))
  chat = (await ok('POST', '/chat/send-chat-message', { body: { message, stream: false } })).chat_session_id
}, environment)

const OWN_CHAT: State = { name: 'chat answer', path: () => `/chat/${chat}` }
const PRINTED = STATES.filter((it) => it.key !== null && it.before === undefined && it.act === undefined)

for (const state of [...PRINTED, OWN_CHAT]) {
  inBrowser(`printed: ${state.name}`, { scheme: 'dark', width: PAPER }, async ({ page, url }) => {
    await page.goto(url + state.path(filled))
    await untilLoaded(page)
    await page.locator('h1:visible, h2:visible, form:visible').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    await picture(page, state)
    assert.deepEqual(await page.evaluate(SHOWN), [])
    assert.deepEqual(await page.evaluate(CUT), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PAPER)
    assert.deepEqual(await page.evaluate(PALE), [])
  })
}

/** Writes the page as a picture and as PDF. */
async function picture(page: Page, { name }: State): Promise<void> {
  const folder = process.env.TEST_SHOTS
  if (folder === undefined || folder === '') return
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name.replaceAll(/[^a-z0-9]{1,80}/gi, '-')}-print`)
  await page.screenshot({ path: `${path}.png`, fullPage: true })
  await page.pdf({ path: `${path}.pdf`, format: 'A4' })
}

const ALL = "[...document.querySelectorAll('body *:not(.sr-only)')].filter((it) => it.checkVisibility())"
const NAME = 'it.tagName.toLowerCase() + "." + it.className + " " + it.textContent.slice(0, 40)'

/** Elements that paper cannot use. A name that opens something is a button and content. */
const SHOWN = `${ALL}.filter((it) => it.matches('nav, button:not(.link-button), a[data-button], a[data-variant], [role=menu]'))
  .map((it) => ${NAME})`

/** Elements that are wider than the page, or cut off what they hold. */
const CUT = `${ALL}.filter((it) => {
  const { overflowX, overflowY } = getComputedStyle(it)
  const isText = it.textContent.trim() !== '' && it.clientWidth > 1
  const isCut = isText && overflowX !== 'visible' && it.scrollWidth > it.clientWidth + 1
  const isLow = ['auto', 'scroll'].includes(overflowY) && it.scrollHeight > it.clientHeight + 1
  return it.getBoundingClientRect().right > innerWidth + 1 || isCut || isLow
}).map((it) => ${NAME})`

/** Texts that are not dark, whatever the scheme of the screen. Texts on a colour of their own are not looked at. */
const PALE = `${ALL}.filter((it) => [...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  .filter((it) => {
    const [red, green, blue] = getComputedStyle(it).color.match(/[\\d.]+/g).map(Number)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 130
  })
  .map((it) => ${NAME})`
