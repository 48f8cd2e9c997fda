import assert from 'node:assert/strict'
import { createRequester } from '../api/request.ts'
import { createSetup } from '../api/setup.ts'
import { alterRecord } from '../record.ts'
import type { Server } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

let steps: ReturnType<typeof createSetup>
let ask: ReturnType<typeof createRequester>

const inBrowser = await openBrowser(async (server: Server) => {
  ask = createRequester(server)
  steps = createSetup(ask)
  for (const who of ['ann', 'bob'])
    await alterRecord(
      server.dataDir,
      `insert into person (id, email, email_key, role, is_active, is_verified, time_created, time_updated) values ('${who}', '${who}@example.com', '${who}@example.com', 'basic', 1, 1, 1, 1);
       insert into scim_user (person_id, user_name, user_name_key, made_person, time_created, time_updated) values ('${who}', '${who}@example.com', '${who}@example.com', 1, 1, 1);
       insert into scim_removal (person_id, kind, state, asked_at, is_in_effect) values ('${who}', 'suspend', 'held', 1, 0)`,
    )
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the page of SCIM is accessible, ${scheme}, ${width} wide`, { scheme, width }, async ({ page, url }) => {
      await page.goto(`${url}/admin/scim`)
      await page.getByRole('row').filter({ hasText: 'ann@example.com' }).waitFor()
      await assertAccessible(page)
      await assertFits(page)
    })
  }
}

inBrowser('a token is shown once and opens SCIM; removals are approved and discarded', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/scim`)
  await page.getByRole('button', { name: 'Create token' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the token now' })
  const key = await shown.getByRole('figure', { name: 'The new token' }).locator('pre').innerText()
  assert.equal((await ask('GET', '/scim/v2/Users', { key })).status, 200)
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Approve the removal of ann@example.com' }).click()
  await page.getByRole('row').filter({ hasText: 'ann@example.com' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Discard the removal of bob@example.com' }).click()
  await page.getByText('No removal waits for a decision.').waitFor()
  const { items } = await steps.ok('GET', '/manage/users/accepted')
  assert.deepEqual(
    items.map((it: { email: string; is_active: boolean }) => [it.email, it.is_active]),
    [
      ['ann@example.com', false],
      ['bob@example.com', true],
    ],
  )
})

inBrowser('a token that is revoked opens nothing, and an administrator is linked', {}, async ({ page, url }) => {
  await steps.makeKey({ role: 'basic', user_email: 'cyd@example.com' })
  await steps.ok('PATCH', '/manage/set-user-role', { body: { user_email: 'cyd@example.com', new_role: 'admin' } })
  await page.goto(`${url}/admin/scim`)
  await page.getByRole('button', { name: 'Renew token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the token now' })
  const key = await shown.getByRole('figure', { name: 'The new token' }).locator('pre').innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  const link = page.getByRole('region', { name: 'Link an administrator' })
  await link.getByLabel('E-mail address').fill('nobody@example.com')
  await link.getByRole('button', { name: 'Link' }).click()
  await link.getByRole('alert').waitFor()
  await link.getByLabel('E-mail address').fill('cyd@example.com')
  await link.getByRole('button', { name: 'Link' }).click()
  await link.getByText('The directory manages this person from now on.').waitFor()
  assert.equal((await ask('GET', '/scim/v2/Users', { key })).status, 200)
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('There is no token.').waitFor()
  assert.equal((await ask('GET', '/scim/v2/Users', { key })).status, 401)
})
