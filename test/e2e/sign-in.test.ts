import assert from 'node:assert/strict'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const inBrowser = await openBrowser(async () => {})

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(
      `the page to sign in is accessible, ${scheme}, ${width} wide`,
      { key: null, scheme, width },
      async (it) => {
        await it.page.goto(it.url)
        await it.page.getByLabel('E-mail address').waitFor()
        await assertAccessible(it.page)
        await it.page.getByRole('button', { name: 'Use a key' }).click()
        await it.page.getByLabel('Key', { exact: true }).waitFor()
        await assertAccessible(it.page)
        await assertFits(it.page)
      },
    )
  }
}

inBrowser('signing in leads to the requested page', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  await page.waitForURL(/\/sign-in\?next=/)
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.keyboard.type('test-administrator-key-0123456789')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/admin/ingestion')
})

inBrowser('a wrong key shows an error and keeps the input', { key: null }, async ({ page, url }) => {
  await page.goto(url)
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('Key', { exact: true }).fill('pharos_wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('This key is not valid.').waitFor()
  assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), 'pharos_wrong')
})

inBrowser('signing in does not redirect to another origin', { key: null }, async ({ page, url }) => {
  for (const next of ['https://evil.example/', '//evil.example/', 'javascript:alert(1)', '/\\evil.example']) {
    await page.goto(`${url}/sign-in?next=${encodeURIComponent(next)}`)
    await page.getByRole('button', { name: 'Use a key' }).click()
    await page.getByLabel('Key', { exact: true }).fill('test-administrator-key-0123456789')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('textbox', { name: 'Search' }).waitFor()
    assert.equal(new URL(page.url()).origin, url)
  }
})

inBrowser('scripts cannot read the session, and signing out ends it', {}, async ({ page, url }) => {
  assert.equal(await page.evaluate('document.cookie'), '')
  const [cookie] = await page.context().cookies()
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${url}/sign-in`)
  assert.deepEqual(await page.context().cookies(), [])
  await page.goto(`${url}/admin/connectors`)
  await page.getByLabel('E-mail address').waitFor()
})

inBrowser('an expired session leads to sign-in and back', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor()
  await page.context().clearCookies()
  await page.waitForURL(/\/sign-in\?next=/)
  assert.equal(new URL(page.url()).searchParams.get('next'), '/admin/connectors')
})

inBrowser('the chosen color scheme persists', { scheme: 'light' }, async ({ page }) => {
  const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme')
  assert.equal(await scheme(), 'light')
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  assert.equal(await scheme(), 'dark')
  await page.reload()
  assert.equal(await scheme(), 'dark')
})

for (const key of [undefined, null]) {
  const who = key === null ? 'an anonymous visitor' : 'a signed-in user'
  inBrowser(`an unknown path shows a not-found page to ${who}`, key === null ? { key } : {}, async ({ page, url }) => {
    for (const path of [
      '/nothing/here',
      '/api/nothing',
      ...(key === null ? [] : ['/admin/nothing', '/admin/connectors/x']),
    ]) {
      const answer = await page.goto(url + path)
      assert.equal(answer?.status(), 404)
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
      assert.equal(await page.title(), 'Page not found · Pharos')
    }
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Go to search' }).click()
    await page.waitForURL(key === null ? /\/sign-in/ : `${url}/`)
  })
}

inBrowser(
  'a link makes an account, which signs in with its password and sees its sessions',
  { key: null },
  async (it) => {
    const { page, url } = it
    const reply = await fetch(`${url}/manage/admin/users`, {
      method: 'PUT',
      headers: { authorization: 'Bearer test-administrator-key-0123456789', 'content-type': 'application/json' },
      body: JSON.stringify({ emails: ['ann@example.com'] }),
    })
    const { link } = ((await reply.json()) as { invitations: [{ link: string }] }).invitations[0]
    await page.goto(new URL(link, url).href)
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('needs at least 12').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('textbox', { name: 'Search' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').fill('ANN@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByText('This device', { exact: true }).waitFor()
    await assertAccessible(page)
  },
)
