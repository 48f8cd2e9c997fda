// Opens every dialog and every menu of every page with the keyboard: it is accessible in light and dark, fits a window of
// any width, and Escape gives the focus back to its button. No request that changes something reaches the service.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../e2e/browser.ts'
import { NARROWEST, openFilled, takePicture } from './look.ts'
import { pressAll, refuseChanges } from './press-all.ts'
import { watchRequests } from './quiet.ts'
import { STATES } from './states.ts'
import { findOpened, type Opened, overflowOfOpened, strayFocus, type Trigger, takesFocus } from './triggers.ts'

const WIDE = 1_440
/** Dialogs of other rows and other pages with the same title look the same. */
const lookedAt = new Set<string>()
const found = { dialog: 0, menu: 0 }

const { inFilled, ids } = await openFilled()
for (const state of STATES.filter((it) => it.before === undefined && it.act === undefined && it.key !== null))
  inFilled(`dialogs and menus of ${state.name}`, {}, async ({ page, url }) => {
    const faults: string[] = []
    const address = url + state.path(ids())
    const settle = watchRequests(page)
    const open = async () => {
      await page.goto(address)
      await page.locator('h1:visible, h2:visible, form:visible').first().waitFor()
      await settle()
      // Some addresses open a dialog.
      if ((await findOpened(page)) !== null) await page.keyboard.press('Escape')
    }
    /** Some buttons open a dialog of another page. */
    const isSamePage = () => new URL(page.url()).pathname === new URL(address).pathname
    const onOpened = async (trigger: Trigger, opened: Opened) => {
      const name = `${opened.role} "${opened.title}" of ${trigger.key}`
      const some = (await takesFocus(page)) ? [] : ['it does not take the focus']
      some.push(...(await lookOnce(page, settle, trigger, opened)), ...(await measure(page)))
      // A part of a page that a narrow window does not have takes its dialogs with it.
      const isOpen = (await findOpened(page)) !== null
      await page.keyboard.press('Escape')
      if (!(await isClosed(page))) some.push('it does not close on Escape')
      else if (isOpen && isSamePage()) some.push(...(await strayFocus(page, trigger)))
      faults.push(...some.map((it) => `${name}: ${it}`))
    }
    await refuseChanges(page, 'Nothing changes in this test.')
    await pressAll({ page, open, settle, onOpened, perKind: 1 })
    assert.deepEqual(faults, [])
  })

inFilled('a button that closes a dialog gives the focus back', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/groups`)
  const opener = page.getByRole('button', { name: 'New group' })
  await opener.press('Enter')
  await page.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  await page.locator('button:focus').getByText('New group').waitFor()
})

inFilled('dialogs and menus were found', { key: null }, async () => {
  assert.ok(found.dialog >= 40, `only ${found.dialog} dialogs`)
  assert.ok(found.menu >= 2, `only ${found.menu} menus`)
})

async function lookOnce(
  page: Page,
  settle: () => Promise<void>,
  trigger: Trigger,
  { role, title }: Opened,
): Promise<string[]> {
  // A title may quote what it is about.
  const kind = `${role} ${role === 'menu' ? trigger.key : title.replace(/[“"„].{0,500}/, '')}`
  if (lookedAt.has(kind)) return []
  lookedAt.add(kind)
  found[role] += 1
  await takePicture(page, kind)
  const faults: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await settle()
    await assertAccessible(page).catch((error: Error) => faults.push(`${colorScheme}: ${error.message}`))
  }
  return faults
}

const isClosed = (page: Page): Promise<boolean> =>
  page
    .locator('dialog[open]:visible, [role=menu]:visible')
    .first()
    .waitFor({ state: 'detached', timeout: 10_000 })
    .then(
      () => true,
      () => false,
    )

async function measure(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const width of [NARROWEST, WIDE]) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await overflowOfOpened(page)
    if (overflow > 0) faults.push(`it is ${overflow} px larger than a window of ${width} px`)
  }
  return faults
}
