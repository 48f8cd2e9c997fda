import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createGroupSetup, type GroupPerson } from '../api/people-of-groups.ts'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
let setup: ReturnType<typeof createSetup>
let ask: ReturnType<typeof createRequester>
let cara: GroupPerson
let staff: number
const inBrowser = await openBrowser(async (server) => {
  ask = createRequester(server)
  setup = createSetup(ask)
  const groups = createGroupSetup(setup)
  await groups.makePerson('ann', {})
  await groups.makePerson('bea', { groups: ['Staff'] })
  cara = await groups.makePerson('cara', { groups: ['Staff'], curated: ['Handbook', HOSTILE] })
  staff = await groups.groupId('Staff')
  const pair = await setup.makePair('Handbook', { access_type: 'private', groups: ['Handbook'] })
  await setup.push(documentOf('a plan', { id: 'plan' }), { cc_pair_id: pair })
  const set = { name: 'Closed set', description: '', cc_pair_ids: [pair], is_public: false, users: [] }
  await setup.ok('POST', '/manage/admin/document-set', { body: { ...set, groups: ['Staff'] } })
  const directory = await groups.groupId('From the directory')
  await groups.addTo(cara.id, 'From the directory')
  await alterRecord(server.dataDir, `update user_group set origin = 'scim' where id = ${directory}`)
  for (let at = 1; at <= 26; at += 1) await groups.groupId(`Team ${at}`)
})

const row = (page: Page, name: string) => page.getByRole('row', { name })
const groupNamed = async (name: string) =>
  (await setup.ok('GET', `/manage/admin/user-group?q=${encodeURIComponent(name)}`))[0]

inBrowser('groups are listed by page, and found by a part of the name', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/groups`)
  await page.getByRole('link', { name: HOSTILE }).waitFor()
  assert.ok(await page.getByRole('button', { name: 'Previous page' }).isDisabled())
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('link', { name: 'Team 26' }).waitFor()
  assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled())
  await page.getByRole('button', { name: 'Previous page' }).click()
  await row(page, 'From the directory').getByText('Directory (SCIM)').waitFor()
  await page.getByLabel('Search groups').fill('sTAFF')
  await page.getByRole('link', { name: HOSTILE }).waitFor({ state: 'detached' })
  assert.match(String(await row(page, 'Staff').textContent()), /Made here\s*2\s*0\s*0/)
  await page.getByLabel('Search groups').fill('no such group')
  await page.getByText('No group has such a name').waitFor()
})

inBrowser('a group is made, gets people and connectors, is renamed and deleted', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/groups`)
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Staff')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByText('already exists').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Planners')
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByRole('heading', { name: 'Planners' }).waitFor()

  await page.getByRole('button', { name: 'Add people' }).click()
  await page.getByLabel('Search people').fill('ann@')
  await page.getByRole('checkbox', { name: 'ann@example.com' }).check()
  await page.getByLabel('Search people').fill('bea@')
  await page.getByRole('checkbox', { name: 'bea@example.com' }).check()
  await page.getByRole('button', { name: 'Add 2 people' }).click()
  await row(page, 'bea@example.com').waitFor()
  await page.getByRole('button', { name: 'Make curator: ann@example.com' }).click()
  await row(page, 'ann@example.com').getByText('Curates the group').waitFor()
  assert.match(String(await row(page, 'ann@example.com').textContent()), /Curator Curates the group/)
  await page.getByRole('button', { name: 'Remove bea@example.com' }).click()
  await row(page, 'bea@example.com').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Choose connectors' }).click()
  await page.getByRole('checkbox', { name: 'Handbook' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Handbook' }).waitFor()
  const group = await groupNamed('Planners')
  assert.deepEqual(
    [group.users.map((it: { email: string }) => it.email), group.curator_ids.length, group.cc_pairs.length],
    [['ann@example.com'], 1, 1],
  )

  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Strategy')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('heading', { name: 'Strategy' }).waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 member loses what only this group opens.').waitFor()
  await dialog.getByText('These no longer name it: 1 connector.').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Delete group' }).click()
  await page.waitForURL(`${url}/admin/groups`)
  assert.equal(await groupNamed('Strategy'), undefined)
  const { items } = await setup.ok('GET', '/manage/users/accepted?q=ann@example.com')
  assert.equal(items[0].role, 'basic')
})

inBrowser('two administrators who choose connectors of one group do not overwrite each other', {}, async (visit) => {
  const { page, url } = visit
  const closed = { access_type: 'private', groups: [] }
  const [minutes] = [await setup.makePair('Minutes', closed), await setup.makePair('Budget', closed)]
  const { id } = await setup.ok('POST', '/manage/admin/user-group', { body: { name: 'Auditors', user_ids: [] } })
  await page.goto(`${url}/admin/groups/${id}`)
  await page.getByRole('button', { name: 'Choose connectors' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Budget' }).check()
  await setup.ok('PATCH', `/manage/admin/user-group/${id}`, { body: { cc_pair_ids: [minutes] } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('row').filter({ hasText: 'Minutes' }).waitFor()
  await assertAccessible(page)
  const names = async () => (await groupNamed('Auditors')).cc_pairs.map((it: { name: string }) => it.name)
  assert.deepEqual(await names(), ['Minutes'])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Budget' }).waitFor()
  assert.deepEqual(await names(), ['Minutes', 'Budget'])
  await setup.ok('DELETE', `/manage/admin/user-group/${id}`)
})

inBrowser('a group of a directory shows why its members cannot be changed here', {}, async ({ page, url }) => {
  const { id } = await groupNamed('From the directory')
  await page.goto(`${url}/admin/groups/${id}`)
  await page.getByRole('note').getByText('The directory changes its name and members by SCIM').waitFor()
  await row(page, 'cara@example.com').waitFor()
  for (const name of ['Rename', 'Delete', 'Add people', 'Remove cara@example.com'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  await page.getByRole('button', { name: 'Make curator: cara@example.com' }).click()
  await page.getByRole('button', { name: 'End curating: cara@example.com' }).click()
  await page.getByRole('button', { name: 'Make curator: cara@example.com' }).waitFor()
})

inBrowser('a curator sees only curated groups, and changes members but not curators', { key: null }, async (visit) => {
  const { page, url } = visit
  const data = { api_key: cara.key }
  const signedIn = await page.request.post(`${url}/api/auth/session`, { data, headers: { 'x-requested-with': 'test' } })
  assert.ok(signedIn.ok(), await signedIn.text())
  await page.goto(`${url}/admin/groups`)
  await page.getByRole('link', { name: 'Handbook' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Staff' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'New group' }).count(), 0)
  await page.getByRole('link', { name: 'Handbook' }).click()
  await row(page, 'cara@example.com').waitFor()
  for (const name of ['Rename', 'Delete', 'Remove cara@example.com', 'End curating: cara@example.com'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  assert.equal(await page.getByRole('heading', { name: 'Keys' }).count(), 0)
  await page.getByRole('button', { name: 'Add people' }).click()
  await page.getByLabel('Search people').fill('ann@')
  await page.getByRole('checkbox', { name: 'ann@example.com' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'Remove ann@example.com' }).click()
  await row(page, 'ann@example.com').waitFor({ state: 'detached' })
  await page.goto(`${url}/admin/groups/${staff}`)
  await page.getByText('This group does not exist').waitFor()
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the pages of groups are accessible, ${scheme}, ${width} wide`, { scheme, width }, async (visit) => {
      const { page, url } = visit
      const check = async () => {
        await assertAccessible(page)
        await assertFits(page)
      }
      await page.goto(`${url}/admin/groups`)
      await page.getByRole('link', { name: 'Team 9' }).waitFor()
      await check()
      await page.getByRole('link', { name: 'Staff' }).click()
      await page.getByText('Closed set').waitFor()
      await check()
      await page.getByRole('button', { name: 'Add people' }).click()
      await page.getByLabel('Search people').fill('example')
      await page.getByText('Belongs to the group').first().waitFor()
      await check()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Choose connectors' }).click()
      await page.getByRole('checkbox', { name: 'Handbook' }).waitFor()
      await check()
    })
  }
}
