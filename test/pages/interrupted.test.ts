// Every page when its requests fail, when the service cannot be reached, and when the session has ended.
import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { openFilled } from './look.ts'
import { TWO_FRAMES, watchRequests } from './quiet.ts'
import { STATES } from './states.ts'

/** The requests of the frame of a page are answered. */
const OF_FRAME = /\/api\/(?:me$|settings$|auth\/|health|admin\/alerts)/
const DETAILS = new Map([
  [401, 'The session has ended.'],
  [403, 'You may not see this page. Ask an administrator.'],
  [500, 'The record cannot be read.'],
])
const KEY = 'test-administrator-key-0123456789'

interface Shown {
  alerts: string[]
  /** How many placeholders of content that is on its way are visible. */
  waiting: number
  text: string
}

const SHOWN = `({
  alerts: [...document.querySelectorAll('main [role=alert]')].filter((it) => it.checkVisibility()).map((it) => it.innerText),
  waiting: [...document.querySelectorAll('main .mantine-Skeleton-root, main [aria-busy=true]')].filter((it) => it.checkVisibility()).length,
  text: document.querySelector('main').innerText,
})`

interface Place {
  page: Page
  address: string
  settle: () => Promise<void>
  /** The requests of the page get an answer with this status, none, or the true one. */
  fate: number | 'none' | 'answer'
  failed: string[]
  hasAlert: boolean
}

/** Their requests are offers: what cannot be loaded is left out, and the page serves its purpose. */
const WITHOUT_ALERT = ['search']
/** Some parts of pages ask every few seconds. A page that asks more often than this has no end. */
const MAX_ATTEMPTS = 20
const HEADING = 'main h1:visible, main h2:visible, main form:visible'

const { inFilled, ids } = await openFilled()
for (const state of STATES.filter((it) => it.before === undefined && it.act === undefined && it.key !== null))
  inFilled(`${state.name}: errors, an outage and the end of the session`, {}, async ({ page, url }) => {
    // The page after the sign-in may still ask.
    await page.waitForLoadState('networkidle')
    const place: Place = {
      ...{ page, address: url + state.path(ids()), settle: watchRequests(page) },
      ...{ fate: 'answer', failed: [], hasAlert: !WITHOUT_ALERT.includes(state.name) },
    }
    await page.route(/\/api\//, (route) => meet(place, route))
    await assertSaysWhatFailed(place)
    if (place.failed.length === 0) return
    await assertSurvivesOutage(place)
    await assertReturnsAfterSignIn(place)
  })

function meet(place: Place, route: Route): Promise<void> {
  const { fate, failed } = place
  const path = new URL(route.request().url()).pathname
  if (fate === 'answer' || OF_FRAME.test(path)) return route.continue()
  failed.push(path)
  if (fate === 'none') return route.abort('connectionrefused')
  return route.fulfill({ status: fate, json: { error_code: 'INTERNAL', detail: DETAILS.get(fate) } })
}

/** An error is an alert that says what is wrong. Where it has a button, the button asks again. */
async function assertSaysWhatFailed(place: Place): Promise<void> {
  const { page, address, settle } = place
  place.fate = 500
  const isShown = () => page.locator(`${HEADING}, main [role=alert]`).first().waitFor()
  await page.goto(address)
  await isShown()
  await settle()
  await assertTells(place)
  place.fate = 403
  const again = page.locator('main').getByRole('button', { name: 'Try again' })
  if ((await again.count()) > 0) await again.first().press('Enter')
  else await page.reload()
  // Before it is shown, a page on a busy machine may not have asked yet.
  await isShown()
  await settle()
  if (place.failed.length > 0) await assertTells(place)
}

async function assertTells({ page, fate, failed, hasAlert }: Place): Promise<void> {
  const detail = typeof fate === 'number' ? DETAILS.get(fate) : undefined
  const isTold = ({ alerts }: Shown) => alerts.some((it) => detail !== undefined && it.includes(detail))
  const needsAlert = failed.length > 0 && hasAlert
  // A page on a busy machine draws a moment after it got the answer.
  const seen = await shownWhen(page, (it) => it.waiting === 0 && (!needsAlert || isTold(it)))
  const { waiting, text } = seen
  assert.equal(waiting, 0, `${fate}: the page still waits for ${failed.join(' ')}`)
  assert.ok(text.length > 40, `${fate}: the page is blank`)
  const counts = [...Map.groupBy(failed, (it) => it)].map(([path, some]) => [path, some.length] as const)
  assert.deepEqual(
    counts.filter(([, count]) => count > MAX_ATTEMPTS),
    [],
    `${fate}: the page asks again and again`,
  )
  assert.ok(!needsAlert || isTold(seen), `${fate} of ${failed.join(' ')} is not told: ${text.slice(0, 300)}`)
}

const shown = (page: Page): Promise<Shown> => page.evaluate(SHOWN)

const DRAWING_MS = 5_000

/** The page when the condition is true, or after a while. */
async function shownWhen(page: Page, condition: (it: Shown) => boolean): Promise<Shown> {
  const end = Date.now() + DRAWING_MS
  for (;;) {
    const it = await shown(page)
    if (condition(it) || Date.now() > end) return it
    await page.evaluate(TWO_FRAMES)
  }
}

/** The page says that it cannot reach the service, and goes on by itself when it can. */
async function assertSurvivesOutage(place: Place): Promise<void> {
  const { page } = place
  place.fate = 'none'
  await page.goto(place.address)
  const banner = page.getByText('Pharos cannot be reached. What you see may be out of date. Trying again …')
  await banner.waitFor()
  place.fate = 'answer'
  await banner.waitFor({ state: 'detached' })
  await place.settle()
  const { alerts, waiting } = await shown(page)
  assert.equal(waiting, 0, 'the page waits after the outage')
  assert.ok(!alerts.some((it) => it.includes('cannot be reached')), `after the outage: ${alerts.join(' ')}`)
}

async function assertReturnsAfterSignIn(place: Place): Promise<void> {
  const { page } = place
  const wanted = page.url()
  place.fate = 401
  await page.goto(place.address)
  await page.waitForURL(/\/sign-in\?/)
  const { origin, searchParams } = new URL(page.url())
  assert.equal(origin + searchParams.get('next'), wanted)
  place.fate = 'answer'
  await page.getByRole('button', { name: 'Use a key' }).waitFor()
  await place.settle()
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('Key', { exact: true }).fill(KEY)
  await page.getByRole('button', { name: 'Sign in', exact: true }).press('Enter')
  await page.waitForURL(wanted)
  await page.locator(HEADING).first().waitFor()
  await place.settle()
  const { alerts, waiting } = await shown(page)
  assert.equal(waiting, 0, 'the page waits after the sign-in')
  assert.ok(!alerts.some((it) => it.includes('The session has ended')), alerts.join(' '))
}
