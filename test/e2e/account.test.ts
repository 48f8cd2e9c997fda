// The account page of a person: tokens, sessions, and who they are.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { assertAccessible, assertFits, NARROW, openBrowser, SCHEMES } from './browser.ts'

const ANN = 'ann@example.com'
const PASSWORD = 'four small words here'
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const HEADERS = { 'content-type': 'application/json', 'x-requested-with': 'test' }

let keyOfAnn = ''
const inBrowser = await openBrowser(async ({ api, url }) => {
  const invited = await api('PUT', '/manage/admin/users', { emails: [ANN], groups: ['Board', 'Sales'] })
  const { invitations } = invited.body as { invitations: { link: string }[] }
  const token = invitations[0]!.link.split('#')[1]
  const body = JSON.stringify({ token, name: 'Ann', password: PASSWORD })
  assert.ok((await fetch(`${url}/auth/register`, { method: 'POST', headers: HEADERS, body })).ok)
  const made = await api('POST', '/admin/api-key', { name: 'Of Ann', role: 'basic', user_email: ANN })
  const { api_key } = made.body as { api_key: string }
  keyOfAnn = api_key
})

/** Signs the person in with another program, and returns its cookie. */
async function signInElsewhere(url: string, agent: string): Promise<string> {
  const headers = { ...HEADERS, 'user-agent': agent }
  const body = JSON.stringify({ username: ANN, password: PASSWORD })
  const reply = await fetch(`${url}/auth/login`, { method: 'POST', headers, body })
  assert.equal(reply.status, 204)
  return reply.headers.getSetCookie()[0]!.split(';')[0]!
}

async function openAccount(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sign-in?next=%2Faccount`)
  await page.getByLabel('E-mail address').fill(ANN)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
}

inBrowser('a token is shown once, works, is listed and deleted', { key: null }, async ({ page, url }) => {
  await openAccount(page, url)
  const tokens = page.getByRole('region', { name: 'Personal access tokens' })
  await tokens.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Backup <b>script</b>')
  await page.getByText('The token allows what you may do, except').waitFor()
  await page.getByLabel('Permissions').selectOption('chat')
  await page.getByRole('listitem').filter({ hasText: 'Ask and answer in chats.' }).waitFor()
  await page.getByLabel('Permissions').selectOption('search')
  await page.getByRole('listitem').filter({ hasText: 'Search documents.' }).waitFor()
  await page.getByLabel('Expires').selectOption('30')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Create token' }).click()
  const secret = await page.getByRole('figure', { name: 'The new token' }).locator('pre').innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  assert.equal(await page.getByText(secret).count(), 0)
  const asToken = () => fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${secret}` } })
  const me = await asToken()
  const { scopes } = (await me.json()) as { scopes: string[] }
  assert.deepEqual(scopes, ['read:search'])
  const row = tokens.getByRole('row').filter({ hasText: 'Backup <b>script</b>' })
  await row.getByText('read:search').waitFor()
  await row.getByText(/in 3[01] days/).waitFor()
  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete token' }).click()
  await row.waitFor({ state: 'detached' })
  assert.equal((await asToken()).status, 401)
})

inBrowser('sessions say which device they are of, and end one by one or together', { key: null }, async (it) => {
  const { page, url } = it
  const [firefox, script] = [await signInElsewhere(url, FIREFOX), await signInElsewhere(url, 'curl/8.14.1')]
  const statusOf = async (cookie: string) => (await fetch(`${url}/api/me`, { headers: { cookie } })).status
  await openAccount(page, url)
  await page.getByText('Board, Sales').waitFor()
  const sessions = page.getByRole('region', { name: 'Sessions' })
  const own = sessions.getByRole('row').filter({ hasText: 'This device' })
  assert.match(await own.innerText(), /Chrome \d+ on Linux/)
  assert.equal(await own.getByRole('button').count(), 0)
  await sessions.getByRole('button', { name: 'End the session of Firefox 140 on Windows' }).first().click()
  await sessions.getByText('Firefox 140 on Windows').waitFor({ state: 'detached' })
  assert.deepEqual([await statusOf(firefox), await statusOf(script)], [401, 200])
  await sessions.getByRole('button', { name: 'End all others' }).click()
  await sessions.getByText('curl 8').waitFor({ state: 'detached' })
  assert.equal(await statusOf(script), 401)
  await page.reload()
  await own.waitFor()
})

inBrowser('a person changes their name and password, and other sessions end', { key: null }, async ({ page, url }) => {
  const other = await signInElsewhere(url, FIREFOX)
  await openAccount(page, url)
  await page.getByLabel('Your name').fill('Ann Ngo')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('The name is saved.').waitFor()
  const form = page.getByRole('region', { name: 'Password' })
  const change = async (before: string, after: string) => {
    await form.getByLabel('Old password', { exact: true }).fill(before)
    await form.getByLabel('New password', { exact: true }).fill(after)
    await form.getByRole('button', { name: 'Change password' }).click()
  }
  await change('not the password', `${PASSWORD} too`)
  await form.getByText('The e-mail address or the password is wrong.').waitFor()
  await change(PASSWORD, `${PASSWORD} too`)
  await form.getByText('The password is changed.').waitFor()
  assert.equal((await fetch(`${url}/api/me`, { headers: { cookie: other } })).status, 401)
  // The next tests sign in with the first password.
  await change(`${PASSWORD} too`, PASSWORD)
  await form.getByLabel('Old password', { exact: true }).and(page.locator('[value=""]')).waitFor()
  await signInElsewhere(url, FIREFOX)
})

inBrowser('preferences follow the person to another browser', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('heading', { name: 'Bei Pharos anmelden' }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('Sprache').selectOption('en')
  await page.getByRole('heading', { name: 'Sign in to Pharos' }).waitFor()
  await openAccount(page, url)
  const preferences = page.getByRole('region', { name: 'Preferences' })
  const root = page.locator('html')
  await preferences.getByLabel('Density').selectOption('compact')
  await page.locator('html[data-density=compact]').waitFor()
  await preferences.getByLabel('Theme').selectOption('dark')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await Promise.all([page.waitForEvent('load'), preferences.getByLabel('Time zone').selectOption('Asia/Tokyo')])
  await preferences.getByLabel('Language').selectOption('de')
  await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor()
  // Another browser knows nothing until the person signs in.
  await page.evaluate('localStorage.clear()')
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in?next=%2Faccount`)
  await page.getByLabel('E-mail address').fill(ANN)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor()
  await page.locator('html[data-mantine-color-scheme=dark][data-density=compact]').waitFor()
  assert.equal(await root.getAttribute('lang'), 'de')
  const kept = page.getByRole('region', { name: 'Darstellung' })
  assert.equal(await kept.getByLabel('Zeitzone').inputValue(), 'Asia/Tokyo')
  await assertAccessible(page)
  await kept.getByLabel('Sprache').selectOption('')
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  const isSaved = (it: { url(): string; ok(): boolean }) => it.url().endsWith('/api/user/preferences') && it.ok()
  const lighter = page.waitForResponse(isSaved)
  await page.getByRole('button', { name: 'Use light colours' }).click()
  await lighter
  await page.reload()
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
  // The next tests see the colours of their browser again.
  const saved = page.waitForResponse(isSaved)
  await page.getByLabel('Theme').selectOption('system')
  await saved
})

inBrowser('a person gets a copy of their data and deletes what is theirs', { key: null }, async ({ page, url }) => {
  await openAccount(page, url)
  const data = page.getByRole('region', { name: 'What is kept about you' })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    data.getByRole('link', { name: 'Download my data' }).click(),
  ])
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
  assert.match(lines.at(-1) ?? '', /"kind":"end"/)
  for (const [button, done] of [
    ['Delete recent searches', 'Your recent searches are deleted.'],
    ['Delete feedback', 'Your feedback is deleted.'],
    ['Delete all chats', 'Your chats are deleted.'],
  ] as const) {
    await data.getByRole('button', { name: button }).click()
    await assertAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: button }).click()
    await data.getByText(done).waitFor()
  }
})

inBrowser(
  'a session of a key that acts for a person says what only the person can change',
  { key: null },
  async (it) => {
    const { page, url } = it
    const data = { api_key: keyOfAnn }
    const signedIn = await page.request.post(`${url}/api/auth/session`, {
      data,
      headers: { 'x-requested-with': 'test' },
    })
    assert.ok(signedIn.ok(), await signedIn.text())
    await page.goto(`${url}/account`)
    await page.getByText('You are signed in with a key that acts for this person.').waitFor()
    await page.getByText(ANN).waitFor()
    for (const name of ['Second factor', 'Passkeys', 'Password'])
      await page.getByRole('heading', { name, exact: true }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('alert').count(), 0)
    await assertAccessible(page)
  },
)

for (const scheme of SCHEMES) {
  for (const width of [1_280, NARROW]) {
    inBrowser(`the account is accessible, ${scheme}, ${width} wide`, { key: null, scheme, width }, async (it) => {
      await signInElsewhere(it.url, FIREFOX)
      await openAccount(it.page, it.url)
      await it.page.getByText('Firefox 140 on Windows').first().waitFor()
      await assertAccessible(it.page)
      await assertFits(it.page)
    })
  }
}
