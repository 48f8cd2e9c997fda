// From the gallery to the connector that was made, without a pointer and at 400 % zoom.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { openSite, pageOf } from '../connectors/site.ts'
import { assertFits, openBrowser } from './browser.ts'

/** 1,280 pixels at 400 %. */
const ZOOMED = 320
const MAX_STOPS = 150
const MAX_FRAMES = 30

const site = await openSite()
site.pages.set('/docs', pageOf('Handbook', 'How the heron nests'))

let request: ReturnType<typeof createSetup>
const inBrowser = await openBrowser(
  async (server) => {
    request = createSetup(createRequester(server))
  },
  { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' },
)

const SHOTS = process.env.SHOTS ?? ''
async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS !== '') await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}

for (const [view, width] of [
  ['in a wide window', 1_280],
  ['at 400 % zoom', ZOOMED],
] as const) {
  inBrowser(`a website is connected by keyboard alone, ${view}`, { width }, async ({ page, url }) => {
    await page.goto(`${url}/admin/add-connector`)
    await page.getByRole('heading', { name: 'Connect a source' }).waitFor()
    await assertFits(page)
    await shoot(page, `gallery-${width}`)
    await tabTo(page, 'Search sources')
    await page.keyboard.type('website')
    await page.getByRole('status').getByText('1 source').waitFor({ state: 'attached' })
    await tabTo(page, 'Website')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect a source: Website' }).waitFor()
    await page.getByRole('button', { name: 'Create and start the first run' }).waitFor()
    await tabTo(page, 'Advanced')
    await page.keyboard.press('Enter')
    await assertFits(page)
    await assertAllReached(page)

    await tabTo(page, 'Start address')
    await page.keyboard.type(`${site.url}/docs`)
    await tabTo(page, 'Test the connection')
    await page.keyboard.press('Enter')
    await page.getByText('The connection works').waitFor()
    await page.getByRole('group', { name: 'Preview' }).getByText('Handbook').first().waitFor()
    await assertFits(page)
    await assertAllReached(page)
    await tabTo(page, 'Name')
    await page.keyboard.type(`Handbook ${width}`)
    // A group of choices is one stop, and the arrows choose.
    await tabTo(page, 'Everyone who can sign in')
    await page.keyboard.press('Space')
    await tabTo(page, 'Look for changes')
    await page.keyboard.press('ArrowDown')
    await shoot(page, `keyboard-${width}`)
    await tabTo(page, 'Create and start the first run')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/admin\/connector\/\d+$/)
    await page.getByRole('heading', { name: `Handbook ${width}` }).waitFor()
    await assertFits(page)
    const { connector, access_type } = await request.ok('GET', `/manage/admin/cc-pair/${page.url().split('/').at(-1)}`)
    assert.deepEqual([connector.refresh_freq, access_type], [3_600, 'public'])
  })
}

inBrowser('at 400 % zoom a form with a credential loses nothing', { width: ZOOMED }, async ({ page, url }) => {
  for (const kind of ['github', 'file', 'confluence', 's3']) {
    await page.goto(`${url}/admin/add-connector/${kind}`)
    await page.getByRole('button', { name: 'Create and start the first run' }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    await assertFits(page)
    await assertAllReached(page)
    await shoot(page, `form-320-${kind}`)
  }
})

interface Stop {
  /** The number that the test gave to the element. */
  id: string
  name: string
  /** Why a person cannot see where they are, or an empty text. */
  hidden: string
}

/** Notes how the focused element looks. */
const NOTE_LOOKS = `(() => {
  const looksOf = ({ outline, boxShadow, borderColor, backgroundColor }) => [outline, boxShadow, borderColor, backgroundColor].join()
  window.looks = (it) => [it, it.parentElement, it.nextElementSibling]
    .map((of) => of === null ? '' : looksOf(getComputedStyle(of))).join(' ')
  const it = document.activeElement
  window.last = it === null || it.tabIndex < 0 ? null : { element: it, looks: window.looks(it) }
})()`

/** Numbers the focused element, checks that a person sees it, and that the one before looked different with the focus. */
const FOCUSED = `(() => {
  const it = document.activeElement
  if (it === null || it === document.body) return null
  window.stops ??= 0
  it.dataset.stop ??= String(++window.stops)
  const name = (it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent).trim()
  const box = it.getBoundingClientRect()
  const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1)
  const y = Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1)
  const top = document.elementFromPoint(x, y)
  const last = window.last
  const isSame = last?.element !== it && last?.element.isConnected && window.looks(last.element) === last.looks
  const isOutside = box.right <= 0 || box.left >= innerWidth || box.bottom <= 0 || box.top >= innerHeight
  const isCovered = top !== null && !it.contains(top) && !top.contains(it) && !it.parentElement.contains(top)
  const hidden = isOutside ? 'outside of the window' : isCovered ? 'covered by ' + top.className
    : isSame ? 'not drawn on the stop before: ' + last.element.outerHTML.slice(0, 300) : ''
  return { id: it.dataset.stop, name, hidden }
})()`

/** The styles of a focus are drawn in the frame after it. */
const nextFrame = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** Presses Tab, and says where the focus is; null at the end of the page. */
async function nextStop(page: Page): Promise<Stop | null> {
  await nextFrame(page)
  await page.evaluate(NOTE_LOOKS)
  await page.keyboard.press('Tab')
  const read = () => page.evaluate<Stop | null>(FOCUSED)
  let stop = await read()
  // The window scrolls to the focus, and draws it, some frames later.
  for (let frame = 0; frame < MAX_FRAMES && stop !== null && stop.hidden !== ''; frame++) {
    await nextFrame(page)
    stop = await read()
  }
  if (stop !== null) assert.equal(stop.hidden, '', `the focus on “${stop.name}” can be seen`)
  return stop
}

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = []
  while (seen.length < MAX_STOPS) {
    const stop = await nextStop(page)
    if (stop?.name.startsWith(name)) return
    seen.push(stop?.name ?? 'the end')
  }
  assert.fail(`Tab does not reach “${name}”, only ${seen.join(', ')}`)
}

/** Every control in the page's content that can be used is a stop of Tab, in one round. */
async function assertAllReached(page: Page): Promise<void> {
  const seen = new Set<string>()
  for (let count = 0; count < MAX_STOPS; count++) {
    const stop = await nextStop(page)
    if (stop === null) continue
    if (seen.has(stop.id)) break
    seen.add(stop.id)
  }
  assert.deepEqual(await page.evaluate<string[]>(UNREACHED), [])
}

/** Tab reaches one radio button of a group. */
const UNREACHED = `(() => {
  const groups = new Set([...document.querySelectorAll('input[type=radio][data-stop]')].map((it) => it.name))
  return [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
    .filter((it) => !it.disabled && it.type !== 'file' && it.checkVisibility() && it.dataset.stop === undefined)
    .filter((it) => it.type !== 'radio' || !groups.has(it.name))
    .map((it) => it.outerHTML.slice(0, 300))
})()`
