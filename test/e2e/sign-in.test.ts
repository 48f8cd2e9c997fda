import assert from 'node:assert/strict'
import { assertAccessible, NARROW, SCHEMES, stage } from './browser.ts'

const inBrowser = await stage(async () => {})

for (const scheme of SCHEMES) {
  for (const width of [1_440, NARROW]) {
    inBrowser(
      `the page to sign in is accessible, ${scheme}, ${width} wide`,
      { key: null, scheme, width },
      async (it) => {
        await it.page.goto(it.url)
        await it.page.getByLabel('Key', { exact: true }).waitFor()
        await assertAccessible(it.page)
        const overflow = await it.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(overflow <= 0, `the page is ${overflow} px wider than the window`)
      },
    )
  }
}

inBrowser('whoever has not signed in gets to the page after signing in', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/admin/ingestion`)
  await page.waitForURL(/\/sign-in\?next=/)
  await page.keyboard.type('test-administrator-key-0123456789')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ingestion', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/admin/ingestion')
})

inBrowser('a wrong key is said to be wrong, and what was typed stays', { key: null }, async ({ page, url }) => {
  await page.goto(url)
  await page.getByLabel('Key', { exact: true }).fill('pharos_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This key is not valid.').waitFor()
  assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), 'pharos_wrong')
})

inBrowser('an address of somebody else is not followed after signing in', { key: null }, async ({ page, url }) => {
  for (const next of ['https://evil.example/', '//evil.example/', 'javascript:alert(1)', '/\\evil.example']) {
    await page.goto(`${url}/sign-in?next=${encodeURIComponent(next)}`)
    await page.getByLabel('Key', { exact: true }).fill('test-administrator-key-0123456789')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('textbox', { name: 'Search' }).waitFor()
    assert.equal(new URL(page.url()).origin, url)
  }
})

inBrowser('no script sees the session, and signing out ends it', {}, async ({ page, url }) => {
  assert.equal(await page.evaluate('document.cookie'), '')
  const [cookie] = await page.context().cookies()
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${url}/sign-in`)
  assert.deepEqual(await page.context().cookies(), [])
  await page.goto(`${url}/admin/connectors`)
  await page.getByLabel('Key', { exact: true }).waitFor()
})

inBrowser('a session that ends while a page is open leads to signing in, and back', {}, async ({ page, url }) => {
  await page.goto(`${url}/admin/connectors`)
  await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor()
  await page.context().clearCookies()
  await page.waitForURL(/\/sign-in\?next=/)
  assert.equal(new URL(page.url()).searchParams.get('next'), '/admin/connectors')
})

inBrowser('the colours that somebody chose stay', { scheme: 'light' }, async ({ page }) => {
  const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme')
  assert.equal(await scheme(), 'light')
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  assert.equal(await scheme(), 'dark')
  await page.reload()
  assert.equal(await scheme(), 'dark')
})
