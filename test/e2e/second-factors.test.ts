// The second factor and passkeys, with the virtual authenticator of Chromium.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createApp, PASSWORD } from '../api/people.ts'
import { type Server, startServer } from '../server.ts'
import { assertAccessible, assertFits, NARROW, openBrowserAt, SCHEMES } from './browser.ts'

const ANN = 'ann@example.com'
const JOE = 'joe@example.com'
let server: Server

async function call(method: string, path: string, body: object): Promise<{ invitations: { link: string }[] }> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
  const reply = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  assert.ok(reply.ok, await reply.clone().text())
  return reply.json() as Promise<{ invitations: { link: string }[] }>
}

/** Passkeys need a name: the same program at http://localhost. */
const inBrowser = await openBrowserAt(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'warn' } })
  const { invitations } = await call('PUT', '/manage/admin/users', { emails: [ANN, JOE] })
  for (const { link } of invitations) {
    const body = JSON.stringify({ token: link.split('#')[1], password: PASSWORD })
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'test' }
    await fetch(`${server.url}/auth/register`, { method: 'POST', headers, body })
  }
  return { url: server.url.replace('127.0.0.1', 'localhost'), key: server.key }
})

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** A device that has a fingerprint sensor, and a finger on it. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const finger = { isUserVerified: true, automaticPresenceSimulation: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...finger } })
}

const section = (page: Page, name: string) => page.getByRole('region', { name })

inBrowser('a person sets up a second factor and signs in with a code', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/sign-in?next=%2Faccount`)
  await enterPassword(page, ANN)
  const factor = section(page, 'Second factor')
  await factor.getByRole('button', { name: 'Set up' }).click()
  await factor.getByLabel('Your password').fill('wrong')
  await factor.getByRole('button', { name: 'Continue' }).click()
  await factor.getByText('The e-mail address or the password is wrong.').waitFor()
  await factor.getByLabel('Your password').fill(PASSWORD)
  await factor.getByRole('button', { name: 'Continue' }).click()
  await factor.getByRole('img', { name: 'QR code' }).waitFor()
  await assertAccessible(page)
  const secret = await factor.getByRole('figure', { name: 'Secret' }).locator('pre').innerText()
  const app = createApp(`otpauth://totp/x?secret=${secret}`)
  await factor.getByLabel('Code of the app').fill(app.code())
  await factor.getByRole('button', { name: 'Switch on' }).click()
  const codes = await factor.getByRole('figure', { name: 'Recovery codes' }).locator('pre').innerText()
  assert.equal(codes.trim().split('\n').length, 10)
  await assertAccessible(page)
  await factor.getByRole('button', { name: 'I have kept them' }).click()
  await factor.getByText('10 recovery codes are left').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await enterPassword(page, ANN)
  await page.getByLabel('Code').fill('000000')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The code is wrong').waitFor()
  await page.getByLabel('Code').fill(app.code())
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Search' }).waitFor()

  await page.goto(`${url}/account`)
  await factor.getByRole('button', { name: 'New recovery codes' }).click()
  await factor.getByLabel('Your password').fill(PASSWORD)
  await factor.getByRole('button', { name: 'Make new codes' }).click()
  const newCodes = await factor.getByRole('figure', { name: 'Recovery codes' }).locator('pre').innerText()
  assert.equal(newCodes.trim().split('\n').length, 10)
  assert.notEqual(newCodes, codes)
  await factor.getByRole('button', { name: 'I have kept them' }).click()
  await factor.getByRole('button', { name: 'Switch off' }).click()
  await factor.getByLabel('Your password').fill(PASSWORD)
  await factor.getByRole('button', { name: 'Switch off' }).click()
  await factor.getByRole('button', { name: 'Set up' }).waitFor()
})

inBrowser('a person adds a passkey and signs in with it', { key: null }, async ({ page, url }) => {
  await page.goto(`${url}/sign-in?next=%2Faccount`)
  await addAuthenticator(page)
  await enterPassword(page, JOE)
  const passkeys = section(page, 'Passkeys')
  await passkeys.getByLabel('Name of the new passkey').fill('Laptop')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await passkeys.getByText('The passkey is added.').waitFor()
  await passkeys.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()
  await passkeys.getByLabel('Name of the new passkey').fill('The same again')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await passkeys.getByText('This device already has a passkey for your account.').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('textbox', { name: 'Search' }).waitFor()
  await page.goto(`${url}/account`)
  await section(page, 'Sessions').getByText('with a passkey').waitFor()
  await passkeys.getByRole('button', { name: 'Delete' }).click()
  await passkeys.getByRole('table').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey was not accepted.').waitFor()
})

for (const scheme of SCHEMES) {
  inBrowser(`the account is accessible on a phone, ${scheme}`, { key: null, scheme, width: NARROW }, async (it) => {
    await it.page.goto(`${it.url}/sign-in?next=%2Faccount`)
    await enterPassword(it.page, JOE)
    await section(it.page, 'Passkeys').getByLabel('Name of the new passkey').waitFor()
    await section(it.page, 'Second factor').getByRole('button', { name: 'Set up' }).waitFor()
    await section(it.page, 'Sessions').getByText('This device').waitFor()
    await assertAccessible(it.page)
    await assertFits(it.page)
  })
}
