// The search page beyond the list: copies, outlines, people to ask, searches of others, and a calm layout.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { settled, waitFor } from '../server.ts'
import { assertAccessible, assertFits, openBrowser, SCHEMES } from './browser.ts'

const DAY_MS = 86_400_000
const TEXT = [
  'Expenses are refunded when the receipts arrive within thirty days, the manager has agreed, and the amount is below',
  'the limit of the team. Trains come first, flights need a second signature, and hotels are booked by the office.',
  'Taxis, meals with guests and small tools can be paid from the cash box.',
].join(' ')
const SHOTS = process.env.SHOTS

const inBrowser = await openBrowser(async (server) => {
  const { ok, push, makeKey, search } = createSetup(createRequester(server))
  const document = (id: string, more: object) => ({
    ...{ id, semantic_identifier: 'Expenses', title: 'Expenses', source: 'web', metadata: {} },
    ...{ doc_updated_at: new Date(Date.now() - DAY_MS).toISOString() },
    ...more,
  })
  for (const place of ['handbook', 'archive/2024', 'archive/2025', 'teams/sales']) {
    await push(
      document(`expenses ${place}`, {
        source: place === 'teams/sales' ? 'confluence' : 'web',
        sections: [{ text: `${TEXT} Kept in ${place}.`, link: `https://wiki.example.com/${place}/expenses` }],
      }),
    )
  }
  await push(
    document('onboarding', {
      ...{ semantic_identifier: 'Onboarding', title: 'Onboarding', primary_owners: [{ display_name: 'Ann Ngo' }] },
      sections: [
        { heading: 'Before the first day', text: 'Order a laptop and a badge.', link: 'https://wiki.example.com/on' },
        { heading: 'The first week', text: `Meet the team. ${'Read the handbook. '.repeat(150)}` },
        { heading: 'The first month', text: 'Talk about goals, and about what was surprising.' },
      ],
    }),
  )
  for (let at = 0; at < 25; at++) {
    await push(
      document(`guide-${at}`, {
        ...{ semantic_identifier: `Guide ${at}`, title: `Guide ${at}`, metadata: { team: `team ${at % 3}` } },
        sections: [{ text: `Guide number ${at} about printers. ${'More about it. '.repeat(at)}` }],
      }),
    )
  }
  await settled(server)
  const keys = await Promise.all(Array.from({ length: 5 }, () => makeKey({ role: 'basic' })))
  for (const key of keys) await search('laptop', {}, { key })
  await waitFor(async () => (await ok('GET', '/search/suggested')).queries.length > 0, 'the recorded searches')
})

const box = (page: Page) => page.getByRole('textbox', { name: 'Search' })
const results = (page: Page) => page.getByRole('list', { name: 'Results' })

async function search(page: Page, query: string): Promise<void> {
  await box(page).fill(query)
  await page.waitForURL((it) => it.searchParams.get('q') === query)
  await page.locator('.search-list[aria-busy=false]').waitFor()
}

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` })
}

for (const scheme of SCHEMES) {
  inBrowser(`copies are folded into the best of them, ${scheme}`, { scheme }, async ({ page }) => {
    await search(page, 'expenses receipts')
    const copies = results(page).locator('details').filter({ hasText: '3 similar documents' })
    await copies.waitFor()
    assert.equal(await results(page).getByRole('heading', { name: 'Expenses' }).count(), 1)
    await copies.getByText('3 similar documents').click()
    await copies.getByRole('link', { name: /archive › 2024/ }).waitFor()
    await assertAccessible(page)
    await shot(page, `similar-${scheme}`)
    await copies.getByRole('button', { name: /^Preview .*sales/ }).click()
    await page.waitForURL((it) => it.searchParams.get('doc') === 'expenses teams/sales')
    await page
      .getByRole('complementary', { name: 'Preview' })
      .getByText(/Kept in teams\/sales/)
      .waitFor()
  })

  inBrowser(`the preview lists the headings and jumps to their sections, ${scheme}`, { scheme }, async ({ page }) => {
    await search(page, 'laptop badge')
    const preview = page.getByRole('complementary', { name: 'Preview' })
    const outline = preview.getByRole('navigation', { name: 'Outline' })
    await outline.getByRole('button', { name: 'The first month' }).click()
    await preview
      .getByRole('region', { name: 'The first month' })
      .getByText(/what was surprising/)
      .waitFor()
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'The first month')
    await assertAccessible(page)
    await shot(page, `outline-${scheme}`)
    await preview.getByRole('button', { name: 'Back to the passage' }).click()
    await preview.getByRole('region', { name: 'Passage 1' }).waitFor()
  })

  inBrowser(`the start offers searches of others and new documents, ${scheme}`, { scheme }, async ({ page }) => {
    const newest = page.getByRole('region', { name: 'New documents' })
    await newest.waitFor()
    assert.equal(await newest.getByRole('listitem').count(), 5)
    await assertAccessible(page)
    await shot(page, `start-${scheme}`)
    await page
      .getByRole('region', { name: 'Often searched in your organization' })
      .getByRole('button', { name: 'laptop' })
      .click()
    await results(page).getByRole('heading', { name: 'Onboarding' }).waitFor()
  })
}

inBrowser('where nothing was found, the authors of similar documents can be asked', {}, async ({ page, url }) => {
  await search(page, 'laptop source:zanzibar')
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  const people = page.getByRole('region', { name: 'Ask somebody who wrote about something similar' })
  await assertAccessible(page)
  await shot(page, 'nothing')
  await people.getByRole('link', { name: 'Ann Ngo' }).click()
  await page.waitForURL(`${url}/?q=author%3A%22Ann+Ngo%22`)
  await results(page).getByRole('heading', { name: 'Onboarding' }).waitFor()
})

inBrowser('nothing moves by itself while the pages of search load', {}, async ({ page, url }) => {
  await page.addInitScript(`
    window.shifts = []
    new PerformanceObserver((list) => {
      for (const it of list.getEntries())
        if (!it.hadRecentInput)
          shifts.push([it.value, it.sources.map((s) => s.node && (s.node.className || s.node.nodeName))])
    }).observe({ type: 'layout-shift', buffered: true })`)
  for (const path of [
    '/',
    '/?q=printers',
    '/?q=laptop',
    '/?q=expenses',
    '/?q=%22no+such+thing%22',
    '/chat',
    '/projects',
  ]) {
    await page.goto(url + path)
    await page
      .getByRole('heading', { name: /Search tips|Guide|Onboarding|Expenses|Nothing|New chat|Your files/ })
      .first()
      .waitFor()
    await page.waitForLoadState('networkidle')
    const shifts = await page.evaluate<[number, string[]][]>('shifts')
    const total = shifts.reduce((sum, [value]) => sum + value, 0)
    assert.ok(total <= 0.02, `${path} shifts by ${total}: ${JSON.stringify(shifts)}`)
  }
})

inBrowser('at 400 % zoom nothing is lost', { width: 320 }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Search tips' }).waitFor()
  await assertFits(page)
  await shot(page, 'start-320')
  await search(page, 'expenses receipts')
  await results(page).getByText('3 similar documents').click()
  await results(page)
    .getByRole('link', { name: /archive › 2024/ })
    .waitFor()
  await assertFits(page)
  await shot(page, 'similar-320')
  await search(page, 'laptop')
  await page.getByRole('button', { name: 'Preview Onboarding' }).click()
  const dialog = page.getByRole('dialog', { name: 'Onboarding' })
  await dialog.getByRole('button', { name: 'The first week' }).click()
  await dialog.getByRole('region', { name: 'The first week' }).waitFor()
  await assertFits(page)
  await shot(page, 'outline-320')
})

inBrowser('by keyboard alone: copies are opened, and a section of a document is read', {}, async ({ page }) => {
  await page.getByRole('heading', { name: 'Search tips' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('expenses receipts')
  await page.locator('.search-list[aria-busy=false]').getByText('3 similar documents').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await results(page)
    .getByRole('link', { name: /archive › 2024/ })
    .waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('laptop')
  const outline = page.getByRole('navigation', { name: 'Outline' })
  await outline.waitFor()
  await outline.getByRole('button', { name: 'The first week' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'The first week' }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'The first week')
})

inBrowser('nothing is animated for those who ask for less motion', {}, async ({ page }) => {
  await search(page, 'printers')
  const running = await page.evaluate<number>(
    'document.getAnimations().filter((it) => it.effect.getComputedTiming().duration > 10).length',
  )
  assert.equal(running, 0)
})
