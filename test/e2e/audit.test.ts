import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createGroupSetup } from '../api/people-of-groups.ts'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
let group: number
const inBrowser = await openBrowser(async (server) => {
  const ask = createRequester(server)
  const setup = createSetup(ask)
  const { makePerson, groupId } = createGroupSetup(setup)
  const { key } = await makePerson('ann', { groups: ['Staff'] })
  group = await groupId('Staff')
  await setup.ok('PATCH', '/manage/set-user-role', { body: { user_email: 'ann@example.com', new_role: 'basic' } })
  assert.equal((await ask('DELETE', `/admin/api-key/${encodeURIComponent(HOSTILE)}`, { key })).status, 403)
  for (let at = 0; at < 60; at += 1) await setup.ok('PATCH', '/admin/settings', { body: { trash_retention_days: 30 } })
})

inBrowser('entries are read page by page, and filtered by who, kind, action, object and outcome', {}, async (visit) => {
  const { page, url } = visit
  await page.goto(`${url}/admin/audit`)
  const entries = page.getByRole('row').filter({ has: page.getByRole('time') })
  await page.getByText('changed the settings.').first().waitFor()
  assert.equal(await entries.count(), 50)
  assert.ok(await page.getByRole('button', { name: 'Newer entries' }).isDisabled())
  await page.getByRole('button', { name: 'Older entries' }).click()
  await page.getByText('created the group').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Older entries' }).isDisabled())

  await page.getByLabel('Kind').selectOption('People')
  await page.getByLabel('Action').selectOption('Change the role of …')
  await page.getByText('changed the role of ann@example.com.').first().waitFor()
  await entries.filter({ hasNotText: 'changed the role of ann@example.com.' }).first().waitFor({ state: 'detached' })
  await page.getByLabel('Action').selectOption('All actions')
  await page.getByLabel('Kind').selectOption('Everything')
  await page.getByLabel('Object').fill('ANN@example.com')
  await page.getByText('created the group').waitFor({ state: 'detached' })
  await page.getByText('changed the role of ann@example.com.').first().waitFor()
  await page.getByLabel('Object').fill(String(group))
  await page.getByLabel('Kind').selectOption('Groups')
  const created = entries.filter({ hasText: `created the group ${group}.` })
  await created.getByText('Details').click()
  await created.getByRole('link', { name: String(group) }).click()
  await page.getByRole('heading', { name: 'Staff' }).waitFor()

  await page.goto(`${url}/admin/audit`)
  await page.getByLabel('Who').fill('ann@example.com')
  await page.getByLabel('Outcome').selectOption('Refused')
  await page.getByText(`was not allowed to delete the key ${HOSTILE}.`).waitFor()
  assert.equal(await entries.count(), 1)
  await page.getByLabel('Until').fill('2020-01-01T00:00')
  await page.getByText('No entry matches the filters').waitFor()
})

inBrowser('the table has the entries of the filters, and the chain is checked', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/audit`)
  await page.getByLabel('Kind').selectOption('Groups')
  await page.getByText(`created the group ${group}.`).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  assert.match(lines[0]!, /^id,at,actor_id/)
  assert.ok(lines.length > 1 && lines.slice(1).every((it) => it.includes('user_group')))
  await page.getByRole('button', { name: 'Check entries' }).click()
  await page.getByText('No entry was changed').waitFor()
  await assertAccessible(page)
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the audit is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await page.goto(`${url}/admin/audit`)
      await page.getByLabel('Outcome').selectOption('Refused')
      await page.getByText('was not allowed to').waitFor()
      await page.getByText('Details').click()
      await page.getByText('INSUFFICIENT_PERMISSIONS').waitFor()
      await assertAccessible(page)
      await assertFits(page)
    })
  }
}
