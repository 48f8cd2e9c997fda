import assert from 'node:assert/strict'
import type { Page, Request } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { settled } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const DAY_MS = 86_400_000
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '"><iframe srcdoc="<script>parent.alert(1)</script>">',
  '</mark><b>bold</b>',
]

const inBrowser = await openBrowser(async (server) => {
  const { ok } = createSetup(createRequester(server))
  const push = (document: Record<string, unknown>) => ok('POST', '/service-api/ingestion', { body: { document } })
  for (let at = 0; at < 45; at++) {
    await push({
      id: `leave-${at}`,
      semantic_identifier: `Annual leave, part ${at}`,
      title: `Annual leave, part ${at}`,
      source: at % 3 === 0 ? 'jira' : 'web',
      sections: [
        {
          text: `How annual leave works in country ${at}. Requester your manager.`,
          link: `https://wiki.example.com/leave/${at}`,
        },
      ],
      metadata: { team: at % 2 === 0 ? 'people' : 'finance' },
      primary_owners: [{ display_name: at % 2 === 0 ? 'Ann Ngo' : 'Bo Berg' }],
      doc_updated_at: new Date(Date.now() - at * DAY_MS).toISOString(),
    })
  }
  const filler = 'A sentence about nothing in particular stands here. '.repeat(40)
  await push({
    id: 'long',
    semantic_identifier: 'A long page',
    source: 'web',
    sections: [{ text: `${filler}The office in Zanzibar is open. ${filler}` }],
    metadata: {},
  })
  for (const [at, text] of HOSTILE.entries()) {
    await push({
      id: `hostile-${at}-${text}`,
      semantic_identifier: `hostile ${text}`,
      title: `hostile ${text}`,
      source: 'web',
      sections: [{ text: `hostile words ${text} and more`, link: `javascript:alert(${at})` }],
      metadata: { [`key ${text}`]: text },
    })
  }
  await settled(server)
})

const box = (page: Page) => page.getByRole('textbox', { name: 'Search' })
const titles = (page: Page) => page.getByRole('list', { name: 'Results' }).getByRole('heading').allTextContents()
const status = (page: Page) => page.locator('.summary').getByRole('status')

/** Types the query and waits for its results. */
async function search(page: Page, query: string): Promise<void> {
  await box(page).pressSequentially(query)
  await page.waitForURL((it) => it.searchParams.get('q') === query)
  await page.locator('.search-list[aria-busy=false]').waitFor()
}

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(`the search page is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page }) => {
      await box(page).waitFor()
      await assertAccessible(page)
      await search(page, 'annual leave')
      await assertAccessible(page)
      await assertFits(page)
      await page
        .getByRole('button', { name: /^Preview / })
        .first()
        .click()
      await page.getByText('Why this result').click()
      await assertAccessible(page)
    })
  }
}

inBrowser('results and the URL update while the user types', {}, async ({ page, url }) => {
  await search(page, 'country 17')
  assert.match((await titles(page))[0]!, /part 17/)
  await page.waitForURL(`${url}/?q=country+17`)
  await page.reload()
  assert.equal(await box(page).inputValue(), 'country 17')
  await page.getByRole('heading', { name: 'Annual leave, part 17' }).first().waitFor()
})

inBrowser('a late response does not replace a newer one', {}, async ({ page }) => {
  let isHeld = false
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/search', async (route) => {
    if (route.request().postDataJSON().query === 'country 3') {
      isHeld = true
      await held
    }
    await route.continue().catch(() => {})
  })
  await box(page).fill('country 3')
  await page.waitForRequest((it) => it.url().endsWith('/api/search'))
  await box(page).fill('country 31')
  await page.getByRole('heading', { name: 'Annual leave, part 31' }).first().waitFor()
  release()
  await page.waitForLoadState('networkidle')
  assert.equal(isHeld, true)
  assert.match((await titles(page))[0]!, /part 31/)
})

inBrowser('keyboard only: search box, results, preview, back, clear', {}, async ({ page }) => {
  await page.getByRole('heading', { name: 'Search tips' }).waitFor()
  await page.getByRole('link', { name: 'Pharos' }).focus()
  await page.keyboard.press('/')
  await page.keyboard.type('annual leave')
  await status(page)
    .getByText(/45 results/)
    .waitFor()
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  const [first, second] = await titles(page)
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), first)
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), second)
  await page.getByRole('complementary', { name: 'Preview' }).getByRole('heading', { name: second! }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Search')
  await page.keyboard.press('Escape')
  assert.equal(await box(page).inputValue(), '')
  await page.getByRole('heading', { name: 'Search tips' }).waitFor()
})

/** The searches and the feedback that the page sends. */
function toldBy(page: Page) {
  const searches: { query: string; record: boolean }[] = []
  const feedback: Promise<string>[] = []
  page.on('request', (it) => {
    if (it.url().endsWith('/api/search')) searches.push(it.postDataJSON())
    if (!it.url().endsWith('/api/search/feedback')) return
    const { document_id, kind } = it.postDataJSON()
    feedback.push(it.response().then((answer) => `${document_id} ${kind} ${answer?.status()}`))
  })
  return { searches, feedback: () => Promise.all(feedback) }
}
const isFeedback = (it: { url(): string }) => it.url().endsWith('/api/search/feedback')

inBrowser('intermediate queries are not recorded, and the final one is recorded once', {}, async ({ page }) => {
  const { searches } = toldBy(page)
  const recorded = page.waitForRequest((it) => it.url().endsWith('/api/search') && it.postDataJSON().record === true)
  await search(page, 'country 17')
  assert.equal((await recorded).postDataJSON().query, 'country 17')
  await page.keyboard.press('Enter')
  await page.waitForLoadState('networkidle')
  assert.deepEqual(
    searches.filter((it) => it.record).map((it) => it.query),
    ['country 17'],
  )
  assert.ok(searches.some((it) => !it.record))
})

inBrowser('clicks and thumbs are sent as feedback', {}, async ({ page }) => {
  await page.evaluate(
    'document.addEventListener("click", (it) => it.target.closest("a[target]") && it.preventDefault())',
  )
  const { feedback } = toldBy(page)
  await search(page, 'country 17')
  for (const click of [
    () => page.locator('a[data-result]').first().click(),
    () => page.getByRole('button', { name: 'Helpful', exact: true }).click(),
    () => page.getByRole('button', { name: 'Not helpful', exact: true }).click(),
  ]) {
    const told = page.waitForResponse(isFeedback)
    await click()
    await told
  }
  assert.deepEqual(await feedback(), ['leave-17 click 200', 'leave-17 up 200', 'leave-17 down 200'])
  const pressed = page.getByRole('button', { pressed: true })
  assert.deepEqual(await pressed.allTextContents(), ['Not helpful'])
})

inBrowser('feedback reports when searches are not recorded', {}, async ({ page }) => {
  await page.route('**/api/search/feedback', (route) => route.fulfill({ status: 404, json: { detail: 'Not kept.' } }))
  await search(page, 'country 17')
  await page.getByRole('button', { name: 'Helpful', exact: true }).click()
  await page.getByText('Your feedback was not saved because this search is not recorded.').waitFor()
  assert.equal(await page.getByRole('button', { pressed: true }).count(), 0)
})

inBrowser('filters narrow the results, are part of the URL and can be cleared', {}, async ({ page }) => {
  await search(page, 'annual leave')
  await page.getByRole('checkbox', { name: 'Jira' }).check()
  await status(page).getByText('15 results').waitFor()
  assert.deepEqual(new URL(page.url()).searchParams.get('source'), 'jira')
  await page.getByRole('checkbox', { name: 'Ann Ngo' }).check()
  await status(page).getByText('8 results').waitFor()
  await page.getByRole('radio', { name: 'Past week' }).check()
  await status(page)
    .getByText(/^[12] results? /)
    .waitFor()
  await page.goBack()
  await status(page).getByText('8 results').waitFor()
  await page.getByRole('button', { name: 'Clear all filters' }).click()
  await status(page).getByText('45 results').waitFor()
})

const isSortedByDate = (it: Request) => it.postDataJSON().sort === 'date'

inBrowser('newest first sorts by date, and pages do not repeat results', {}, async ({ page }) => {
  await search(page, 'annual leave')
  const sorted = page.waitForResponse((it) => it.url().endsWith('/api/search') && isSortedByDate(it.request()))
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('date')
  await sorted
  await page.locator('.search-list[aria-busy=false]').waitFor()
  await page.getByRole('heading', { name: 'Annual leave, part 0', exact: true }).first().waitFor()
  const seen = await titles(page)
  for (const next of ['Page 2', 'Page 3']) {
    await page.getByRole('button', { name: next, exact: true }).click()
    const first = `Annual leave, part ${seen.length}`
    await page.getByRole('heading', { name: first, exact: true }).first().waitFor()
    seen.push(...(await titles(page)))
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 45 }, (_, at) => `Annual leave, part ${at}`),
  )
})

inBrowser('a misspelled query shows the results of its correction', {}, async ({ page }) => {
  await search(page, 'managre')
  await page.getByRole('button', { name: 'manager', exact: true }).click()
  assert.equal(await box(page).inputValue(), 'manager')
  await status(page).getByText('45 results').waitFor()
})

inBrowser('an administrator sees the score breakdown', {}, async ({ page }) => {
  await search(page, 'annual leave')
  await page.getByText('Why this result').click()
  await page.getByRole('table', { name: 'Score breakdown' }).getByText('Total').waitFor()
})

inBrowser('document content is always rendered as text', {}, async ({ page }) => {
  await search(page, 'hostile words')
  assert.deepEqual((await titles(page)).sort(), HOSTILE.map((it) => `hostile ${it}`).sort())
  for (const name of await page.getByRole('button', { name: /^Preview / }).all()) await name.click()
  assert.equal(await page.locator('[href^="javascript:"]').count(), 0)
  assert.equal(await page.locator('main iframe, main script, main b').count(), 0)
})

inBrowser('an empty result offers to search without filters', {}, async ({ page, url }) => {
  await page.goto(`${url}/?q=%22country+17%22&since=day`)
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  const people = page.getByRole('region', { name: 'Ask somebody who wrote about something similar' })
  await people.getByRole('link', { name: 'Bo Berg' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Search without filters (1 result)' }).click()
  await page.waitForURL(`${url}/?q=%22country+17%22`)
})

inBrowser('an error shows its message and can be retried', {}, async ({ page }) => {
  let isDown = true
  await page.route('**/api/search', (route) =>
    isDown
      ? route.fulfill({
          status: 503,
          headers: { 'retry-after': '5' },
          json: { error_code: 'OVERLOADED', detail: 'Too much to do.' },
        })
      : route.continue(),
  )
  await box(page).fill('annual leave')
  await page.getByRole('alert').getByText('Too much to do. Try again in 5 s.').waitFor()
  await assertAccessible(page)
  isDown = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await status(page).getByText('45 results').waitFor()
})

inBrowser('any query string shows a page', {}, async ({ page, url }) => {
  for (const query of [
    '?q=1&page=-4&sort=x&since=never&source=',
    '?q=%00&tag=a',
    '?doc=5',
    '?q=true',
    '?q=a&q=b',
    '?__proto__=1',
  ]) {
    await page.goto(`${url}/${query}`)
    await box(page).waitFor()
  }
})

inBrowser('the offline page says so and keeps the last results', {}, async ({ page }) => {
  await search(page, 'country 17')
  await page.context().setOffline(true)
  await page.getByText('You are offline. What you see may be out of date.').waitFor()
  await box(page).pressSequentially(' manager')
  await page.locator('.search-list[aria-busy=true]').waitFor()
  assert.match((await titles(page))[0]!, /part 17/)
  await page.context().setOffline(false)
  await page.getByText('You are offline.').waitFor({ state: 'detached' })
  await page.locator('.search-list[aria-busy=false]').waitFor()
})

inBrowser('an unreachable service is reported and retried automatically', {}, async ({ page }) => {
  await search(page, 'country 17')
  let isAway = true
  await page.route('**/api/**', (route) => (isAway ? route.abort('connectionrefused') : route.continue()))
  await box(page).fill('country 18')
  await page.getByText(/Pharos cannot be reached/).waitFor()
  assert.match((await titles(page))[0]!, /part 17/)
  isAway = false
  await page.getByRole('heading', { name: 'Annual leave, part 18' }).first().waitFor()
  await page.getByText(/Pharos cannot be reached/).waitFor({ state: 'detached' })
})

inBrowser('a page that is opened while the service is away appears when it is back', {}, async ({ page, url }) => {
  let isAway = true
  await page.route(/\/(?:api|assets)\//, (route) => (isAway ? route.abort('connectionrefused') : route.continue()))
  await page.getByRole('link', { name: 'Sources' }).first().click()
  await page.getByText(/Pharos cannot be reached/).waitFor()
  isAway = false
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor()
  assert.equal(page.url(), `${url}/sources`)
})

inBrowser('completions and recent searches are offered and can be cleared', {}, async ({ page, url }) => {
  await box(page).pressSequentially('annual lea')
  const offered = page.getByRole('list', { name: 'Suggestions' })
  await offered.getByRole('button', { name: 'annual leave' }).click()
  await page.waitForURL(`${url}/?q=annual+leave`)
  await page.waitForResponse((it) => it.url().endsWith('/api/search') && it.request().postDataJSON().remember === true)
  await box(page).fill('')
  const recent = page.getByRole('region', { name: 'Recent searches' })
  await recent.getByRole('button', { name: 'annual leave' }).waitFor()
  await recent.getByRole('button', { name: 'Clear' }).click()
  await recent.waitFor({ state: 'detached' })
})

inBrowser('"?" lists the keyboard shortcuts', {}, async ({ page }) => {
  await page.getByRole('link', { name: 'Pharos' }).focus()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByText('Move through the results').waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
})

inBrowser('each result is one tab stop when the preview is next to the list', {}, async ({ page }) => {
  await search(page, 'country 17')
  const stops = page.getByRole('list', { name: 'Results' }).locator('a, button:not([tabindex="-1"])')
  assert.equal(await stops.count(), (await titles(page)).length)
})

inBrowser('a preview scrolls to the first matched word', {}, async ({ page }) => {
  await search(page, 'zanzibar')
  const passage = page.getByRole('complementary', { name: 'Preview' }).locator('.passage:has(mark)').first()
  const mark = passage.locator('mark').first()
  await mark.waitFor()
  const [outer, inner] = [await passage.boundingBox(), await mark.boundingBox()]
  assert.ok(outer !== null && inner !== null)
  const isVisible = inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height
  assert.ok(isVisible)
})

inBrowser('a printed page shows only the results', {}, async ({ page }) => {
  await search(page, 'country 17')
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('navigation', { name: 'Pages' }).isVisible(), false)
  assert.equal(await page.getByRole('complementary', { name: 'Preview' }).isVisible(), false)
  assert.ok((await titles(page)).length > 0)
})

inBrowser('everything that limits a search is shown, and each part of it can be removed', {}, async ({ page, url }) => {
  await page.goto(`${url}/?q=annual+leave+author%3Aann+-zanzibar&source=jira`)
  await status(page).getByText('8 results').waitFor()
  const limits = page.getByRole('list', { name: 'Filters in use' })
  assert.deepEqual(await limits.getByRole('listitem').allTextContents(), [
    'By ann',
    'Without “zanzibar”',
    'Source: Jira',
  ])
  await assertAccessible(page)
  await limits.getByRole('button', { name: 'Remove the filter “By ann”' }).click()
  await page.waitForURL((it) => it.searchParams.get('q') === 'annual leave -zanzibar')
  await status(page).getByText('15 results').waitFor()
  await limits.getByRole('button', { name: 'Remove the filter “Source: Jira”' }).click()
  await status(page).getByText('45 results').waitFor()
  const day = new Date(Date.now() - 9 * DAY_MS).toISOString().slice(0, 10)
  await page.getByLabel('From', { exact: true }).fill(day)
  await page.waitForURL((it) => it.searchParams.get('from') === day)
  await status(page)
    .getByText(/^10 results/)
    .waitFor()
  await page.getByRole('radio', { name: 'Past year' }).check()
  await page.waitForURL((it) => !it.searchParams.has('from') && it.searchParams.get('since') === 'year')
})

inBrowser('a search can be spelled as it is typed', {}, async ({ page, url }) => {
  await search(page, 'managre')
  await page.getByRole('button', { name: 'Search for “managre” instead' }).click()
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await page.waitForURL(`${url}/?q=managre&exact=true`)
  await page.getByRole('button', { name: 'Remove the filter “Exactly as typed”' }).click()
  await status(page).getByText('45 results').waitFor()
})

inBrowser('a phrase that nothing contains is given up, and can be insisted on', {}, async ({ page, url }) => {
  await search(page, '"leave annual"')
  await status(page).getByText('45 results').waitFor()
  await page.getByText('No document that you can open contains exactly “leave annual”').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Remove the filter/ }).count(), 0)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Search for exactly these words' }).click()
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await page.waitForURL((it) => it.searchParams.get('exact') === 'true')
  await page.goto(`${url}/?q=${encodeURIComponent('"annual leave"')}`)
  await page.getByRole('button', { name: 'Remove the filter ““annual leave””' }).waitFor()
  assert.equal(await page.getByText('No document that you can open').count(), 0)
})

inBrowser('operators that leave nothing are named, with a search without them', {}, async ({ page }) => {
  await search(page, 'annual leave source:nowhere')
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await page.getByText('There are results, but none of them matches this').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Search without it' }).click()
  await status(page).getByText('45 results').waitFor()
  await page.waitForURL((it) => it.searchParams.get('q') === 'annual leave')
})

inBrowser('a result says who wrote it and when, and its link can be copied', {}, async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await search(page, 'country 17')
  const result = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first()
  await result.getByText('By Bo Berg').waitFor()
  await result.getByText('Updated 17 days ago').waitFor()
  await result.getByText('wiki.example.com › leave › 17').waitFor()
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await preview.getByRole('button', { name: 'Copy link' }).click()
  await preview.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'https://wiki.example.com/leave/17')
  await box(page).fill('zanzibar')
  await page.getByRole('heading', { name: 'A long page' }).first().waitFor()
  assert.equal(await page.getByText(/^Updated/, { exact: true }).count(), 1, 'only the filter: the age is not known')
})

inBrowser('a key press sends at most two requests', {}, async ({ page }) => {
  const sent: string[] = []
  await page.getByRole('heading', { name: 'Search tips' }).waitFor()
  // The outline follows a pause, not a key press.
  const isTyped = (url: string) => url.includes('/api/search') && !url.includes('/outline')
  page.on('request', (it) => void (isTyped(it.url()) && sent.push(it.postData() ?? '')))
  await search(page, 'annual leave')
  const typed = sent.filter((it) => !it.includes('"record":true'))
  assert.ok(typed.length <= 2 * 'annual leave'.length, `${typed.length} requests`)
})

inBrowser('the page speaks German', {}, async ({ page, url }) => {
  await page.evaluate('localStorage.setItem("pharos-language", "de")')
  await page.goto(`${url}/?q=annual+leave&since=month`)
  await page.getByRole('status').getByText('Treffer').waitFor()
  await page.getByRole('heading', { name: 'Annual leave, part 0', exact: true }).first().waitFor()
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
  await page.getByText('Warum dieser Treffer').click()
  await page.getByText('Es enthält viele Ihrer Wörter.').or(page.getByText('Es passt besser')).first().waitFor()
  await page.getByRole('button', { name: 'Filter „Letzte 30 Tage“ entfernen' }).click()
  await page.getByRole('radio', { name: 'Beliebige Zeit', checked: true }).waitFor()
  await assertAccessible(page)
})
