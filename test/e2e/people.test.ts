import assert from 'node:assert/strict'
import { assertAccessible, NARROW, openBrowser, SCHEMES } from './browser.ts'

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

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(
      `the list of people is accessible, ${scheme}, ${width} wide`,
      { scheme, width },
      async ({ page, url }) => {
        await page.goto(`${url}/admin/people`)
        await page.getByRole('button', { name: 'bea@example.com', exact: true }).waitFor()
        await assertAccessible(page)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(overflow <= 0, `the page is ${overflow} px wider than the window`)
        await page.getByRole('button', { name: 'bea@example.com', exact: true }).click()
        await page.getByRole('heading', { name: 'Person' }).waitFor()
        await assertAccessible(page)
      },
    )
  }
}
