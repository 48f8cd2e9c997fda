// Finds the buttons of a page that may open a dialog or a menu, and describes what is open. The scripts run in the page.
import type { Page } from 'playwright-core'
import { waitUntilFits } from '../e2e/browser.ts'

export interface Trigger {
  mark: string
  /** The same for the buttons that stand in each row of a table. */
  key: string
}

export interface Opened {
  title: string
  role: 'dialog' | 'menu'
  items: string[]
}

const MARK = 'data-test-trigger'

/** A submit button sends a request; buttons of the header that open nothing change the colours and end the session. */
const COLLECT = `(() => {
  const buttons = [...document.querySelectorAll('main button:not([type=submit]), .shell-header button[aria-haspopup]')]
  for (const it of document.querySelectorAll('[${MARK}]')) it.removeAttribute('${MARK}')
  const outermostRow = (it) => {
    let row = null
    for (let at = it.closest('tr, li, article'); at !== null; at = at.parentElement.closest('tr, li, article')) row = at
    return row
  }
  const keyOf = (it) => {
    const around = (outermostRow(it) ?? it).parentElement.closest('section, fieldset, form, .card')
    const heading = around?.querySelector('h2, h3, legend')?.textContent ?? ''
    return heading + ' / ' + (it.innerText.trim() || it.querySelector('svg')?.innerHTML || it.className)
  }
  return buttons
    .filter((it) => it.checkVisibility() && !it.disabled && it.closest('[role=menu]') === null)
    .map((it, at) => {
      it.setAttribute('${MARK}', at)
      return { mark: String(at), key: keyOf(it) }
    })
})()`

const OPENED = `(() => {
  const it =
    document.querySelector('dialog[open]') ??
    [...document.querySelectorAll('[role=menu], [role=dialog]')].find((it) => it.checkVisibility())
  if (it === undefined) return null
  const labelled = document.getElementById(it.getAttribute('aria-labelledby') ?? '')
  const items = [...it.querySelectorAll('[role=menuitem]:not([data-disabled], [disabled])')]
  return {
    title: it.getAttribute('aria-label') ?? labelled?.textContent ?? '',
    role: it.getAttribute('role') === 'menu' ? 'menu' : 'dialog',
    items: items.map((it) => it.textContent),
  }
})()`

/** By how many pixels what is open leaves the window, or its content leaves it. 0 if nothing is open. */
const OVERFLOW = `(() => {
  const it =
    document.querySelector('dialog[open]') ??
    [...document.querySelectorAll('[role=menu], [role=dialog]')].find((it) => it.checkVisibility())
  if (it === undefined) return 0
  const { left, right, top, bottom } = it.getBoundingClientRect()
  const isTall = it.matches('dialog') && (top < 0 || bottom > innerHeight + 1)
  return Math.max(-left, right - innerWidth, it.scrollWidth - it.clientWidth, isTall ? bottom - innerHeight : 0)
})()`

export const collectTriggers = (page: Page): Promise<Trigger[]> => page.evaluate(COLLECT)

export const findOpened = (page: Page): Promise<Opened | null> => page.evaluate(OPENED)

/** A menu moves to its place after the window has changed its size; what overflows then, overflows for good. */
export async function overflowOfOpened(page: Page): Promise<number> {
  return waitUntilFits(page, () => page.evaluate<number>(OVERFLOW))
}

/** As a person with a keyboard does it. A page that has drawn its buttons again since has lost their marks. */
export async function press(page: Page, { mark }: Trigger): Promise<void> {
  const button = page.locator(`[${MARK}="${mark}"]`)
  await button.focus({ timeout: 5_000 }).catch(async () => {
    await collectTriggers(page)
    await button.focus()
  })
  await page.keyboard.press('Enter')
}

/** Whether what is open takes the focus. Until then it does not see the keys. */
export const takesFocus = (page: Page): Promise<boolean> =>
  page
    .locator(':is(dialog[open], [role=menu], [role=dialog]):is(:focus, :focus-within)')
    .first()
    .waitFor({ timeout: 10_000 })
    .then(
      () => true,
      () => false,
    )

/** Tells where the focus is, unless it is on the button. A menu gives it back a moment after it has closed. */
export const strayFocus = (page: Page, { mark }: Trigger): Promise<string[]> =>
  page
    .locator(`[${MARK}="${mark}"]:focus`)
    .waitFor({ timeout: 10_000 })
    .then(
      () => [],
      async () => [`it leaves the focus on ${await page.evaluate('document.activeElement.outerHTML.slice(0, 160)')}`],
    )
