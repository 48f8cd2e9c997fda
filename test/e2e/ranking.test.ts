// The ranking: judged by hand, tried on earlier queries, changed with the effect in view, and measured by analytics.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, settled } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES, tryAgain } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202e gpj.exe'
let steps: ReturnType<typeof createSetup>
let dataDir: string

const inBrowser = await openBrowser(async (server: Server) => {
  dataDir = server.dataDir
  steps = createSetup(createRequester(server))
  const { push, makeKey, makePair, ok } = steps
  await push(documentOf('leave leave leave', { id: 'strong', semantic_identifier: 'Leave of 2001', source: 'wiki' }))
  await push(documentOf('leave among some other words', { id: 'weak', semantic_identifier: 'Leave policy' }))
  await push(documentOf('The lorry is late.', { id: 'lorry', semantic_identifier: HOSTILE, source: 'wiki' }))
  const body = { name: 'Front', description: '', cc_pair_ids: [await makePair('Front')], users: [], groups: [] }
  await ok('POST', '/manage/admin/document-set', { body: { ...body, is_public: true } })
  await settled(server)
  for (const name of ['ann', 'bob', 'cara']) {
    const key = await makeKey({ role: 'basic', user_email: `${name}@example.com` })
    for (let at = 0; at < 3; at += 1) await steps.search('Leave', {}, { key })
    await steps.search('truck', {}, { key })
  }
  const people: { id: string }[] = (await ok('GET', '/manage/users')).accepted
  const user_ids = people.map((it) => it.id)
  await ok('POST', '/manage/admin/user-group', { body: { name: HOSTILE, user_ids, cc_pair_ids: [] } })
  await makeKey({ name: 'Reader', role: 'basic' })
})

const partOf = (page: Page, name: string) => page.getByRole('region', { name })
const titlesOf = (list: Locator) => list.getByRole('listitem').locator('bdi').allTextContents()
const resetRanking = () =>
  steps.ok('PATCH', '/admin/ranking', {
    body: {
      ...{ half_life_days: null, source_half_life_days: null, boosts: null, pins: null, synonyms: null },
      ...{ click_weight: null, link_weight: null, freshness_weight: null },
    },
  })
const openRanking = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/ranking`)
  await page.getByRole('heading', { name: 'Ranking', level: 1 }).waitFor()
}
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The ranking was changed').waitFor()
}

inBrowser('the results of a query are judged, and its quality follows', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/relevance`)
  await page.getByRole('heading', { name: 'No document is graded yet' }).waitFor()
  const judge = partOf(page, 'Judge by hand')
  await judge.getByLabel('Query', { exact: true }).fill('leave')
  await judge.getByRole('button', { name: 'Show results' }).click()
  await judge.getByText('Grade at least one document').waitFor()
  const policy = judge.getByRole('group', { name: 'Grade of Leave policy' })
  await policy.getByRole('button', { name: 'The answer' }).click()
  await judge.getByText('Quality of this query by its grades (nDCG@10, at most 1): 0.631').waitFor()
  const row = partOf(page, 'All grades').getByRole('row').filter({ hasText: 'Leave policy' })
  await row.getByText('The answer').waitFor()
  await judge.getByText('A document is missing').click()
  await judge.getByLabel('Search for a document').fill('lorry')
  await judge.getByRole('button', { name: /^Choose <img/ }).click()
  const others = judge.getByRole('group', { name: /^Grade of <img/ })
  await others.getByRole('button', { name: 'The answer', pressed: true }).click()
  await others.waitFor({ state: 'detached' })
  const csv = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  assert.equal((await csv).suggestedFilename(), 'judgements.csv')
  await row.getByRole('button', { name: /^Delete the grade/ }).click()
  await page.getByText('The grade was deleted').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('The answer').waitFor()
  const judgements: { document_id: string; grade: number }[] = await steps.ok('GET', '/admin/relevance/judgements')
  assert.deepEqual(
    judgements.map((it) => [it.document_id, it.grade]),
    [['weak', 3]],
  )
})

inBrowser('a pin is seen before it is saved, tried on earlier queries, saved and undone', {}, async ({ page, url }) => {
  await steps.ok('PUT', '/admin/relevance/judgements', { body: { query: 'leave', document_id: 'strong', grade: 3 } })
  await steps.ok('PUT', '/admin/relevance/judgements', { body: { query: 'leave', document_id: 'weak', grade: 0 } })
  await openRanking(page, url)
  await page.getByRole('button', { name: 'Pin documents' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pin documents' })
  await dialog.getByLabel('Query').fill('leave')
  await dialog.getByLabel('Search for a document').fill('policy')
  await dialog.getByRole('button', { name: 'Choose Leave policy' }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  const after = page.getByRole('list', { name: 'With the changes' })
  await after.getByText('1 place higher').waitFor()
  assert.deepEqual(await titlesOf(page.getByRole('list', { name: 'Now' })), ['Leave of 2001', 'Leave policy'])
  assert.deepEqual(await titlesOf(after), ['Leave policy', 'Leave of 2001'])
  await page.getByText('1 unsaved change').waitFor()

  await page.getByRole('link', { name: 'Replay earlier queries', exact: true }).click()
  const replay = partOf(page, 'Replay earlier queries')
  assert.ok(await replay.getByLabel('My unsaved changes').isChecked())
  await replay.getByRole('button', { name: 'Replay', exact: true }).click()
  await replay.getByText('On average the graded queries got worse').waitFor()
  await replay.getByText('nDCG@10 from 1.000 to 0.631').waitFor()
  assert.deepEqual(await titlesOf(replay.getByRole('list', { name: 'With the changes' }).first()), [
    'Leave policy',
    'Leave of 2001',
  ])
  assert.deepEqual((await steps.ok('GET', '/admin/ranking')).pins, [])

  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Ranking' }).click()
  await save(page)
  assert.deepEqual((await steps.ok('GET', '/admin/ranking')).pins, [{ query: 'leave', document_ids: ['weak'] }])
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The change was undone').waitFor()
  assert.deepEqual((await steps.ok('GET', '/admin/ranking')).pins, [])
})

inBrowser('a removed pin is restored from another page', {}, async ({ page, url }) => {
  const pins = [{ query: 'leave', document_ids: ['weak'] }]
  await steps.ok('PATCH', '/admin/ranking', { body: { pins } })
  await openRanking(page, url)
  await page.getByRole('button', { name: 'Remove leave' }).click()
  await save(page)
  assert.deepEqual((await steps.ok('GET', '/admin/ranking')).pins, [])
  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Trash' }).click()
  await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The change was undone').waitFor()
  assert.deepEqual((await steps.ok('GET', '/admin/ranking')).pins, pins)
  await page.getByRole('region', { name: 'Last change' }).getByRole('button', { name: 'Close' }).click()
  await page.getByText('The change was undone').waitFor({ state: 'detached' })
  await resetRanking()
})

inBrowser(
  'unsaved changes are not lost by leaving, and the browser asks before a reload',
  {},
  async ({ page, url }) => {
    /** Whether the browser would ask. A real reload opens a dialog of the browser. */
    const isAsked = () =>
      page.evaluate<boolean>("!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    await openRanking(page, url)
    await page.getByRole('spinbutton', { name: 'Half-life of all sources, in days' }).fill('90')
    await page.getByText('1 unsaved change').waitFor()
    assert.ok(await isAsked())
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
    assert.ok(await isAsked(), 'a reload of another page would lose them as well')
    await page.getByRole('button', { name: 'Sign out' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign out with unsaved changes?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Ranking' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('1 unsaved change').waitFor({ state: 'detached' })
    assert.equal(await isAsked(), false)
  },
)

inBrowser('synonyms, boosts and half-lives are added, changed and removed', {}, async ({ page, url }) => {
  await openRanking(page, url)
  await page.getByRole('button', { name: 'Add synonyms' }).click()
  await page.getByRole('dialog').getByLabel('Words').fill('truck\nlorry')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('list', { name: 'With the changes' }).getByText('New here').waitFor()

  await page.getByRole('button', { name: 'Add a boost' }).click()
  const boost = page.getByRole('dialog', { name: 'Add a boost' })
  await boost.getByLabel('What to boost').selectOption('Document set')
  await boost.getByLabel('Document set', { exact: true }).selectOption('Front')
  await boost.getByLabel('Factor').fill('50')
  await boost.getByText('Enter a number from 0.1 to 10.').waitFor()
  await boost.getByLabel('Factor').fill('0.5')
  await boost.getByRole('button', { name: 'Apply' }).click()
  await page.getByLabel('Factor of Front').fill('3')

  await page.getByRole('spinbutton', { name: 'Half-life of all sources, in days' }).fill('30')
  await page.getByText('A document that is 30 days old counts half').waitFor()
  await page.getByRole('button', { name: 'Add a source' }).click()
  const source = page.getByRole('dialog', { name: 'Add a source' })
  await source.getByLabel('Source').fill('wiki')
  await source.getByLabel('Half-life in days', { exact: true }).fill('7')
  await source.getByRole('button', { name: 'Apply' }).click()
  const weights = partOf(page, 'Popularity and freshness')
  await weights.getByLabel('Linked by pages').fill('1.5')
  await weights.getByText('Enter a number from 0 to 1.').waitFor()
  await weights.getByLabel('Linked by pages').fill('0.1')
  await weights.getByLabel('Chosen by people').fill('0')
  await page.getByText('6 unsaved changes').waitFor()
  await page.getByText('Show the changes').click()
  await page.getByText('Boost of Front: 3').waitFor()
  await page.getByText('Chosen by people: 0', { exact: true }).waitFor()
  await page.getByText('Chosen by people: 0.3').waitFor()
  await save(page)
  const { version: _, documents: __, ...settings } = await steps.ok('GET', '/admin/ranking')
  assert.deepEqual(settings, {
    half_life_days: 30,
    source_half_life_days: [{ source: 'wiki', days: 7 }],
    boosts: [{ document_set: 'Front', factor: 3 }],
    pins: [],
    synonyms: [['truck', 'lorry']],
    click_weight: 0,
    link_weight: 0.1,
    freshness_weight: 0.2,
  })
  await page.getByRole('button', { name: 'Remove Front' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByLabel('Factor of Front').waitFor()
  await resetRanking()
})

inBrowser(
  'settings that another person saved meanwhile are shown, and both changes are kept',
  {},
  async ({ page, url }) => {
    await openRanking(page, url)
    await page.getByRole('spinbutton', { name: 'Half-life of all sources, in days' }).fill('90')
    await page.getByText('1 unsaved change').waitFor()
    await steps.ok('PATCH', '/admin/ranking', { body: { synonyms: [['holiday', 'leave']] } })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Another person changed the ranking meanwhile' })
    await conflict.getByText('Synonyms: holiday, leave').waitFor()
    assert.equal((await steps.ok('GET', '/admin/ranking')).half_life_days, null)
    await page.getByRole('button', { name: 'Save both changes' }).click()
    await page.getByText('The ranking was changed').waitFor()
    const { half_life_days, synonyms } = await steps.ok('GET', '/admin/ranking')
    assert.deepEqual([half_life_days, synonyms], [90, [['holiday', 'leave']]])
    await steps.ok('PATCH', '/admin/ranking', { body: { synonyms: [['lorry', 'truck']] } })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('alert').filter({ hasText: 'so the change was not undone' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'lorry, truck' }).waitFor()
    await resetRanking()
  },
)

inBrowser('from a query without results to its synonym in one click', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/analytics`)
  await page.getByText('12 searches', { exact: false }).first().waitFor()
  const queries = partOf(page, 'Queries')
  await queries.getByRole('row').filter({ hasText: 'truck' }).waitFor()
  await queries.getByRole('button', { name: /^Not opened/ }).click()
  await queries.getByRole('row').filter({ hasText: 'leave' }).waitFor()
  await queries.getByRole('button', { name: 'Pin a document to leave' }).click()
  const pin = page.getByRole('dialog', { name: 'Pin documents' })
  assert.equal(await pin.getByLabel('Query').inputValue(), 'leave')
  await pin.getByRole('button', { name: 'Choose Leave policy' }).waitFor()
  await page.goBack()
  await queries.getByRole('button', { name: 'Boost leave' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Choose Leave policy' }).waitFor()
  await page.goBack()
  await queries.getByRole('button', { name: /^Without results/ }).click()
  await queries.getByRole('button', { name: 'Add synonym for truck' }).click()
  const words = page.getByRole('dialog').getByLabel('Words')
  assert.equal(await words.inputValue(), 'truck\n')
  await words.fill('truck\nlorry')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('list', { name: 'With the changes' }).getByText('New here').waitFor()
})

inBrowser('searches are counted by day, source and group, and exported', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/analytics`)
  const bySource = partOf(page, 'By source')
  await bySource.getByRole('row').filter({ hasText: 'Wiki' }).getByText('9 (75%)').waitFor()
  await partOf(page, 'By group').getByRole('row').filter({ hasText: '<img src=x' }).waitFor()
  await page.getByRole('button', { name: 'Show as table' }).click()
  await partOf(page, 'Searches per day').getByRole('cell', { name: '12' }).waitFor()
  await page.getByLabel('Period').selectOption('Last 24 hours')
  await page.waitForURL(/days=1/)
  const csv = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV: Without results' }).click()
  assert.equal((await csv).suggestedFilename(), 'search-zero_results.csv')
  await bySource.getByRole('button', { name: 'Boost Wiki' }).click()
  assert.equal(await page.getByRole('dialog').getByLabel('Source').inputValue(), 'wiki')
})

inBrowser('the page says when queries are not recorded or hidden', {}, async ({ page, url }) => {
  const settings = (body: object) => steps.ok('PATCH', '/admin/settings', { body })
  await settings({ recorded_query_retention_days: 0, query_history_type: 'disabled' })
  await page.goto(`${url}/admin/analytics`)
  await page.getByText('Queries are not recorded', { exact: true }).waitFor()
  await page.getByText('The texts of queries are hidden').waitFor()
  await settings({ recorded_query_retention_days: null, query_history_type: null })
  await page.reload()
  await page.getByText('Queries are kept for 90 days', { exact: false }).waitFor()
})

inBrowser('a person without the right sees that the pages are closed', {}, async ({ page, url }) => {
  const key = await steps.makeKey({ name: 'Searcher', role: 'basic' })
  await page.request.post(`${url}/api/auth/session`, {
    data: { api_key: key },
    headers: { 'x-requested-with': 'test' },
  })
  for (const [path, name] of [
    ['ranking', 'Ranking'],
    ['relevance', 'Relevance lab'],
    ['analytics', 'Search analytics'],
  ]) {
    await page.goto(`${url}/admin/${path}`)
    await page.getByRole('heading', { name: `You do not have access to the page “${name}”` }).waitFor()
  }
})

inBrowser('a failure of the service is shown, and trying again helps', {}, async ({ page, url }) => {
  for (const [path, pattern, seen] of [
    ['ranking', '**/api/admin/ranking', 'No document is pinned.'],
    ['analytics', '**/api/admin/relevance/queries?*', 'Searches per day'],
    ['relevance', '**/api/admin/relevance/judgements?*', 'Leave policy'],
  ] as const) {
    await page.route(pattern, (it) => it.abort('connectionrefused'))
    await page.goto(`${url}/admin/${path}`)
    const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first()
    await alert.waitFor()
    await tryAgain(page, alert, pattern)
    await page.getByText(seen).first().waitFor()
  }
})

inBrowser('the pages are accessible in both themes and widths', {}, async ({ page, url }) => {
  const pins = Array.from({ length: 30 }, (_, at) => ({ query: `${'very '.repeat(at)}long`, document_ids: ['lorry'] }))
  await steps.ok('PATCH', '/admin/ranking', { body: { pins, boosts: [{ document_id: 'lorry', factor: 2 }] } })
  await steps.search(`${'x'.repeat(300)}`)
  await alterRecord(dataDir, `update recorded_query set took_ms = 900 where query = 'truck'`)
  await steps.ok('PATCH', '/admin/settings', { body: { query_min_people: 1 } })
  for (const scheme of SCHEMES)
    for (const width of [1_280, NARROW]) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 900 })
      for (const [path, seen] of [
        ['ranking?query=leave', 'Leave of 2001'],
        ['ranking?add=pin&query=leave', 'Leave of 2001'],
        ['ranking?add=boost&query=leave', 'Leave of 2001'],
        ['relevance?query=leave', 'The answer'],
        ['analytics?list=slow_queries', 'truck'],
        ['analytics?list=zero_results', 'xxx'],
      ] as const) {
        await page.goto(`${url}/admin/${path}`)
        await page.getByText(seen).first().waitFor()
        await assertAccessible(page)
        await assertFits(page, path)
        const shots = process.env.SHOTS
        if (shots !== undefined)
          await page.screenshot({
            path: `${shots}/${path.replace(/\W+/g, '-')}-${scheme}-${width}.png`,
            fullPage: true,
          })
      }
    }
})
