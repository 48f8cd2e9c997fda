import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createGroupSetup, type GroupPerson } from '../api/people-of-groups.ts'
import { createRequester } from '../api/request.ts'
import { connectorOf, createSetup } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { type Server, waitFor } from '../server.ts'
import { assertAccessible, NARROW, openBrowser, SCHEMES } from './browser.ts'

let pauseAgain: () => Promise<void>
let cara: GroupPerson
let pauseForCurator: () => Promise<void>
const NAME = '<b>Handbook</b> שלום'

const inBrowser = await openBrowser(async (server: Server) => {
  const steps = createSetup(createRequester(server))
  const files = connectorOf(NAME, { source: 'file', connector_specific_config: { file_locations: [] } })
  const { id } = await steps.ok('POST', '/manage/admin/connector', { body: files })
  const { data: pair } = await steps.ok('PUT', `/manage/admin/connector/${id}/credential/0`, { body: { name: NAME } })
  const groups = createGroupSetup(steps)
  cara = await groups.makePerson('cara', { curated: ['Staff'] })
  const own = await steps.ok('POST', '/manage/admin/connector', {
    body: connectorOf('Of the staff', { source: 'file', connector_specific_config: { file_locations: [] } }),
  })
  const shared = { name: 'Of the staff', access_type: 'private', groups: ['Staff'] }
  const { data: staffPair } = await steps.ok('PUT', `/manage/admin/connector/${own.id}/credential/0`, { body: shared })
  pauseForCurator = () => pause(staffPair)
  const pause = async (id: number) => {
    await steps.ok('PUT', `/manage/admin/cc-pair/${id}/status`, { body: { status: 'PAUSED' } })
    await alterRecord(server.dataDir, `update cc_pair set paused_at = 1 where id = ${id}`)
    const isPaused = async () =>
      (await steps.ok('GET', '/admin/alerts')).open.some((it: { cc_pair_id: number }) => it.cc_pair_id === id)
    // The conditions are read at most once a second, and the page asks rarely.
    await waitFor(isPaused, 'the alert')
  }
  pauseAgain = () => pause(pair)
})

const list = (page: Page) => page.getByRole('region', { name: /^(Needs you now|Das braucht Sie jetzt)$/ })
const open = async (page: Page, url: string) => {
  await page.goto(`${url}/admin/overview`)
  await list(page).waitFor()
}

inBrowser('without alerts the overview says that nothing needs the administrator', {}, async ({ page, url }) => {
  await open(page, url)
  await list(page).getByRole('heading', { name: 'Nothing needs you' }).waitFor()
  await assertAccessible(page)
})

for (const scheme of SCHEMES)
  inBrowser(`an alert leads to its page, is dismissed and shown again (${scheme})`, { scheme }, async (visit) => {
    const { page, url } = visit
    await pauseAgain()
    await open(page, url)
    const title = `${NAME} has been paused for more than a week`
    await list(page).getByText(title).waitFor()
    await page.getByRole('link', { name: /^Overview.*1 alert$/ }).waitFor()
    await assertAccessible(page)
    await list(page)
      .getByRole('button', { name: `Dismiss: ${title}` })
      .click()
    await page.getByRole('menuitem', { name: 'For everybody, until it ends' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('menuitem', { name: 'For me, for a day' }).click()
    await list(page).getByRole('heading', { name: 'Nothing needs you' }).waitFor()
    await list(page).getByText('Dismissed (1)').click()
    await list(page)
      .getByRole('button', { name: `Show again: ${title}` })
      .click()
    await list(page)
      .getByRole('button', { name: `Dismiss: ${title}` })
      .waitFor()
    await list(page).getByRole('link', { name: 'Open connector' }).click()
    await page.waitForURL(/\/admin\/connector\/\d+$/)
  })

inBrowser('the list fits a narrow screen', { width: NARROW }, async ({ page, url }) => {
  await pauseAgain()
  await open(page, url)
  const row = await list(page).getByRole('listitem').first().boundingBox()
  assert.ok(row !== null && row.x >= 0 && row.x + row.width <= NARROW)
  await assertAccessible(page)
})

inBrowser('a curator sees the alerts of their connectors, and no figures of the service', { key: null }, async (it) => {
  const { page, url } = it
  await pauseForCurator()
  const data = { api_key: cara.key }
  const signedIn = await page.request.post(`${url}/api/auth/session`, { data, headers: { 'x-requested-with': 'test' } })
  assert.ok(signedIn.ok(), await signedIn.text())
  await page.goto(`${url}/admin`)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await list(page).getByText('Of the staff').waitFor()
  assert.equal(await list(page).getByText(NAME).count(), 0)
  assert.equal(await page.getByRole('region').count(), 1)
  await assertAccessible(page)
  await list(page).getByRole('link', { name: 'Open connector' }).click()
  await page.getByRole('heading', { name: 'Of the staff', level: 1 }).waitFor()
})
