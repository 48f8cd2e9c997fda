// Presses the buttons of a page one after the other, with the keyboard, and tells what opened.
import type { Page } from 'playwright-core'
import { collectTriggers, findOpened, type Opened, press, type Trigger } from './triggers.ts'

export interface Walk {
  page: Page
  /** Opens the page, at the start and after a button that led to another one. */
  open: () => Promise<void>
  settle: () => Promise<void>
  /** Looks at what is open, and closes it. */
  onOpened: (trigger: Trigger, opened: Opened) => Promise<void>
  /** How many buttons are pressed of those that stand in each row of a table. */
  perKind: number
}

/** A button may show further buttons. */
const MAX_PRESSES = 60

export async function pressAll(walk: Walk): Promise<void> {
  await walk.open()
  const pressed = new Map<string, number>()
  for (let count = 0; count < MAX_PRESSES; count += 1) {
    const trigger = nextTrigger(await collectTriggers(walk.page), pressed, walk.perKind)
    if (trigger === undefined) return
    pressed.set(trigger.key, (pressed.get(trigger.key) ?? 0) + 1)
    await pressOne(walk, trigger)
  }
}

/** The first one of a kind that was pressed less often than its place among its kind. */
function nextTrigger(triggers: Trigger[], pressed: ReadonlyMap<string, number>, perKind: number): Trigger | undefined {
  const places = new Map<string, number>()
  return triggers.find(({ key }) => {
    const place = places.get(key) ?? 0
    places.set(key, place + 1)
    return place < perKind && place === (pressed.get(key) ?? 0)
  })
}

async function pressOne(walk: Walk, trigger: Trigger): Promise<void> {
  const { page, settle, open } = walk
  const before = new URL(page.url()).pathname
  await press(page, trigger)
  await settle()
  const opened = await findOpened(page)
  if (opened !== null) await walk.onOpened(trigger, opened)
  for (const item of opened?.items ?? []) await pressItem(walk, trigger, item)
  if (new URL(page.url()).pathname !== before) await open()
}

async function pressItem({ page, settle, onOpened }: Walk, { key }: Trigger, item: string): Promise<void> {
  // The page may have drawn its buttons again.
  const trigger = (await collectTriggers(page)).find((it) => it.key === key)
  if (trigger === undefined) return
  await press(page, trigger)
  await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
  await settle()
  const opened = await findOpened(page)
  if (opened !== null) await onOpened(trigger, opened)
}

/** From now on no request of the page changes anything. */
export const refuseChanges = (page: Page, detail: string): Promise<unknown> =>
  page.route(/\/api\//, (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({ status: 409, json: { error_code: 'CONFLICT', detail } }),
  )
