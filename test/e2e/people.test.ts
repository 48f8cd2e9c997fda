import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const KEY = { authorization: 'Bearer test-administrator-key-0123456789', 'content-type': 'application/json' }
const inBrowser = await openBrowser(async ({ url }) => {
  const body = JSON.stringify({ emails: ['bea@example.com'] })
  const invited = await fetch(`${url}/api/manage/admin/users`, { method: 'PUT', headers: KEY, body })
  const { invitations } = (await invited.json()) as { invitations: { link: string }[] }
  await join(url, invitations[0]!.link, 'Bea')
})

async function join(url: string, link: string, name: string): Promise<Response> {
  const token = new URL(link, url).hash.slice(1)
  const joined = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'test' },
    body: JSON.stringify({ token, name, password: 'four small words here' }),
  })
  assert.ok(joined.ok, await joined.clone().text())
  return joined
}

inBrowser('a person who was invited is found, made a curator, suspended and refused', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/people`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  await page.getByLabel('E-mail addresses').fill('ann@example.com')
  await page.getByRole('button', { name: 'Create links' }).click()
  const link = await page.getByRole('figure', { name: 'Link for ann@example.com' }).locator('pre').textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  const joined = await join(url, link!, '<b>Ann</b>')
  const cookie = joined.headers.getSetCookie()[0]!.split(';')[0]!
  const statusOfAnn = async () => (await fetch(`${url}/api/me`, { headers: { cookie } })).status
  assert.equal(await statusOfAnn(), 200)

  await page.getByLabel('Search people').fill('ann@')
  await page.getByText('<b>Ann</b>').waitFor()
  await page.getByRole('button', { name: 'ann@example.com', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Role').selectOption('global_curator')
  await page.getByRole('cell', { name: 'Curator of all groups', includeHidden: true }).waitFor()
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: 'End the suspension' }).waitFor()
  assert.equal(await statusOfAnn(), 401)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('State').selectOption('active')
  await page.getByText('Nobody matches the filters').waitFor()
})

inBrowser(
  'a table is checked, then imported, and a person is deleted after the address is typed',
  {},
  async ({ page, url }) => {
    await page.goto(`${url}/admin/people`)
    await page.getByRole('button', { name: 'Import CSV' }).click()
    const choose = (text: string) =>
      page.getByLabel('CSV file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await choose('email,role\ncal@example.com,king\n')
    await page.getByText('Line 2:').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled())
    await choose('email,role\ncal@example.com,basic\n')
    await page.getByText('1 created, 0 updated').waitFor()
    assert.equal(await page.getByRole('cell', { name: 'cal@example.com', includeHidden: true }).count(), 0)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Done: 1 created').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'cal@example.com', exact: true }).click()
    await page.getByRole('button', { name: 'Remove second factor and passkeys' }).click()
    await page.getByText('There was no second factor.').waitFor()
    const remove = page.getByRole('button', { name: 'Delete the person' })
    assert.ok(await remove.isDisabled())
    await page.getByLabel('Type the address').fill('cal@example.com')
    await remove.click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('button', { name: 'cal@example.com', exact: true }).count(), 0)
  },
)

inBrowser('an open invitation is listed until it is withdrawn', {}, async ({ page, url }) => {
  const body = JSON.stringify({ emails: ['dan@example.com'] })
  await fetch(`${url}/api/manage/admin/users`, { method: 'PUT', headers: KEY, body })
  await page.goto(`${url}/admin/people`)
  await page.getByRole('button', { name: 'Withdraw the invitation of dan@example.com' }).click()
  await page.getByRole('region', { name: 'Open invitations' }).waitFor({ state: 'detached' })
})

inBrowser('an invitation carries a role and groups, and the list says so', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/people`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail addresses').fill('dan@example.com, bea@example.com')
  await dialog.getByLabel('Role').selectOption('global_curator')
  for (const name of ['Board', 'Mistake', 'Sales']) {
    await dialog.getByLabel('Group', { exact: true }).fill(name)
    await dialog.getByRole('button', { name: 'Add the group' }).click()
    await dialog.getByRole('listitem').filter({ hasText: name }).waitFor()
  }
  await dialog.getByRole('button', { name: 'Remove the group Mistake' }).click()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Create links' }).click()
  await dialog.getByText('This person has an account already.').waitFor()
  const link = await dialog.getByRole('figure', { name: 'Link for dan@example.com' }).locator('pre').textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('· Curator of all groups, Board, Sales · expires').waitFor()
  await join(url, link!, 'Dan')
  await page.getByLabel('Search people').fill('dan@')
  const row = page.getByRole('row').filter({ hasText: 'dan@example.com' })
  await row.getByText('Curator of all groups').waitFor()
  await row.getByText('Board, Sales').waitFor()
})

inBrowser('the details of a person show and change groups, sessions and keys', {}, async ({ page, url }) => {
  const call = async (method: string, path: string, data: object) => {
    const reply = await page.context().request.fetch(`${url}${path}`, { method, headers: KEY, data })
    assert.ok(reply.ok(), await reply.text())
    return reply.json()
  }
  const { invitations } = await call('PUT', '/manage/admin/users', { emails: ['eve@example.com'], groups: ['Crew'] })
  const joined = await join(url, invitations[0].link, 'Eve')
  const cookie = joined.headers.getSetCookie()[0]!.split(';')[0]!
  await call('POST', '/manage/admin/user-group', { name: 'Pilots', user_ids: [] })
  await call('POST', '/admin/api-key', { name: 'Eve’s script', role: 'basic', user_email: 'eve@example.com' })
  await page.goto(`${url}/admin/people`)
  await page.getByLabel('Search people').fill('eve@')
  await page.getByRole('button', { name: 'eve@example.com', exact: true }).click()
  const part = (name: string) => page.getByRole('dialog').getByRole('region', { name })
  await part('Keys').getByText('Eve’s script').waitFor()
  await part('Ways of signing in').getByText('Password: yes').waitFor()
  await part('Groups').getByLabel('Another group').fill('Nobody’s')
  await part('Groups').getByRole('button', { name: 'Add the group' }).click()
  await part('Groups').getByText('There is no group “Nobody’s”.').waitFor()
  await part('Groups').getByLabel('Another group').fill('Pilots')
  await page.keyboard.press('Enter')
  await part('Groups').getByRole('listitem').filter({ hasText: 'Pilots' }).waitFor()
  await part('Groups').getByRole('button', { name: 'Remove from the group Crew' }).click()
  await part('Groups').getByText('Crew').waitFor({ state: 'detached' })
  const me = async () => fetch(`${url}/api/me`, { headers: { cookie } })
  assert.deepEqual(((await (await me()).json()) as { groups: string[] }).groups, ['Pilots'])
  await assertAccessible(page)
  await part('Sessions').getByRole('button', { name: 'End the session of' }).first().click()
  await part('Sessions').getByText('The person is signed in nowhere.').waitFor()
  assert.equal((await me()).status, 401)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    part('Data').getByRole('link', { name: 'Export the data of the person' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  const kinds = lines.map((it) => JSON.parse(it).kind)
  assert.deepEqual([kinds[0], kinds.at(-1)], ['person', 'end'])
  await part('Ways of signing in').getByRole('button', { name: 'Link for a new password' }).click()
  const link = await part('Ways of signing in').getByRole('figure', { name: 'The link' }).locator('pre').textContent()
  assert.match(link!, /\/welcome#/)
})

inBrowser(
  'a person gets another name, is signed out everywhere, is suspended and let in again',
  {},
  async ({ page, url }) => {
    const body = JSON.stringify({ emails: ['fay@example.com'] })
    const invited = await fetch(`${url}/api/manage/admin/users`, { method: 'PUT', headers: KEY, body })
    const { invitations } = (await invited.json()) as { invitations: { link: string }[] }
    const joined = await join(url, invitations[0]!.link, 'Fay')
    const cookie = joined.headers.getSetCookie()[0]!.split(';')[0]!
    const statusOfFay = async () => (await fetch(`${url}/api/me`, { headers: { cookie } })).status
    assert.equal(await statusOfFay(), 200)
    await page.goto(`${url}/admin/people`)
    await page.getByLabel('Search people').fill('fay@')
    await page.getByRole('button', { name: 'fay@example.com', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Fay Holm')
    await dialog.getByRole('button', { name: 'Save the name' }).click()
    await dialog.getByText('The name is saved.').waitFor()
    await page.getByRole('cell', { name: 'Fay Holm', includeHidden: true }).waitFor()
    await dialog.getByRole('button', { name: 'End all sessions' }).click()
    await dialog.getByText('The person is signed in nowhere.').waitFor()
    assert.equal(await statusOfFay(), 401)
    await dialog.getByRole('button', { name: 'Suspend' }).click()
    await dialog.getByRole('button', { name: 'End the suspension' }).click()
    await dialog.getByRole('button', { name: 'Suspend' }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ])
    const table = await readFile(await download.path(), 'utf8')
    assert.match(table, /fay@example\.com/)
  },
)

inBrowser('250 people are paged, searched and exported', {}, async ({ page, url }) => {
  const form = new FormData()
  const table = Array.from({ length: 250 }, (_, at) => `p${String(at).padStart(3, '0')}@many.example,basic\n`)
  form.set('dry_run', 'false')
  form.set('file', new Blob([`email,role\n${table.join('')}`], { type: 'text/csv' }), 'people.csv')
  const { authorization } = KEY
  const imported = await fetch(`${url}/manage/admin/users/csv`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  assert.ok(imported.ok, await imported.text())
  await page.goto(`${url}/admin/people`)
  await page.getByLabel('Search people').fill('@many.example')
  await page.getByText('1 to 25 of 250').waitFor()
  const [previous, next] = ['Previous page', 'Next page'].map((name) => page.getByRole('button', { name }))
  assert.ok(await previous!.isDisabled())
  for (let at = 1; at < 10; at += 1) {
    await next!.click()
    await page.getByText(`${at * 25 + 1} to ${at * 25 + 25} of 250`).waitFor()
  }
  assert.ok(await next!.isDisabled())
  await page.getByRole('button', { name: 'p249@many.example' }).waitFor()
  await page.getByLabel('Search people').fill('p017@')
  await page.getByText('1 to 1 of 1').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  const exported = await readFile(await download.path(), 'utf8')
  assert.equal(exported.match(/@many\.example/g)?.length, 250)
})

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `the list of people is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/admin/people`)
        await page.getByRole('button', { name: 'bea@example.com', exact: true }).waitFor()
        await assertAccessible(page)
        await assertFits(page)
        await page.getByRole('button', { name: 'bea@example.com', exact: true }).click()
        await page.getByRole('heading', { name: 'Person' }).waitFor()
        await assertAccessible(page)
      },
    )
  }
}
